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
 * Turns every `oneOf` into `anyOf` if an alternative contains, or refers to, an object of `loosened`, because two
 * alternatives might now match one value. Removes a `not`, an `if` or a `maxContains` that such a part would turn
 * against valid values. Changes the schema in place.
 *
 * @param loosened Objects of the schema that accept more than their source.
 */
export function loosenChoices(root: Schema, loosened: ReadonlySet<unknown>): void {
  if (loosened.size === 0) return;
  const definitions = definitionsOf(root);
  const isLoose = createLooseFinder(definitions, loosened);
  const visited = new Set<Schema>();
  const loosen = (schema: Record<string, unknown>): void => {
    if (visited.has(schema)) return;
    visited.add(schema);
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
  loosened: ReadonlySet<unknown>,
): (schema: Schema) => boolean {
  const looseNames = new Set<string>();
  let cache = new Map<Schema, boolean>();
  const isLoose = (schema: Schema): boolean =>
    remember(cache, schema, () => {
      let result = loosened.has(schema) || looseNames.has(definitionOf(schema) ?? '');
      forEachChild(schema, (child) => {
        result = isLoose(child) || result;
      });
      return result;
    });
  // A definition can become loose through another one: repeat until none does.
  for (let previousSize = -1; previousSize < looseNames.size; ) {
    previousSize = looseNames.size;
    cache = new Map();
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
 * instead, and is added to `loosened`.
 */
export function endReferences(root: Schema, loosened: Set<unknown>): Schema {
  const definitions = definitionsOf(root);
  const isEndless = createCircleFinder((name) => namesIn(definitions.get(name) ?? {}, IN_PLACE));
  const endReferencesIn = (schema: Schema, name: string): Schema => {
    const result: Record<string, unknown> = { ...schema };
    if (loosened.has(schema)) loosened.add(result);
    if (isEndless(definitionOf(schema) ?? '')) {
      delete result.$ref;
      loosened.add(result);
    }
    for (const keyword of IN_PLACE) {
      const value = schema[keyword];
      const subschemas = Array.isArray(value) ? value.filter((part) => definitionOf(part) !== name) : value;
      if (Array.isArray(subschemas) && subschemas.length === 0) delete result[keyword];
      else if (subschemas !== undefined)
        result[keyword] = mapKeyword(keyword, subschemas, (part) => endReferencesIn(part, name));
    }
    return result;
  };
  const endlessDefinitions = [...definitions].filter(([name]) => isEndless(name));
  if (endlessDefinitions.length === 0) return root;
  const endedDefinitions = Object.fromEntries(
    endlessDefinitions.map(([name, body]) => [name, endReferencesIn(body, name)]),
  );
  return { ...root, $defs: { ...Object.fromEntries(definitions), ...endedDefinitions } };
}
