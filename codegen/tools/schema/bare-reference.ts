/** Finds schemas that are nothing but a reference with words of their own. */

import type { Schema } from '../../model/types.ts';
import { refOf, schemaList } from './readers.ts';

const ANNOTATIONS = new Set([
  'description',
  'title',
  'deprecated',
  'default',
  'examples',
  'readOnly',
  'writeOnly',
  'discriminator',
]);

export interface BareReference {
  readonly ref: string;
  readonly annotations: Schema;
}

/** A schema that is nothing but a reference with words: `$ref`, or `allOf` with one `$ref` and otherwise words. */
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

/** True where a schema accepts everything and only says something about it. */
function isAnnotating(schema: Schema): boolean {
  return Object.keys(schema).every((keyword) => ANNOTATIONS.has(keyword));
}

/** As `mergeAllOf` does: later words win, those of the schema itself last. */
function join(parts: readonly Schema[], own: Schema): Schema {
  return Object.assign({}, ...parts, own);
}
