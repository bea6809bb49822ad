/** Repairs closed objects whose alternatives add members: read literally, no value with such a member is valid. */

import type { Schema } from '../../model/types.ts';
import { readAlternatives } from './discriminator.ts';
import { mergeAllOf } from './merge.ts';
import { alternativesOf, isNever, propertyOf, type Resolve, requiredOf, schemaList, schemaMap } from './readers.ts';

/** A merged schema, and parts that must hold in addition. */
interface Merged {
  readonly schema: Schema;
  readonly leftovers: readonly Schema[];
}

/** Keywords that stay outside of the alternatives. */
const WORDS = [
  'title',
  'description',
  'deprecated',
  'default',
  'example',
  'examples',
  'discriminator',
  'type',
] as const;
const MAX_DEPTH = 4;

/**
 * Writes the members of a closed object into each of its alternatives, which are then closed over both: `additionalProperties: false` is
 * meant for the whole object, as in `allOf`. Members that `then`, `else` or `dependentSchemas` add become members of the object.
 *
 * @returns null if nothing has to be repaired
 */
export function repairClosedObject({ schema, leftovers }: Merged, resolve: Resolve): Merged | null {
  const isClosed = isNever(schema.additionalProperties) && schema.patternProperties === undefined;
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const variants = schemaList(schema, keyword);
    const isBroken = variants.some(
      (variant) => (isClosed && addsMembers(variant, schema, resolve)) || rejectsMembers(variant, schema, resolve),
    );
    if (!isBroken) continue;
    const base: Record<string, unknown> = { ...schema };
    const outside: Record<string, unknown> = {};
    for (const word of WORDS) {
      if (schema[word] !== undefined) outside[word] = schema[word];
      if (word !== 'type') delete base[word];
    }
    delete base[keyword];
    const merged = readAlternatives(schema, keyword, resolve).map((variant) => ({
      allOf: [base, variant, ...leftovers],
    }));
    return { schema: { ...outside, [keyword]: merged }, leftovers: [] };
  }
  return isClosed ? addConditionalMembers({ schema, leftovers }, resolve) : null;
}

function addConditionalMembers({ schema, leftovers }: Merged, resolve: Resolve): Merged | null {
  const conditional = [schema.then, schema.else, ...schemaMap(schema, 'dependentSchemas').map(([, part]) => part)];
  const added = conditional
    .flatMap((part) => membersOf((part ?? {}) as Schema, resolve))
    .filter((name) => propertyOf(schema, name) === null);
  if (added.length === 0) return null;
  const properties = {
    ...Object.fromEntries(schemaMap(schema, 'properties')),
    ...Object.fromEntries(added.map((name) => [name, {}])),
  };
  return { schema: { ...schema, properties }, leftovers };
}

/** True if an alternative describes members that the object does not have. */
function addsMembers(variant: Schema, schema: Schema, resolve: Resolve): boolean {
  return membersOf(variant, resolve).some((name) => propertyOf(schema, name) === null);
}

/** True if an alternative is closed without a member that the object requires. */
function rejectsMembers(variant: Schema, schema: Schema, resolve: Resolve): boolean {
  const { schema: merged } = mergeAllOf(variant, resolve);
  if (!isNever(merged.additionalProperties) || merged.patternProperties !== undefined) return false;
  return requiredOf(schema).some((name) => propertyOf(schema, name) !== null && propertyOf(merged, name) === null);
}

/** Names of the members that a schema or its alternatives describe and allow. */
function membersOf(schema: Schema, resolve: Resolve, depth = 0): readonly string[] {
  const { schema: merged } = mergeAllOf(schema, resolve);
  const names = schemaMap(merged, 'properties').flatMap(([name, member]) => (isNever(member) ? [] : [name]));
  if (depth === MAX_DEPTH) return names;
  return [...names, ...alternativesOf(merged).flatMap((variant) => membersOf(variant, resolve, depth + 1))];
}
