/** The published arguments of a tool, as places at which usage is counted. */

import { branches, isSchema } from '../../call/tools/json.ts';
import type { JsonSchema } from '../../contract/index.ts';

/** One place: an argument, a member inside an argument, or the items of an array. */
export interface UsagePlace {
  /** `filter.status` or `tags[]`, for example. Empty for the arguments as a whole. */
  readonly name: string;
  /** By published name. */
  readonly members: ReadonlyMap<string, UsagePlace>;
  /** The items of an array. Null if they are not published, or too deep to be counted. */
  readonly items: UsagePlace | null;
  /** Published values: a text unchanged, and any other value as JSON. Null if any value is accepted. */
  readonly values: ReadonlySet<string> | null;
}

/** Levels of members that are counted: an argument is one level, array items add none. */
export const USAGE_DEPTH = 3;

/** The name of unpublished names and values. */
export const OTHER = 'other';

/** Maximum of places per tool. Further names count as `other`. */
const MAX_PLACES = 500;
/** An `enum` with more members counts as any text. */
const MAX_VALUES = 100;
const MAX_NAME_LENGTH = 200;
/** Bounds arrays inside arrays. */
const MAX_STEPS = 2 * USAGE_DEPTH;

/** Reads the places from an input schema, through references, alternatives and `allOf`. */
export function readPlaces(root: JsonSchema): UsagePlace {
  let left = MAX_PLACES;
  const read = (schemas: readonly JsonSchema[], name: string, depth: number, steps: number): UsagePlace => {
    const all = schemas.flatMap((schema) => branches(root, schema));
    const members = new Map<string, UsagePlace>();
    const found = depth < USAGE_DEPTH ? membersOf(all) : [];
    for (const [key, parts] of found) {
      if (left === 0 || key.length > MAX_NAME_LENGTH) break;
      left -= 1;
      members.set(key, read(parts, name === '' ? key : `${name}.${key}`, depth + 1, steps + 1));
    }
    const items = all.flatMap((schema) => (isSchema(schema.items) ? [schema.items] : []));
    const hasItems = items.length > 0 && left > 0 && steps < MAX_STEPS && name !== '';
    if (hasItems) left -= 1;
    return {
      name,
      members,
      items: hasItems ? read(items, `${name}[]`, depth, steps + 1) : null,
      values: valuesOf(all),
    };
  };
  return read([root], '', 0, 0);
}

function membersOf(schemas: readonly JsonSchema[]): [string, JsonSchema[]][] {
  const members = new Map<string, JsonSchema[]>();
  for (const { properties } of schemas) {
    if (!isSchema(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      if (isSchema(schema)) members.set(name, [...(members.get(name) ?? []), schema]);
    }
  }
  return [...members];
}

/** Returns the published values of all alternatives together. */
function valuesOf(schemas: readonly JsonSchema[]): ReadonlySet<string> | null {
  const values = schemas.flatMap(({ enum: listed, const: constant }): unknown[] =>
    Array.isArray(listed) ? listed : constant === undefined ? [] : [constant],
  );
  const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
  if (values.length === 0 || values.length > MAX_VALUES || !values.every(isScalar)) return null;
  const names = values.map(toValueName);
  return names.some((name) => name.length > MAX_NAME_LENGTH) ? null : new Set(names);
}

/** Returns the name of a published value: a text unchanged, and any other value as JSON. */
export function toValueName(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
