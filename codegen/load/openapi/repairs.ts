/** The repair table: which faults of a descriptor are read as their author meant them, and the message for each. */

import { NUMBERS_AS_TEXT } from '../text/text-values.ts';

/** `key` is the field or the entry, `owner` what it belongs to, in words; `value` is what is there. */
export interface RepairDetails {
  readonly key: string;
  readonly owner: string;
  readonly value?: unknown;
}

/** The assumption behind each repair. Texts name no place, so that one repair at many places prints one line. */
export const REPAIRS = {
  null: ({ key, owner }) => `\`${key}\` of ${owner} is null. It is read as left out.`,
  'number-for-text': ({ key, owner, value }) => `\`${key}\` of ${owner} is the number ${value}. It is read as text.`,
  'text-for-flag': ({ key, owner, value }) => `\`${key}\` of ${owner} is the text "${value}". It is read as ${value}.`,
  'one-for-list': ({ key, owner }) => `\`${key}\` of ${owner} is one object. It is read as a list of one.`,
  'wrong-note': ({ key, owner, value }) => `\`${key}\` of ${owner} is ${describeValue(value)}. It is left out.`,
  'unknown-key': ({ key, owner }) => `OpenAPI has no \`${key}\` in ${owner}. It is ignored.`,
  'reference-siblings': ({ key, owner }) => `\`${key}\` stands next to the \`$ref\` of ${owner}. It is ignored.`,
  'reference-for-many': ({ key, owner }) =>
    `\`${key}\` of ${owner} is a \`$ref\`. It is read as references to all members of what it leads to.`,
  'reference-for-properties': () =>
    '`properties` of a schema is a `$ref` to a schema. It is read as all of that schema (`allOf`).',
  'reference-for-operation': () => 'An operation is a `$ref`. It is read as what the reference leads to.',
  'reference-lost': ({ key }) =>
    `The optional member \`${key}\` refers to a schema that cannot be found. It is read as one that accepts anything.`,
  'dynamic-reference': ({ value }) => `The dynamic reference ${value} has one target. It is read as a \`$ref\` to it.`,
  'schema-none': ({ value }) => `A schema is ${describeValue(value)}. It is read as one that accepts anything.`,
  'enum-texts': () => NUMBERS_AS_TEXT,
  'enum-numbers': () => 'A schema for numbers lists texts under `enum`. They are read as numbers.',
  'enum-type': ({ value }) =>
    `A schema has the type ${describeValue(value)}, and none of the values under \`enum\` is of it. The type is left out.`,
  'path-required': ({ value }) =>
    `A path parameter ${value === undefined ? 'does not say' : 'denies'} that it is required. It is read as required.`,
  'path-dollar': () => 'A path has `$` before a parameter, as code writes it. It is read without.',
  'path-notation': ({ value }) =>
    `The path ${value} does not write its parameters in braces. They are read as parameters.`,
  'path-parameter-missing': ({ key }) => `An operation does not declare {${key}} of its path. It is read as a text.`,
  'path-parameter-renamed': ({ key, value }) =>
    `An operation declares the path parameter ${value}, and its path has {${key}}. It is read as that one.`,
  'parameter-repeated': () => 'A list of parameters declares one of them twice. The first is read.',
  'path-literal': ({ value }) =>
    `A path has the segment ${value}, which may stand for a parameter. It is sent as it is.`,
  'path-slash': () => 'A path does not begin with a slash. It is read as if it did.',
  'parameter-type': () => 'A parameter describes its type itself. That is read as its `schema`.',
  'method-name': ({ key }) =>
    `\`additionalOperations\` of a path holds ${describeValue(key)}, which is no method, or has a key of its own. It is ignored.`,
} as const satisfies Record<string, (repaired: RepairDetails) => string>;

export type Repair = keyof typeof REPAIRS;

/** Schema keywords that Swagger 2.0 puts on the parameter itself. */
const TYPE_KEYWORDS =
  'type format enum default items pattern minimum maximum minLength maxLength minItems maxItems'.split(' ');

/**
 * The schema in the own keys of a parameter that has no `schema`, or null. Lists in the style of Swagger 2.0 are not
 * repaired.
 */
export function toOwnSchema(parameter: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  if (parameter.schema !== undefined || parameter.content !== undefined || typeof parameter.type !== 'string')
    return null;
  if (parameter.type === 'file' || parameter.collectionFormat !== undefined) return null;
  return Object.fromEntries(
    TYPE_KEYWORDS.flatMap((key) => (Object.hasOwn(parameter, key) ? [[key, parameter[key]]] : [])),
  );
}

/** `null`, `an object`, `a list`, `"text"`. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
