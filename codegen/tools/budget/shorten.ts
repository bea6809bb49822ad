/** Shortens texts of the descriptor in an input schema, never those of connector.yaml. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { propertyOf } from '../schema/readers.ts';
import { definitionOf, definitionsOf, forEachChild, mapChildren } from '../schema/walk.ts';
import { toShortText } from '../words/texts.ts';

/** Maximum lengths in characters. */
export interface TextLimits {
  /** Of an argument. */
  readonly argument: number;
  /** Of anything inside an argument. */
  readonly inner: number;
}

/** Arguments that connector.yaml configures, by name. */
export interface Decided {
  /** Arguments whose description is in connector.yaml. */
  readonly texts: ReadonlySet<string>;
  /** Arguments whose whole schema is in connector.yaml. */
  readonly schemas: ReadonlySet<string>;
}

/** By length of texts: the shortened version of each schema object of the service. */
export type ShortTexts = Map<number, WeakMap<Schema, Schema>>;

/**
 * The same schema with shorter texts. An object in several places stays one object, and one without long texts is
 * returned unchanged.
 */
export function shortenTexts(root: Schema, limits: TextLimits, decided: Decided, known: ShortTexts): Schema {
  const shortened = remember(known, limits.inner, () => new WeakMap<Schema, Schema>());
  const inner = (schema: Schema): Schema =>
    remember(shortened, schema, () => withShortParts(withShortText(schema, limits.inner), inner));
  const argument = (name: string, schema: Schema): Schema => {
    if (decided.schemas.has(name)) return schema;
    const limit = decided.texts.has(name) ? Number.POSITIVE_INFINITY : limits.argument;
    return mapChildren(withShortText(schema, limit), inner);
  };
  const whole = definitionsBehind(root, decided.schemas);
  return {
    ...root,
    ...(isRecord(root.properties) ? { properties: mapMembers(root.properties, argument) } : {}),
    ...(isRecord(root.$defs)
      ? { $defs: mapMembers(root.$defs, (name, schema) => (whole.has(name) ? schema : inner(schema))) }
      : {}),
  };
}

/** Names of the definitions that these arguments use. */
function definitionsBehind(root: Schema, names: ReadonlySet<string>): ReadonlySet<string> {
  const definitions = definitionsOf(root);
  const reached = new Set<string>();
  const visit = (schema: Schema): void => {
    const name = definitionOf(schema);
    if (name !== null && !reached.has(name)) {
      reached.add(name);
      visit(definitions.get(name) ?? {});
    }
    forEachChild(schema, visit);
  };
  for (const name of names) visit(propertyOf(root, name) ?? {});
  return reached;
}

function withShortParts(schema: Schema, shorten: (part: Schema) => Schema): Schema {
  let isSame = true;
  const changed = mapChildren(schema, (part) => {
    const short = shorten(part);
    isSame &&= short === part;
    return short;
  });
  return isSame ? schema : changed;
}

function mapMembers(members: Schema, map: (name: string, schema: Schema) => Schema): Schema {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, map(name, schema as Schema)]));
}

function withShortText(schema: Schema, limit: number): Schema {
  const { description } = schema;
  if (typeof description !== 'string' || description.length <= limit) return schema;
  return { ...schema, description: toShortText(description, limit) };
}
