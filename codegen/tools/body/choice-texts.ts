/** Describes in words what the schema of a body cannot express: its forms, and the choice between its members. */

import type { Schema } from '../../model/types.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { type Resolve, refOf, requiredOf, schemaList, schemaMap, typesOf } from '../schema/readers.ts';
import { toCleanText } from '../words/texts.ts';
import type { BodyPlan } from './context.ts';

/**
 * Sentences about the body of a tool; empty if there is no choice.
 *
 * @param nameOf name of the argument for a member of the body, if there is one
 */
export function toChoiceText(body: BodyPlan, nameOf: (member: string) => string | undefined): string {
  if (body.kind !== 'members') return '';
  const sentences = body.choices.flatMap(({ mode, groups }) => {
    const namedGroups = groups
      .map((group) => group.map(nameOf))
      .filter((group) => group.every((name) => name !== undefined));
    const options = [...new Set(namedGroups.map((group) => toConjunction(group)))];
    return options.length < 2 ? [] : [`Give ${mode} of: ${options.join('; ')}.`];
  });
  return sentences.join(' ');
}

/** `a, b and c`. */
function toConjunction(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `One of these forms: CreditCard (number, cvc); BankAccount (iban).`, or empty if there is no choice. */
export function toForms(schema: Schema, resolve: Resolve): string {
  const { schema: merged } = mergeAllOf(schema, resolve);
  for (const [keyword, lead] of [
    ['oneOf', 'Exactly one of these forms'],
    ['anyOf', 'One of these forms'],
  ] as const) {
    const variants = schemaList(merged, keyword).filter((variant) => variant.type !== 'null');
    if (variants.length > 1) {
      return `${lead}: ${variants.map((variant, index) => toForm(variant, index, resolve)).join('; ')}.`;
    }
  }
  return '';
}

function toForm(variant: Schema, index: number, resolve: Resolve): string {
  const { schema } = mergeAllOf(variant, resolve);
  const title = toCleanText(schema.title) || (refOf(variant)?.split('/').at(-1) ?? '');
  const types = typesOf(schema);
  const members =
    requiredOf(schema).length > 0 ? requiredOf(schema) : schemaMap(schema, 'properties').map(([name]) => name);
  const kind =
    types[0] === 'object' || types.length === 0 ? members.slice(0, 8).join(', ') : toKind(schema, types, resolve);
  const label = title === '' ? `(${index + 1})` : title;
  return kind === '' ? label : title === '' ? `${label} ${kind}` : `${label} (${kind})`;
}

function toKind(schema: Schema, types: readonly string[], resolve: Resolve): string {
  if (types[0] !== 'array') return types.join(' or ');
  const items = schema.items;
  const inner = typeof items === 'object' && items !== null ? typesOf(mergeAllOf(items as Schema, resolve).schema) : [];
  return inner.length === 0 ? 'array' : `array of ${inner.join(' or ')}`;
}
