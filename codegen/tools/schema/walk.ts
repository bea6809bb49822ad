/** Walks the schemas directly inside a schema; names inside `properties`, `enum` or `default` are never mistaken for keywords. */

import { isRecord } from '../../json.ts';
import { KEYWORD_FORMS } from '../../load/keywords.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';

/** Place of a schema in its parent, such as `['properties', 'name']` or `['anyOf', '0']`. */
export type Step = readonly [keyword: string, key?: string];

/**
 * The value of one keyword with every schema in it replaced. A value that holds no schema, such as
 * `additionalProperties: false`, stays.
 */
export function mapKeyword(keyword: string, value: unknown, replace: (schema: Schema, step: Step) => unknown): unknown {
  const form = KEYWORD_FORMS.get(keyword);
  if (form === 'list' && Array.isArray(value)) {
    return value.map((member, index) => (isRecord(member) ? replace(member, [keyword, String(index)]) : member));
  }
  if (form === undefined || !isRecord(value)) return value;
  if (form !== 'map') return form === 'one' ? replace(value, [keyword]) : value;
  // A copy has `__proto__` as an own member, which an assignment then replaces like any other.
  const result: Record<string, unknown> = { ...value };
  for (const key of Object.keys(result)) {
    const member = result[key];
    if (isRecord(member)) result[key] = replace(member, [keyword, key]);
  }
  return result;
}

/** The schema with every schema directly inside it replaced, its keywords in their order; `$defs` stays as it is. */
export function mapChildren(schema: Schema, replace: (schema: Schema, step: Step) => unknown): Schema {
  const result: Record<string, unknown> = { ...schema };
  for (const keyword of Object.keys(result)) {
    if (KEYWORD_FORMS.has(keyword)) result[keyword] = mapKeyword(keyword, result[keyword], replace);
  }
  return result;
}

/** The schema with every schema in it replaced, at any depth and in `$defs`: the innermost first, and each object once. */
export function mapSchemas(root: Schema, replace: (schema: Schema) => Schema): Schema {
  const cache = new Map<Schema, Schema>();
  const visit = (schema: Schema): Schema => remember(cache, schema, () => replace(mapChildren(schema, visit)));
  const definitions = [...definitionsOf(root)].map(([name, body]) => [name, visit(body)]);
  return visit(definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) });
}

/** Calls `visit` for every schema directly inside, except those in `$defs`. */
export function forEachChild(schema: Schema, visit: (schema: Schema, step: Step) => void): void {
  forEachMember(schema, (member, step) => {
    if (isRecord(member)) visit(member, step);
  });
}

/** Calls `visit` for every value in the place of a schema directly inside, also for booleans. */
export function forEachMember(schema: Schema, visit: (member: unknown, step: Step) => void): void {
  for (const keyword of Object.keys(schema)) {
    const form = KEYWORD_FORMS.get(keyword);
    const value = schema[keyword];
    if (form === 'one') visit(value, [keyword]);
    else if (form !== undefined && typeof value === 'object' && value !== null) {
      if (Array.isArray(value) !== (form === 'list')) continue;
      for (const [key, member] of Object.entries(value)) visit(member, [keyword, key]);
    }
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

/** The definition that a schema refers to, or the schema itself. */
export function followLocal(schema: Schema, root: Schema): Schema {
  const target = definitionsOf(root).get(definitionOf(schema) ?? '');
  return isRecord(target) ? target : schema;
}

/**
 * Names of the local definitions that a schema refers to, without those that they refer to.
 *
 * @param keywords whose schemas are read; default: all
 */
export function namesIn(schema: Schema, keywords?: readonly string[]): readonly string[] {
  const names = new Set<string>();
  const visited = new Set<Schema>();
  const visit = (node: Schema): void => {
    if (visited.has(node)) return;
    visited.add(node);
    const name = definitionOf(node);
    if (name !== null) names.add(name);
    forEachChild(node, (child, [keyword]) => {
      if (keywords === undefined || keywords.includes(keyword)) visit(child);
    });
  };
  visit(schema);
  return [...names];
}

/** `#/$defs/<name>`. Names are letters and digits, so that nothing has to be escaped. */
export function referenceTo(name: string): string {
  return `${PREFIX}${name}`;
}
