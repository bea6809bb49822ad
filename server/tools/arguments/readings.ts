/** What a value of the wrong type can have been meant as, where the schema of its place allows one reading only. */

import type { JsonSchema, ObjectSchema } from '../../contract/index.ts';
import { allowsType, resolve, type SchemaPlace, typeName } from '../json/schema-walk.ts';

/** Another value for a place. */
export interface Reading {
  readonly value: unknown;
  /** The place must have no problem left with it. Else the right type is enough: the error then speaks of the bound. */
  readonly mustFit: boolean;
  /** A whole number that a JavaScript number cannot hold, as its digits; `value` is near it. */
  readonly digits?: string;
}

/** A whole number as JSON writes it. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

/**
 * The readings of a value that its place refuses, the likeliest first.
 *
 * - Text where none is allowed: JSON in it, also a whole number of more than 53 bits.
 * - Text that is refused where an object or array would do: JSON in it.
 * - A number or boolean where only text is allowed: the text of it.
 * - A list where a text is comma-separated (`contentMediaType: text/csv`): its values, joined.
 * - An object or list where a text is JSON (`contentMediaType: application/json`): its JSON.
 * - One value where only a list is allowed: a list of it.
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

/** Reads JSON in a string; not when a number would lose digits. */
function readExactly(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return holdsUnsafeInteger(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether a whole number in the value is too large to be exact (beyond 2^53 - 1). */
export function holdsUnsafeInteger(value: unknown): boolean {
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node === 'number' && Number.isInteger(node) && !Number.isSafeInteger(node)) return true;
    if (typeof node === 'object' && node !== null) for (const member of Object.values(node)) stack.push(member);
  }
  return false;
}
