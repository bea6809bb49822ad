/** Corrects common mistakes of models in arguments, where the schema leaves no doubt about the meaning. */

import type { JsonSchema, ObjectSchema } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import {
  allowsType,
  findPlace,
  parseJson,
  readPointer,
  removeAll,
  replaceAt,
  resolve,
  type SchemaPlace,
  typeName,
} from '../json.ts';
import type { ErrorObject, Validator } from '../validate.ts';

const MAX_CHANGES = 50;

/** Corrected arguments. */
interface HealedArguments {
  readonly args: Arguments;
  /** Exact digits of integers that `args` holds only approximately, by pointer. */
  readonly digits: ReadonlyMap<string, string>;
}

/**
 * Corrects arguments that the schema refuses; accepted ones are returned unchanged.
 *
 * - `null` and `''` are dropped where the schema refuses them and does not require a value.
 * - A value of the wrong type is replaced by its only possible reading (`readingsOf`).
 *
 * Only declared places are changed, never the inside of a free-form object, whose content is the user's.
 */
export function heal(schema: ObjectSchema, args: Arguments, validator: Validator): HealedArguments {
  const digits = new Map<string, string>();
  let current = args;
  let problems = validator.problems(current);
  for (let change = 0; change < MAX_CHANGES && problems.length > 0; change += 1) {
    const healed = healOne(schema, current, problems, validator);
    if (healed === null) break;
    current = healed.args;
    problems = healed.problems;
    if (healed.digits !== undefined) digits.set(healed.pointer, healed.digits);
  }
  return { args: current, digits };
}

interface Healed {
  readonly args: Arguments;
  readonly problems: readonly ErrorObject[];
  readonly pointer: string;
  readonly digits: string | undefined;
}

function healOne(
  schema: ObjectSchema,
  args: Arguments,
  problems: readonly ErrorObject[],
  validator: Validator,
): Healed | null {
  const places = new Set(problems.map((problem) => problem.instancePath));
  for (const pointer of places) {
    for (const { candidate, mustFit, digits } of candidatesAt(schema, args, pointer)) {
      const remaining = validator.problems(candidate);
      const elsewhere = countElsewhere(remaining, pointer);
      if (elsewhere > countElsewhere(problems, pointer) || (mustFit && remaining.length > elsewhere)) continue;
      return { args: candidate as Arguments, problems: remaining, pointer, digits };
    }
  }
  return null;
}

interface Candidate extends Omit<Reading, 'value'> {
  readonly candidate: unknown;
}

function candidatesAt(schema: ObjectSchema, args: Arguments, pointer: string): readonly Candidate[] {
  const place = pointer === '' ? null : findPlace(schema, pointer);
  if (place === null) return [];
  const value = readPointer(args, pointer);
  if ((value === null || value === '') && place.optional) {
    return [{ candidate: removeAll(args, [pointer]), mustFit: false }];
  }
  return readingsOf(schema, place, value).map(({ value: read, ...reading }) => ({
    ...reading,
    candidate: replaceAt(args, pointer, read),
  }));
}

function countElsewhere(problems: readonly ErrorObject[], pointer: string): number {
  return problems.filter(({ instancePath }) => instancePath !== pointer && !instancePath.startsWith(`${pointer}/`))
    .length;
}

/** A replacement value for a place. */
interface Reading {
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
function readingsOf(root: ObjectSchema, place: SchemaPlace, value: unknown): readonly Reading[] {
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
  const value = parseJson(text);
  return holdsUnsafeInteger(value) ? undefined : value;
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
