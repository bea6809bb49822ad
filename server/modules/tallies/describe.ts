/** Describes the places where an answer differs from its output schema: a place and a type, never a value. */

import { branches, isSchema, parsePointer, toPointer, typeName } from '../../call/tools/json.ts';
import type { ErrorObject } from '../../call/tools/validate.ts';
import type { ObjectSchema } from '../../contract/index.ts';

/** One difference. */
export interface Drift {
  /** JSON pointer into the answer; `*` replaces indexes, and names that are not in the published schema. */
  readonly pointer: string;
  /**
   * JSON type of the actual value; `absent` if a required member is missing; `changed definition` for a tool whose definition at its MCP
   * server is not as reviewed.
   */
  readonly actualType: string;
}

const MAX_PLACE_LENGTH = 500;
/** Differences per answer. */
const MAX_DRIFTS = 50;

/** Returns each difference once. */
export function describeDrift(schema: ObjectSchema, problems: readonly ErrorObject[]): readonly Drift[] {
  const drifts = new Map<string, Drift>();
  for (const { instancePath, keyword, params, data } of problems) {
    if (drifts.size >= MAX_DRIFTS) break;
    const isAbsent = keyword === 'required';
    const path = parsePointer(instancePath);
    const pointer = toPublishedPointer(schema, isAbsent ? [...path, String(params.missingProperty)] : path);
    if (pointer.length > MAX_PLACE_LENGTH) continue;
    if (keyword === 'definition') {
      drifts.set(keyword, { pointer: '', actualType: 'changed definition' });
      continue;
    }
    const actualType = isAbsent ? 'absent' : typeName(data);
    drifts.set(`${pointer} ${actualType}`, { pointer, actualType });
  }
  return [...drifts.values()];
}

function toPublishedPointer(root: ObjectSchema, path: readonly string[]): string {
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
