/** Possible meanings of a value of the wrong type, where the schema of its place allows only one. */

import type { JsonSchema, ObjectSchema } from '../../../contract/index.ts';
import { allowsType, resolve, type SchemaPlace, typeName } from '../json/schema-walk.ts';

/** A replacement value for a place. */
export interface Reading {
  readonly value: unknown;
  /** True: the place must be valid with it. False: the right type is enough, and the error then names the bound. */
  readonly mustFit: boolean;
  /** The digits of an integer that a JavaScript number cannot hold; `value` is an approximation. */
  readonly digits?: string;
}

/** An integer in JSON syntax. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

/**
 * Returns the readings of a refused value, likeliest first.
 *
 * - Text where no text is allowed: the JSON in it, including an integer over 53 bits.
 * - Refused text where an object or array is allowed: the JSON in it.
 * - A number or boolean where only text is allowed: its text.
 * - A list where the text is comma-separated (`contentMediaType: text/csv`): its values, joined.
 * - An object or list where the text is JSON (`contentMediaType: application/json`): its JSON.
 * - A single value where only a list is allowed: a list of that value.
 */
export function readingsOf(root: ObjectSchema, place: SchemaPlace, value: unknown): readonly Reading[] {
  const allows = (type: string) => place.schemas.some((schema) => allowsType(root, schema, type));
  const readings = typeof value === 'string' ? readText(value, allows) : readOther(root, place, value, allows);
  if (Array.isArray(value) || !allows('array') || allows(typeName(value))) return readings;
  const read = typeof value === 'string' ? readExactly(value) : undefined;
  return [...readings, ...[value, read].map((one) => ({ value: [one], mustFit: true }))];
}

type Allows = (type: string) => boolean;

function readText(text: string, allows: Allows): readonly Reading[] {
  const allowsText = allows('string');
  if (!allowsText && WHOLE_NUMBER.test(text) && !Number.isSafeInteger(Number(text))) {
    return allows('integer') ? [{ value: Number(text), mustFit: false, digits: text }] : [];
  }
  const read = readExactly(text);
  if (read === undefined) return [];
  const type = typeName(read);
  if (allowsText) return type === 'object' || type === 'array' ? [{ value: read, mustFit: true }] : [];
  return allows(type) || (type === 'integer' && allows('number')) ? [{ value: read, mustFit: false }] : [];
}

function readOther(root: ObjectSchema, place: SchemaPlace, value: unknown, allows: Allows): readonly Reading[] {
  if (!allows('string')) return [];
  const isText = (type: string) =>
    place.schemas.some((schema: JsonSchema) => resolve(root, schema).contentMediaType === type);
  if (isScalar(value)) return allows(typeName(value)) ? [] : [{ value: String(value), mustFit: false }];
  if (typeof value !== 'object' || value === null || holdsUnsafeInteger(value)) return [];
  if (isText('application/json')) return [{ value: JSON.stringify(value), mustFit: false }];
  if (!isText('text/csv') || !Array.isArray(value) || value.length === 0) return [];
  const texts = value.map(String);
  const isPlain = value.every((one) => isScalar(one) || typeof one === 'string') && !/[",\n]/.test(texts.join(''));
  return isPlain ? [{ value: texts.join(','), mustFit: false }] : [];
}

function isScalar(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'number' && !holdsUnsafeInteger(value));
}

/** Parses JSON in a string, unless a number would lose digits. */
function readExactly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return holdsUnsafeInteger(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether the value contains an integer that is too large to be exact (over 2^53 - 1). */
export function holdsUnsafeInteger(value: unknown): boolean {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node === 'number' && Number.isInteger(node) && !Number.isSafeInteger(node)) return true;
    if (typeof node === 'object' && node !== null) for (const member of Object.values(node)) stack.push(member);
  }
  return false;
}
