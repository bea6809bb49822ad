/** Keeps a schema from rejecting more because one of its parts accepts more: `oneOf`, `not` and similar keywords invert. */

import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { schemaList } from './readers.ts';
import { createCircleFinder } from './refs.ts';
import { definitionOf, definitionsOf, forEachChild, mapKeyword, namesIn } from './walk.ts';

/** Conditions, and the keywords to remove if one accepts too much. */
const CONDITIONS: readonly (readonly [string, readonly string[]])[] = [
  ['not', ['not']],
  ['if', ['if', 'then', 'else']],
  ['contains', ['maxContains']],
];

/**
 * Turns every `oneOf` into `anyOf` if an alternative contains, or refers to, an object of `loose`, because two
 * alternatives might now match one value. Removes a `not`, an `if` or a `maxContains` that such a part would turn
 * against valid values. Changes the schema in place.
 *
 * @param loose Objects of the schema that accept more than their source.
 */
export function loosenChoices(root: Schema, loose: ReadonlySet<unknown>): void {
  if (loose.size === 0) return;
  const definitions = definitionsOf(root);
  const isLoose = createLooseFinder(definitions, loose);
  const seen = new Set<Schema>();
  const loosen = (schema: Record<string, unknown>): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    forEachChild(schema, loosen);
    if (schemaList(schema, 'oneOf').some(isLoose)) turnIntoAnyOf(schema);
    for (const [condition, keywords] of CONDITIONS) {
      if (schema[condition] === undefined || !isLoose(schema[condition] as Schema)) continue;
      for (const keyword of keywords) delete schema[keyword];
    }
  };
  for (const schema of [root, ...definitions.values()]) loosen(schema);
}

/** True for a schema that contains or refers to a loose one, at any depth. */
function createLooseFinder(
  definitions: ReadonlyMap<string, Schema>,
  loose: ReadonlySet<unknown>,
): (schema: Schema) => boolean {
  const looseNames = new Set<string>();
  let known = new Map<Schema, boolean>();
  const isLoose = (schema: Schema): boolean =>
    remember(known, schema, () => {
      let result = loose.has(schema) || looseNames.has(definitionOf(schema) ?? '');
      forEachChild(schema, (child) => {
        result = isLoose(child) || result;
      });
      return result;
    });
  // A definition can become loose through another one: repeat until none does.
  for (let before = -1; before < looseNames.size; ) {
    before = looseNames.size;
    known = new Map();
    for (const [name, body] of definitions) if (isLoose(body)) looseNames.add(name);
  }
  return isLoose;
}

function turnIntoAnyOf(schema: Record<string, unknown>): void {
  const { oneOf, ...rest } = schema;
  for (const keyword of Object.keys(schema)) delete schema[keyword];
  Object.assign(schema, { anyOf: oneOf }, rest);
}

/** Keywords whose schemas apply to the value itself, not to something in it. */
const IN_PLACE: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/**
 * The same schema without references that lead back to themselves without going into the value, such as
 * `A: {anyOf: [{type: string}, {$ref: A}]}`: a validator would follow them forever.
 *
 * An alternative that is the definition itself has no effect and is removed. Any other such reference accepts anything
 * instead, and is added to `loose`.
 */
export function endReferences(root: Schema, loose: Set<unknown>): Schema {
  const definitions = definitionsOf(root);
  const isEndless = createCircleFinder((name) => namesIn(definitions.get(name) ?? {}, IN_PLACE));
  const endIn = (schema: Schema, name: string): Schema => {
    const result: Record<string, unknown> = { ...schema };
    if (loose.has(schema)) loose.add(result);
    if (isEndless(definitionOf(schema) ?? '')) {
      delete result.$ref;
      loose.add(result);
    }
    for (const keyword of IN_PLACE) {
      const value = schema[keyword];
      const parts = Array.isArray(value) ? value.filter((part) => definitionOf(part) !== name) : value;
      if (Array.isArray(parts) && parts.length === 0) delete result[keyword];
      else if (parts !== undefined) result[keyword] = mapKeyword(keyword, parts, (part) => endIn(part, name));
    }
    return result;
  };
  const endless = [...definitions].filter(([name]) => isEndless(name));
  if (endless.length === 0) return root;
  const ended = Object.fromEntries(endless.map(([name, body]) => [name, endIn(body, name)]));
  return { ...root, $defs: { ...Object.fromEntries(definitions), ...ended } };
}
