/** What an answer had that its output schema refuses: a place of the schema, and a type. Never a value. */

import type { ObjectSchema } from '../../contract/index.ts';
import { parsePointer, toPointer } from '../json/pointer.ts';
import { branches, isSchema, typeName } from '../json/schema-walk.ts';
import type { ErrorObject } from '../json/validate.ts';

/** One way in which answers differ. */
export interface Drift {
  /** JSON pointer into the answer, in which `*` stands for any item and for any name that the schema does not publish. */
  readonly place: string;
  /** The keyword of the schema that refuses it, such as `type`, `enum` or `required`. */
  readonly keyword: string;
  /** JSON type of what was there; `absent` where something required was missing. */
  readonly found: string;
}

const MAX_PLACE_LENGTH = 500;
/** What one answer can add. */
const MAX_DRIFTS = 50;

/** Each of them once. Of several problems at one place a `type` says most. */
export function describeDrift(schema: ObjectSchema, problems: readonly ErrorObject[]): readonly Drift[] {
  const drifts = new Map<string, Drift>();
  for (const { instancePath, keyword, params, data } of problems) {
    if (drifts.size >= MAX_DRIFTS) break;
    const isAbsent = keyword === 'required';
    const path = parsePointer(instancePath);
    const place = toPlace(schema, isAbsent ? [...path, String(params.missingProperty)] : path);
    const drift = { place, keyword, found: isAbsent ? 'absent' : typeName(data) };
    if (place.length > MAX_PLACE_LENGTH) continue;
    const key = `${place} ${drift.found}`;
    if (!drifts.has(key) || keyword === 'type') drifts.set(key, drift);
  }
  return [...drifts.values()];
}

function toPlace(root: ObjectSchema, path: readonly string[]): string {
  let schemas = branches(root, root);
  const tokens = path.map((token) => {
    const published = schemas.flatMap(({ properties }) =>
      isSchema(properties) && Object.hasOwn(properties, token) && isSchema(properties[token])
        ? [properties[token]]
        : [],
    );
    const inside = published.length > 0 ? published : schemas.flatMap(innerOf);
    schemas = inside.flatMap((schema) => branches(root, schema));
    return published.length > 0 ? token : '*';
  });
  return toPointer(tokens);
}

function innerOf({ items, additionalProperties }: Readonly<Record<string, unknown>>) {
  return [items, additionalProperties].filter(isSchema);
}
