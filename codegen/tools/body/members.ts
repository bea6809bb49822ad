/** Reads an object schema member by member, if nothing is lost. */

import { canonicalJson } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { mergeAllOf, readOnlyMembers } from '../schema/merge.ts';
import { isNever, propertyOf, type Resolve, requiredOf, schemaList, schemaMap, typesOf } from '../schema/readers.ts';

/** A choice among members of a body: `all` of one group of wire names, or of at least one. */
export interface BodyChoice {
  readonly mode: 'exactly one' | 'at least one';
  readonly groups: readonly (readonly string[])[];
}

export interface BodyMember {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export interface BodyMembers {
  readonly members: readonly BodyMember[];
  readonly choices: readonly BodyChoice[];
}

const CLOSED_KEYWORDS = (
  'patternProperties propertyNames dependentSchemas dependentRequired unevaluatedProperties not if ' +
  'minProperties maxProperties const enum'
).split(' ');

/** The members of an object schema and their choices; null if reading it member by member would lose something. */
export function toMembers(root: Schema, resolve: Resolve): BodyMembers | null {
  const { schema, leftovers } = mergeAllOf(withoutFalseChoices(root, resolve), resolve);
  const types = typesOf(schema).filter((type) => type !== 'null');
  const additional = schema.additionalProperties;
  if (leftovers.length > 0 || types.length !== 1 || types[0] !== 'object') return null;
  if (additional !== undefined && !isNever(additional)) return null;
  const requiresAnyMember = schema.minProperties === 1;
  if (
    CLOSED_KEYWORDS.some(
      (keyword) => schema[keyword] !== undefined && !(keyword === 'minProperties' && requiresAnyMember),
    )
  ) {
    return null;
  }
  const properties = schemaMap(schema, 'properties');
  if (properties.length === 0 && additional === undefined) return null;
  const choices = toChoices(schema);
  if (choices === null) return null;
  const required = new Set(requiredOf(schema));
  const readOnlyNames = new Set(readOnlyMembers(properties, resolve));
  const writableProperties = properties.filter(([name]) => !readOnlyNames.has(name));
  const names = new Set(writableProperties.map(([name]) => name));
  if ([...required].some((name) => !names.has(name) && propertyOf(schema, name) === null)) return null;
  const anyMemberChoice: BodyChoice[] =
    requiresAnyMember && required.size === 0
      ? [{ mode: 'at least one', groups: [...names].map((name) => [name]) }]
      : [];
  return {
    members: writableProperties.map(([name, member]) => ({ name, schema: member, required: required.has(name) })),
    choices: [...choices, ...anyMemberChoice],
  };
}

const MAX_CHOICE_DEPTH = 8;

/** Merges a list of alternatives that has only one. */
function withoutFalseChoices(schema: Schema, resolve: Resolve, depth = 0): Schema {
  const { schema: merged, leftovers } = mergeAllOf(schema, resolve);
  if (leftovers.length > 0 || depth > MAX_CHOICE_DEPTH) return schema;
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = schemaList(merged, keyword).filter((variant) => variant.type !== 'null');
    const onlyVariant = variants[0];
    if (variants.length !== 1 || onlyVariant === undefined) continue;
    const { [keyword]: _, ...rest } = merged;
    return withoutFalseChoices({ allOf: [onlyVariant, rest] }, resolve, depth + 1);
  }
  return merged;
}

/** The alternatives at the root as choices of members; null if one of them has more than `required`. */
function toChoices(schema: Schema): readonly BodyChoice[] | null {
  const choices: BodyChoice[] = [];
  const alwaysRequired = new Set(requiredOf(schema));
  for (const [keyword, mode] of [
    ['oneOf', 'exactly one'],
    ['anyOf', 'at least one'],
  ] as const) {
    const variants = schemaList(schema, keyword);
    if (variants.length === 0) continue;
    if (!variants.every((variant) => onlyRequires(variant, schema))) return null;
    const groups = variants.map((variant) => requiredOf(variant).filter((name) => !alwaysRequired.has(name)));
    if (groups.every((group) => group.length > 0)) choices.push({ mode, groups });
  }
  return choices;
}

const VARIANT_KEYWORDS = wordSet('required title description type properties');

function onlyRequires(variant: Schema, root: Schema): boolean {
  if (!Object.keys(variant).every((keyword) => VARIANT_KEYWORDS.has(keyword))) return false;
  if (variant.type !== undefined && variant.type !== 'object') return false;
  if (!requiredOf(variant).every((name) => propertyOf(root, name) !== null)) return false;
  return schemaMap(variant, 'properties').every(([name, member]) => {
    const shared = propertyOf(root, name);
    return shared !== null && (Object.keys(member).length === 0 || canonicalJson(member) === canonicalJson(shared));
  });
}
