/** Describes the requirements of a schema in words. */

import { allowsType, branches, isSchema, resolve } from '../../../call/tools/json.ts';
import type { JsonSchema } from '../../../contract/index.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
/** Maximum depth of nested arrays. */
const MAX_DEPTH = 4;
const MAX_VALUES = 30;
const MAX_VALUE_LENGTH = 80;

/** One member of an object. */
export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** Lists the members that a schema names, required members first. For an array, these are the members of its elements. */
export function membersOf(root: JsonSchema, schema: JsonSchema, depth = 0): readonly Member[] {
  const object = branches(root, schema).find(({ properties }) => isSchema(properties));
  const elements = object === undefined ? elementsOf(root, schema) : undefined;
  if (elements !== undefined) return depth < MAX_DEPTH ? membersOf(root, elements, depth + 1) : [];
  const { properties, required } = object ?? {};
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(isSchema(properties) ? properties : {}).map(([name, member]) => ({
    name,
    schema: resolve(root, isSchema(member) ? member : {}),
    isRequired: names.includes(name),
  }));
  return members.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** Returns the types of a value: `string`, `integer or null`, `array of objects`, or `any`. */
export function typeOf(root: JsonSchema, schema: JsonSchema): string {
  const types = TYPES.filter((type) => allowsType(root, schema, type));
  if (types.length === TYPES.length) return 'any';
  const distinctTypes = types.filter((type) => type !== 'integer' || !types.includes('number'));
  return distinctTypes.map((type) => (type === 'array' ? arrayOf(root, schema) : type)).join(' or ') || 'nothing';
}

function arrayOf(root: JsonSchema, schema: JsonSchema): string {
  const items = elementsOf(root, schema) ?? {};
  const types = TYPES.filter((type) => allowsType(root, items, type));
  return types.length === 1 ? `array of ${types[0]}s` : 'array';
}

function elementsOf(root: JsonSchema, schema: JsonSchema): JsonSchema | undefined {
  return branches(root, schema)
    .map(({ items }) => items)
    .find(isSchema);
}

/** Keywords that have a phrase, in the order of the phrases. */
const PHRASES: Readonly<Record<string, (value: string) => string>> = {
  format: (name) => `format ${name}`,
  contentEncoding: (name) => `a file as ${name}`,
  minimum: (least) => `at least ${least}`,
  exclusiveMinimum: (bound) => `more than ${bound}`,
  maximum: (most) => `at most ${most}`,
  exclusiveMaximum: (bound) => `less than ${bound}`,
  multipleOf: (step) => `a multiple of ${step}`,
  minLength: (least) => (least === '1' ? 'not empty' : `at least ${least} characters`),
  maxLength: (most) => `at most ${most} ${most === '1' ? 'character' : 'characters'}`,
  minItems: (least) => (least === '1' ? 'not empty' : `at least ${least} elements`),
  maxItems: (most) => `at most ${most} ${most === '1' ? 'element' : 'elements'}`,
};

/** Returns the rules for a value in addition to its type, one phrase each. */
export function limitsOf(schema: JsonSchema): readonly string[] {
  const limits = [...valuesOf(schema)];
  if ('const' in schema) limits.push(`always ${toJsonText(schema.const)}`);
  for (const [keyword, phrase] of Object.entries(PHRASES)) {
    const value = schema[keyword];
    if (typeof value === 'number' || typeof value === 'string') limits.push(phrase(String(value)));
  }
  if (schema.uniqueItems === true) limits.push('each element once');
  if (schema.default !== undefined) limits.push(`default ${toJsonText(schema.default)}`);
  // A list of values needs no example.
  const { examples, enum: values } = schema;
  if (Array.isArray(examples) && examples.length > 0 && !Array.isArray(values)) {
    limits.push(`for example ${toJsonText(examples[0])}`);
  }
  return limits;
}

function valuesOf({ enum: values }: JsonSchema): readonly string[] {
  if (!Array.isArray(values)) return [];
  const listedValues = values.slice(0, MAX_VALUES).map(toJsonText).join(', ');
  return [
    values.length > MAX_VALUES
      ? `one of ${listedValues} and ${values.length - MAX_VALUES} more`
      : `one of ${listedValues}`,
  ];
}

function toJsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
