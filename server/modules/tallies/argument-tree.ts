/** The published arguments of a tool, as places at which usage is counted. */

import { branches, isSchema } from '../../call/tools/json.ts';
import type { JsonSchema } from '../../contract/index.ts';

/** One place: an argument, a member inside an argument, or the items of an array. */
export interface ArgumentNode {
  /** `filter.status` or `tags[]`, for example. Empty for the arguments as a whole. */
  readonly name: string;
  /** By published name. */
  readonly members: ReadonlyMap<string, ArgumentNode>;
  /** The items of an array. Null if they are not published, or too deep to be counted. */
  readonly items: ArgumentNode | null;
  /** Published values: a text unchanged, and any other value as JSON. Null if any value is accepted. */
  readonly values: ReadonlySet<string> | null;
}

/** Levels of members that are counted: an argument is one level, array items add none. */
export const USAGE_DEPTH = 3;

/** The name of unpublished names and values. */
export const OTHER = 'other';

/** Maximum of places per tool. Further names count as `other`. */
const MAX_NODES = 500;
/** An `enum` with more members counts as any text. */
const MAX_VALUES = 100;
const MAX_NAME_LENGTH = 200;
/** Bounds arrays inside arrays. */
const MAX_STEPS = 2 * USAGE_DEPTH;

/** Reads the places from an input schema, through references, alternatives and `allOf`. */
export function readArgumentTree(root: JsonSchema): ArgumentNode {
  let nodesLeft = MAX_NODES;
  const read = (schemas: readonly JsonSchema[], name: string, depth: number, steps: number): ArgumentNode => {
    const schemaBranches = schemas.flatMap((schema) => branches(root, schema));
    const members = new Map<string, ArgumentNode>();
    const publishedMembers = depth < USAGE_DEPTH ? membersOf(schemaBranches) : [];
    for (const [key, memberSchemas] of publishedMembers) {
      if (nodesLeft === 0 || key.length > MAX_NAME_LENGTH) break;
      nodesLeft -= 1;
      members.set(key, read(memberSchemas, name === '' ? key : `${name}.${key}`, depth + 1, steps + 1));
    }
    const items = schemaBranches.flatMap((schema) => (isSchema(schema.items) ? [schema.items] : []));
    const hasItems = items.length > 0 && nodesLeft > 0 && steps < MAX_STEPS && name !== '';
    if (hasItems) nodesLeft -= 1;
    return {
      name,
      members,
      items: hasItems ? read(items, `${name}[]`, depth, steps + 1) : null,
      values: valuesOf(schemaBranches),
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
  const values = schemas.flatMap(({ enum: enumValues, const: constant }): unknown[] => {
    if (Array.isArray(enumValues)) return enumValues;
    return constant === undefined ? [] : [constant];
  });
  const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
  if (values.length === 0 || values.length > MAX_VALUES || !values.every(isScalar)) return null;
  const names = values.map(toValueName);
  return names.some((name) => name.length > MAX_NAME_LENGTH) ? null : new Set(names);
}

/** Returns the name of a published value: a text unchanged, and any other value as JSON. */
export function toValueName(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
