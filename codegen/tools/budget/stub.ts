/** The replacement for a part of an input schema that is left open: it accepts at least what the part accepts. */

import type { Schema } from '../../model/types.ts';
import { alternativesOf, requiredOf, schemaMap, typesOf } from '../schema/readers.ts';
import { definitionOf, holdsSchemas } from '../schema/walk.ts';
import { joinSentences } from '../words/texts.ts';

const MAX_NAMES_CHARS = 120;
const MAX_FORMS_CHARS = 240;
const MAX_FORM_MEMBERS = 6;
const MAX_VALUES_CHARS = 80;
/** Keywords about the contents, besides those that hold schemas. */
const INNER_KEYWORDS: ReadonlySet<string> = new Set(
  '$ref required dependentRequired minContains maxContains default examples'.split(' '),
);

/** By the target of a part, or the part itself, and by the part: stubs that depend on nothing else. */
const stubs = new WeakMap<Schema, WeakMap<Schema, Schema>>();

/**
 * Describes the part's members, required ones first, and the values that it lists. Members with one allowed value stay, and a member that
 * tells the alternatives apart stays with all its values and what each allows: a model must see which kinds there are.
 */
export function toStub(schema: Schema, definitions: ReadonlyMap<string, Schema>): Schema {
  const target = definitions.get(definitionOf(schema) ?? '') ?? schema;
  const before = stubs.get(target)?.get(schema);
  if (before !== undefined) return before;
  const whole = follow(schema, definitions);
  const stub = writeStub(whole, definitions);
  const isOwn = definitionOf(target) === null && typesOf({ type: whole.type, enum: whole.enum }).length > 0;
  if (isOwn) stubs.set(target, (stubs.get(target) ?? new WeakMap()).set(schema, stub));
  return stub;
}

function writeStub(whole: Schema, definitions: ReadonlyMap<string, Schema>): Schema {
  const types = knownTypes(whole, definitions);
  const { enum: values, ...rest } = whole;
  const kept = Object.entries(rest).filter(([keyword]) => !holdsSchemas(keyword) && !INNER_KEYWORDS.has(keyword));
  const text = typeof whole.description === 'string' ? whole.description : '';
  const words = Array.isArray(values) ? toValues(values) : toMembers(whole);
  const kinds = findKinds(whole, definitions);
  const said = text.includes('chooses the form') ? '' : kinds.words;
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
    description: joinSentences(text, words, said),
    ...Object.fromEntries(kept.filter(([keyword]) => keyword !== 'type' && keyword !== 'description')),
    ...(types.includes('array') ? { items: {} } : {}),
    ...(Object.keys(kinds.properties).length === 0 ? {} : { properties: kinds.properties }),
  };
}

interface Kinds {
  readonly properties: Readonly<Record<string, Schema>>;
  /** Empty unless the part has alternatives. */
  readonly words: string;
}

function findKinds(whole: Schema, definitions: ReadonlyMap<string, Schema>): Kinds {
  const own = [...onlyValues(whole, definitions)].map(([name, value]) => [name, { enum: [value] }] as const);
  const forms = alternativesOf(whole)
    .map((form) => follow(form, definitions))
    .filter((form) => typesOf(form).join() !== 'null')
    .map((form) => ({ form, values: onlyValues(form, definitions) }));
  const [first, ...others] = forms;
  const name = [...(first?.values.keys() ?? [])].find(
    (one) =>
      others.every(({ values }) => values.has(one)) && new Set(forms.map(({ values }) => values.get(one))).size > 1,
  );
  if (name === undefined || others.length === 0) return { properties: Object.fromEntries(own), words: '' };
  const values = [...new Set(forms.map((one) => one.values.get(name)))];
  const listed = forms.map((one) => {
    const members = schemaMap(one.form, 'properties').flatMap(([member]) => (member === name ? [] : [member]));
    const needed = requiredOf(one.form).filter((member) => member !== name);
    const some = [...new Set([...needed, ...members])].slice(0, MAX_FORM_MEMBERS).join(', ');
    return some === '' ? String(one.values.get(name)) : `${one.values.get(name)} (${some})`;
  });
  return {
    properties: Object.fromEntries([...own, [name, { enum: values }]]),
    words: `${name} chooses the form: ${toList(listed, MAX_FORMS_CHARS)}.`,
  };
}

/** The members with one allowed value that is a text, a number or a flag. */
function onlyValues(schema: Schema, definitions: ReadonlyMap<string, Schema>): ReadonlyMap<string, unknown> {
  return new Map(
    schemaMap(schema, 'properties').flatMap(([name, member]): [string, unknown][] => {
      const { const: constant, enum: values } = follow(member, definitions);
      const only = Array.isArray(values) && values.length === 1 ? values[0] : constant;
      return ['string', 'number', 'boolean'].includes(typeof only) ? [[name, only]] : [];
    }),
  );
}

/** The schema behind references that only add texts; keywords next to a reference win. */
function follow(schema: Schema, definitions: ReadonlyMap<string, Schema>): Schema {
  let result = schema;
  const seen = new Set<string>();
  for (let name = definitionOf(result); name !== null && !seen.has(name); name = definitionOf(result)) {
    seen.add(name);
    const { $ref: _, ...beside } = result;
    result = { ...definitions.get(name), ...beside };
  }
  return result;
}

const MAX_TYPE_DEPTH = 4;

/** The possible types of a value; empty if they are unclear. */
function knownTypes(schema: Schema, definitions: ReadonlyMap<string, Schema>, depth = 0): readonly string[] {
  const stated = typesOf({ type: schema.type, enum: schema.enum });
  if (stated.length > 0 || depth > MAX_TYPE_DEPTH) return stated;
  const alternatives = alternativesOf(schema);
  const types = alternatives.map((one) => knownTypes(follow(one, definitions), definitions, depth + 1));
  return types.some((list) => list.length === 0) ? [] : [...new Set(types.flat())];
}

function toMembers(schema: Schema): string {
  const required = requiredOf(schema);
  const names = schemaMap(schema, 'properties').map(([name]) => name);
  const optional = names.filter((name) => !required.includes(name));
  return [
    'Described no further here.',
    ...(required.length === 0 ? [] : [`Needs ${toList(required, MAX_NAMES_CHARS)}.`]),
    ...(optional.length === 0 ? [] : [`Takes ${toList(optional, MAX_NAMES_CHARS)}.`]),
  ].join(' ');
}

function toValues(values: readonly unknown[]): string {
  return `One of ${values.length} values: ${toList(
    values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    MAX_VALUES_CHARS,
  )}.`;
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
