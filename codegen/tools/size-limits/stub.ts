/** The replacement for a part of an input schema that is left open: it accepts at least what the part accepts. */

import type { Schema } from '../../model/types.ts';
import { MAX_ALTERNATIVE_DEPTH } from '../schema/kinds.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { alternativesOf, requiredOf, schemaMap, typesOf } from '../schema/readers.ts';
import { definitionOf } from '../schema/walk.ts';
import { joinSentences } from '../words/texts.ts';

const MAX_NAMES_CHARS = 120;
const MAX_FORMS_CHARS = 240;
const MAX_FORM_MEMBERS = 6;
const MAX_VALUES_CHARS = 80;

/** The schema with its references followed. */
type Follow = (schema: Schema) => Schema;

/**
 * Describes the part's members, required ones first, or the values that it lists. Members with one allowed value stay,
 * and a member that tells the alternatives apart stays with all its values and what each allows: a model must see which
 * kinds there are.
 */
export function toStub(part: Schema, definitions: ReadonlyMap<string, Schema>): Record<string, unknown> {
  const follow: Follow = (subschema) =>
    mergeAllOf(subschema, (ref) => definitions.get(definitionOf({ $ref: ref }) ?? '') ?? {}).schema;
  const schema = follow(part);
  const types = typesIn(schema, follow);
  const text = typeof schema.description === 'string' ? schema.description : '';
  const properties = Object.fromEntries(
    [...onlyValues(schema, follow)].map(([name, value]) => [name, { enum: [value] }]),
  );
  const discriminator = findDiscriminator(schema, follow);
  if (discriminator !== undefined) properties[discriminator.name] = { enum: discriminator.values };
  const stub: Record<string, unknown> = {};
  if (types.length > 0) stub.type = types.length === 1 ? types[0] : types;
  stub.description = joinSentences(
    text,
    Array.isArray(schema.enum) ? toValues(schema.enum) : toMembers(schema),
    discriminator === undefined || text.includes('chooses the form') ? '' : discriminator.words,
  );
  if (types.includes('array')) stub.items = {};
  if (Object.keys(properties).length > 0) stub.properties = properties;
  return stub;
}

/** The member that tells alternatives apart. */
interface Discriminator {
  readonly name: string;
  readonly values: unknown[];
  readonly words: string;
}

function findDiscriminator(schema: Schema, follow: Follow): Discriminator | undefined {
  const forms = alternativesOf(schema)
    .map(follow)
    .filter((form) => typesOf(form).join() !== 'null')
    .map((form) => ({ form, only: onlyValues(form, follow) }));
  if (forms.length < 2) return undefined;
  const valuesOf = (name: string) => [...new Set(forms.flatMap(({ only }) => only.get(name) ?? []))];
  const isDiscriminating = (name: string) => forms.every(({ only }) => only.has(name)) && valuesOf(name).length > 1;
  const name = [...(forms[0]?.only.keys() ?? [])].find(isDiscriminating);
  if (name === undefined) return undefined;
  const formTexts = forms.map(({ form, only }) => {
    const members = [...requiredOf(form), ...schemaMap(form, 'properties').map(([member]) => member)];
    const otherMembers = [...new Set(members)].filter((member) => member !== name).slice(0, MAX_FORM_MEMBERS);
    return otherMembers.length === 0 ? String(only.get(name)) : `${only.get(name)} (${otherMembers.join(', ')})`;
  });
  return { name, values: valuesOf(name), words: `${name} chooses the form: ${toList(formTexts, MAX_FORMS_CHARS)}.` };
}

/** The members with one allowed value that is a text, a number or a flag. */
function onlyValues(schema: Schema, follow: Follow): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, member] of schemaMap(schema, 'properties')) {
    const { const: constant, enum: enumValues } = follow(member);
    const onlyValue = Array.isArray(enumValues) && enumValues.length === 1 ? enumValues[0] : constant;
    if (['string', 'number', 'boolean'].includes(typeof onlyValue)) values.set(name, onlyValue);
  }
  return values;
}

/** The possible types of a value; empty if they are unclear. */
function typesIn(schema: Schema, follow: Follow, depth = 0): readonly string[] {
  const declaredTypes = typesOf({ type: schema.type, enum: schema.enum });
  if (declaredTypes.length > 0 || depth > MAX_ALTERNATIVE_DEPTH) return declaredTypes;
  const types = alternativesOf(schema).map((alternative) => typesIn(follow(alternative), follow, depth + 1));
  return types.some((list) => list.length === 0) ? [] : [...new Set(types.flat())];
}

function toMembers(schema: Schema): string {
  const required = requiredOf(schema);
  const optional = schemaMap(schema, 'properties').flatMap(([name]) => (required.includes(name) ? [] : [name]));
  return joinSentences(
    'Described no further here',
    required.length === 0 ? '' : `Needs ${toList(required, MAX_NAMES_CHARS)}`,
    optional.length === 0 ? '' : `Takes ${toList(optional, MAX_NAMES_CHARS)}`,
  );
}

function toValues(values: readonly unknown[]): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return `One of ${values.length} values: ${toList(texts, MAX_VALUES_CHARS)}.`;
}

/** `a, b and 7 more`, within a limit of characters. */
function toList(names: readonly string[], limit: number): string {
  let list = '';
  let count = 0;
  for (const name of names) {
    const next = list === '' ? name : `${list}, ${name}`;
    if (next.length > limit) break;
    list = next;
    count += 1;
  }
  if (count === names.length) return list;
  return count === 0 ? `${names.length} names` : `${list} and ${names.length - count} more`;
}
