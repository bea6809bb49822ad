/** States which alternative the value of a discriminating property selects: in the alternatives, and in words. */

import type { Discriminator, Schema } from '../../model/types.ts';
import { bareReferenceOf } from './bare-reference.ts';
import { mergeAllOf } from './merge.ts';
import { propertyOf, type Resolve, schemaList, typesOf } from './readers.ts';

const MAX_WORDS_CHARS = 240;

/**
 * The alternatives of a schema, each with its values from the discriminator's mapping, unless the alternative states
 * them itself. Names of schemas, which select if there is no mapping, only appear in words: authors often leave out the
 * mapping although the values differ.
 */
export function readAlternatives(schema: Schema, keyword: 'anyOf' | 'oneOf', resolve: Resolve): readonly Schema[] {
  const alternatives = schemaList(schema, keyword);
  const discriminator = discriminatorOf(schema);
  if (discriminator === null || discriminator.values.length === 0) return alternatives;
  const before = narrowed.get(alternatives[0] ?? schema)?.get(discriminator);
  if (before !== undefined && before.length === alternatives.length) return before;
  const result = alternatives.map((alternative) => narrow(alternative, discriminator, resolve));
  const first = alternatives[0] ?? schema;
  narrowed.set(first, (narrowed.get(first) ?? new WeakMap()).set(discriminator, result));
  return result;
}

/**
 * True if a discriminator chooses among the alternatives by values that one of them does not state. A value may then satisfy several of
 * them, and only the service can tell which one it means.
 *
 * @param alternatives as `readAlternatives` returned them.
 */
export function choosesByUnstatedValue(schema: Schema, alternatives: readonly Schema[], resolve: Resolve): boolean {
  const discriminator = discriminatorOf(schema);
  if (discriminator === null) return false;
  return alternatives.some((alternative) => {
    const property = propertyOf(mergeAllOf(alternative, resolve).schema, discriminator.propertyName);
    const stated = property === null ? {} : mergeAllOf(property, resolve).schema;
    return stated.const === undefined && stated.enum === undefined;
  });
}

/** One result for each list, so that an alternative in several places stays one object. */
const narrowed = new WeakMap<Schema, WeakMap<Discriminator, readonly Schema[]>>();

function narrow(alternative: Schema, { propertyName, values }: Discriminator, resolve: Resolve): Schema {
  const ref = bareReferenceOf(alternative)?.ref;
  const selecting = values.filter((entry) => entry.ref === ref).map(({ value }) => value);
  if (selecting.length === 0) return alternative;
  const property = propertyOf(mergeAllOf(alternative, resolve).schema, propertyName);
  const stated = property === null ? {} : mergeAllOf(property, resolve).schema;
  const types = typesOf({ type: stated.type });
  if (stated.const !== undefined || (types.length > 0 && !types.includes('string'))) return alternative;
  const listed = Array.isArray(stated.enum) ? stated.enum : null;
  const possible = listed === null ? selecting : selecting.filter((value) => listed.includes(value));
  if (possible.length === 0 || possible.length === listed?.length) return alternative;
  const [only] = possible;
  const chosen =
    listed === null && possible.length === 1 ? { type: 'string', const: only } : { type: 'string', enum: possible };
  return { allOf: [alternative, { properties: { [propertyName]: chosen } }] };
}

/** `kind chooses the form: card (CardPayment), bank (BankPayment).`, or empty without a discriminator. */
export function discriminatorInWords(schema: Schema): string {
  const discriminator = discriminatorOf(schema);
  const alternatives = [...schemaList(schema, 'oneOf'), ...schemaList(schema, 'anyOf')];
  if (discriminator === null || alternatives.length < 2) return '';
  const forms = alternatives.flatMap((alternative) => {
    const ref = bareReferenceOf(alternative)?.ref;
    return ref === undefined ? [] : toForms(ref, discriminator);
  });
  let list = '';
  for (const form of forms) {
    const next = list === '' ? form : `${list}, ${form}`;
    if (next.length > MAX_WORDS_CHARS) return `${discriminator.propertyName} chooses the form, such as ${list}.`;
    list = next;
  }
  return list === '' ? '' : `${discriminator.propertyName} chooses the form: ${list}.`;
}

function toForms(ref: string, { values }: Discriminator): readonly string[] {
  const name = ref.split('/').at(-1) ?? '';
  const selecting = values.filter((entry) => entry.ref === ref).map(({ value }) => value);
  if (selecting.length === 0) return [name];
  return selecting.map((value) => (value === name ? value : `${value} (${name})`));
}

function discriminatorOf(schema: Schema): Discriminator | null {
  return (schema.discriminator as Discriminator | undefined) ?? null;
}
