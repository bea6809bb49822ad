/** Finds schemas that consist only of a reference and texts. */

import { ANNOTATIONS } from '../../model/nullable.ts';
import type { Schema } from '../../model/types.ts';
import { refOf, schemaList } from './readers.ts';

export interface BareReference {
  readonly ref: string;
  readonly annotations: Schema;
}

/** A schema that is only a reference with texts: `$ref`, or `allOf` with one `$ref` and otherwise texts. */
export function bareReferenceOf(schema: Schema): BareReference | null {
  const { $ref: _, allOf: __, ...annotations } = schema;
  if (!isAnnotating(annotations)) return null;
  const all = schemaList(schema, 'allOf');
  const direct = refOf(schema);
  if (direct !== null) return all.every(isAnnotating) ? { ref: direct, annotations: join(all, annotations) } : null;
  const [only, ...others] = all.filter((part) => !isAnnotating(part));
  const inner = only === undefined || others.length > 0 ? null : bareReferenceOf(only);
  if (inner === null) return null;
  const words = all.map((part) => (part === only ? inner.annotations : part));
  return { ref: inner.ref, annotations: join(words, annotations) };
}

/** True if a schema accepts everything and only annotates it. */
function isAnnotating(schema: Schema): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword));
}

/** Like `mergeAllOf`: later texts win, and those of the schema itself come last. */
function join(parts: readonly Schema[], own: Schema): Schema {
  return Object.assign({}, ...parts, own);
}
