/** Goes through published schemas, where a definition may stand behind a reference. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../schema/readers.ts';

/** Where a schema stands in the one above it, such as `['properties', 'name']` or `['anyOf', '0']`. */
export type Step = readonly [keyword: string, key?: string];

const SINGLE: ReadonlySet<string> = new Set(SCHEMA_KEYWORDS);
const LISTED: ReadonlySet<string> = new Set(SCHEMA_LIST_KEYWORDS);
const MAPPED: ReadonlySet<string> = new Set(SCHEMA_MAP_KEYWORDS);

/** True for a keyword that holds schemas; `$defs` is none. */
export function holdsSchemas(keyword: string): boolean {
  return SINGLE.has(keyword) || LISTED.has(keyword) || MAPPED.has(keyword);
}

/**
 * The value of one keyword with every schema in it replaced. A value that holds no schema, such as
 * `additionalProperties: false`, stays.
 */
export function mapKeyword(keyword: string, value: unknown, replace: (schema: Schema, step: Step) => unknown): unknown {
  if (SINGLE.has(keyword)) return isRecord(value) ? replace(value, [keyword]) : value;
  if (LISTED.has(keyword) && Array.isArray(value)) {
    return value.map((member, index) => (isRecord(member) ? replace(member, [keyword, String(index)]) : member));
  }
  if (!MAPPED.has(keyword) || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, isRecord(member) ? replace(member, [keyword, key]) : member]),
  );
}

/** The schema with every schema directly inside it replaced, its keywords in their order; `$defs` stays as it is. */
export function mapChildren(schema: Schema, replace: (schema: Schema, step: Step) => unknown): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, replace)]),
  );
}

/** Calls `visit` for every schema directly inside, those of `$defs` left out. */
export function forEachChild(schema: Schema, visit: (schema: Schema, step: Step) => void): void {
  for (const keyword of Object.keys(schema)) {
    mapKeyword(keyword, schema[keyword], (child, step) => visit(child, step));
  }
}

/** Bodies of the local definitions by name. */
export function definitionsOf(root: Schema): ReadonlyMap<string, Schema> {
  const map = root.$defs;
  return new Map(isRecord(map) ? (Object.entries(map) as [string, Schema][]) : []);
}

const PREFIX = '#/$defs/';

/** The name of the local definition that a schema refers to, or null. */
export function definitionOf(schema: Schema): string | null {
  const ref = schema.$ref;
  return typeof ref === 'string' && ref.startsWith(PREFIX) ? ref.slice(PREFIX.length) : null;
}

/** `#/$defs/<name>`. Names are letters and digits, so that nothing has to be escaped. */
export function referenceTo(name: string): string {
  return `${PREFIX}${name}`;
}
