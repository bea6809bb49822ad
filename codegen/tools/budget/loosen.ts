/**
 * Keeps a schema from rejecting more because one of its parts accepts more: `oneOf`, `not` and similar keywords invert.
 */

import type { Schema } from '../../model/types.ts';
import { schemaList } from '../schema/readers.ts';
import { definitionOf, definitionsOf, forEachChild } from '../schema/walk.ts';

/** Definitions that were already loosened for another tool, and whether they contain or refer to something loose. */
export type Loosened = WeakMap<Schema, boolean>;

/**
 * Turns every `oneOf` into `anyOf` if an alternative contains, or refers to, an object of `loose`, because two
 * alternatives might now match one value. Removes a `not`, an `if` or a `maxContains` that such a part would turn
 * against valid values. Changes the schema in place.
 *
 * @param loose Objects of the schema that accept more than their source.
 * @param before Definitions that stay unchanged; those of the schema are added.
 */
export function loosenChoices(root: Schema, loose: ReadonlySet<unknown>, before: Loosened = new WeakMap()): void {
  const definitions = definitionsOf(root);
  const fresh = [...definitions.values()].filter((body) => !before.has(body));
  if (loose.size === 0) {
    for (const body of fresh) before.set(body, false);
    return;
  }
  const wide = findWide([root, ...fresh], definitions, loose, before);
  const seen = new Set<Schema>();
  const loosen = (schema: Schema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    forEachChild(schema, loosen);
    if (schemaList(schema, 'oneOf').some((alternative) => wide.has(alternative))) toAnyOf(schema);
    for (const [condition, goes] of TURNING) {
      if (wide.has(schema[condition] as Schema))
        for (const keyword of goes) delete (schema as Record<string, unknown>)[keyword];
    }
  };
  for (const schema of [root, ...fresh]) loosen(schema);
  for (const body of fresh) before.set(body, wide.has(body));
}

/** Conditions, and the keywords to remove if one accepts too much. */
const TURNING: readonly (readonly [string, readonly string[]])[] = [
  ['not', ['not']],
  ['if', ['if', 'then', 'else']],
  ['contains', ['maxContains']],
];

/** Every object that contains or refers to a loose one, at any depth. */
function findWide(
  roots: readonly Schema[],
  definitions: ReadonlyMap<string, Schema>,
  loose: ReadonlySet<unknown>,
  before: Loosened,
): ReadonlySet<Schema> {
  const above = new Map<Schema, Schema[]>();
  const waiting: Schema[] = [];
  const link = (child: Schema, parent: Schema): void => {
    const parents = above.get(child);
    if (parents !== undefined) parents.push(parent);
    else {
      above.set(child, [parent]);
      visit(child);
    }
  };
  const visit = (schema: Schema): void => {
    const target = definitions.get(definitionOf(schema) ?? '');
    const wasWide = target === undefined ? undefined : before.get(target);
    if (loose.has(schema) || wasWide === true) waiting.push(schema);
    if (target !== undefined && wasWide === undefined) link(target, schema);
    forEachChild(schema, (child) => link(child, schema));
  };
  for (const root of roots) {
    if (above.has(root)) continue;
    above.set(root, []);
    visit(root);
  }
  const wide = new Set<Schema>();
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (wide.has(schema)) continue;
    wide.add(schema);
    waiting.push(...(above.get(schema) ?? []));
  }
  return wide;
}

function toAnyOf(schema: Schema): void {
  const changed = schema as Record<string, unknown>;
  const { oneOf } = changed;
  const rest = Object.entries(changed).filter(([keyword]) => keyword !== 'oneOf');
  for (const keyword of Object.keys(changed)) delete changed[keyword];
  Object.assign(changed, { anyOf: oneOf }, Object.fromEntries(rest));
}
