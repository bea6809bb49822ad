/** Corrects common mistakes of models in arguments, where the schema leaves no doubt about the meaning. */

import type { JsonSchema, ObjectSchema } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { parseArgument, roundNumbers, typeOfArgument, withDigits } from '../argument-numbers.ts';
import {
  allowsType,
  findSubschemas,
  rawNumber,
  readPointer,
  removeAll,
  replaceAt,
  resolve,
  type Subschemas,
} from '../json.ts';
import type { ErrorObject, Validator } from '../validate.ts';

const MAX_CHANGES = 50;

/** Corrected arguments. */
interface HealedArguments {
  readonly args: Arguments;
  /** Digits of the numbers that `args` holds only approximately, by pointer. */
  readonly digits: ReadonlyMap<string, string>;
}

/**
 * Corrects arguments that the schema refuses; accepted ones are returned unchanged.
 *
 * - `null` and `''` are dropped where the schema refuses them and does not require a value.
 * - A value of the wrong type is replaced by its only possible reading (`readingsOf`).
 *
 * Only declared places are changed, never the inside of a free-form object, whose content is the user's.
 *
 * @param knownDigits digits of the numbers that `args` holds only approximately, by pointer. Default: none.
 */
export function heal(
  args: Arguments,
  validator: Validator,
  knownDigits: ReadonlyMap<string, string> = new Map(),
): HealedArguments {
  const digits = new Map(knownDigits);
  let current = args;
  let problems = validator.problems(current, { digits });
  for (let change = 0; change < MAX_CHANGES && problems.length > 0; change += 1) {
    const healed = healOne({ args: current, digits }, problems, validator);
    if (healed === null) break;
    current = healed.args;
    problems = healed.problems;
    replaceDigits(digits, healed);
  }
  return { args: current, digits };
}

interface Healed {
  readonly args: Arguments;
  readonly problems: readonly ErrorObject[];
  readonly pointer: string;
  /** Digits of numbers by the rest of the pointer after `pointer`. */
  readonly digits: ReadonlyMap<string, string>;
}

function replaceDigits(digits: Map<string, string>, healed: Omit<Healed, 'args' | 'problems'>): void {
  for (const pointer of digits.keys()) {
    if (pointer === healed.pointer || pointer.startsWith(`${healed.pointer}/`)) digits.delete(pointer);
  }
  for (const [rest, text] of healed.digits) digits.set(healed.pointer + rest, text);
}

function healOne(
  { args, digits: knownDigits }: HealedArguments,
  problems: readonly ErrorObject[],
  validator: Validator,
): Healed | null {
  const pointers = new Set(problems.map((problem) => problem.instancePath));
  const exact = withDigits(args, knownDigits) as Arguments;
  for (const pointer of pointers) {
    for (const { candidate, mustFit, digits } of candidatesAt(validator.schema, { args, exact }, pointer)) {
      const changed = new Map(knownDigits);
      replaceDigits(changed, { pointer, digits });
      const remaining = validator.problems(candidate, { digits: changed });
      const elsewhere = countElsewhere(remaining, pointer);
      if (elsewhere > countElsewhere(problems, pointer) || (mustFit && remaining.length > elsewhere)) continue;
      return { args: candidate as Arguments, problems: remaining, pointer, digits };
    }
  }
  return null;
}

interface Candidate {
  readonly candidate: unknown;
  readonly mustFit: boolean;
  /** Digits of numbers by the rest of the pointer after that of the place. */
  readonly digits: ReadonlyMap<string, string>;
}

/** @param exact `args` with raw numbers. */
function candidatesAt(
  schema: ObjectSchema,
  { args, exact }: { readonly args: Arguments; readonly exact: Arguments },
  pointer: string,
): readonly Candidate[] {
  const schemaPlace = pointer === '' ? null : findSubschemas(schema, pointer);
  if (schemaPlace === null) return [];
  const value = readPointer(exact, pointer);
  if ((value === null || value === '') && schemaPlace.optional) {
    return [{ candidate: removeAll(args, [pointer]), mustFit: false, digits: new Map() }];
  }
  return readingsOf(schema, schemaPlace, value).map(({ value: newValue, mustFit }) => {
    const { rounded, digits } = roundNumbers(newValue);
    return { candidate: replaceAt(args, pointer, rounded), mustFit, digits };
  });
}

function countElsewhere(problems: readonly ErrorObject[], pointer: string): number {
  return problems.filter(({ instancePath }) => instancePath !== pointer && !instancePath.startsWith(`${pointer}/`))
    .length;
}

/** A replacement value for a place. */
interface Reading {
  /** Inexact numbers are raw. */
  readonly value: unknown;
  /** True: the place must be valid with it. False: the right type is enough, and the error then names the bound. */
  readonly mustFit: boolean;
}

/**
 * Returns the readings of a refused value, likeliest first.
 *
 * - Text where no text is allowed: the JSON in it, with all digits of its numbers.
 * - Refused text where an object or array is allowed: the JSON in it.
 * - A number or boolean where only text is allowed: its text.
 * - A list where the text is comma-separated (`contentMediaType: text/csv`): its values, joined.
 * - An object or list where the text is JSON (`contentMediaType: application/json`): its JSON.
 * - A single value where only a list is allowed: a list of that value.
 */
function readingsOf(root: ObjectSchema, schemaPlace: Subschemas, value: unknown): readonly Reading[] {
  const allows = (type: string) => schemaPlace.schemas.some((schema) => allowsType(root, schema, type));
  const readings = typeof value === 'string' ? readText(value, allows) : readOther(root, schemaPlace, value, allows);
  if (Array.isArray(value) || !allows('array') || allows(typeOfArgument(value))) return readings;
  const parsed = typeof value === 'string' ? parseArgument(value) : undefined;
  return [...readings, ...[value, parsed].map((item) => ({ value: [item], mustFit: true }))];
}

type Allows = (type: string) => boolean;

function readText(text: string, allows: Allows): readonly Reading[] {
  const parsed = parseArgument(text);
  if (parsed === undefined) return [];
  const type = typeOfArgument(parsed);
  if (allows('string')) return type === 'object' || type === 'array' ? [{ value: parsed, mustFit: true }] : [];
  return allows(type) || (type === 'integer' && allows('number')) ? [{ value: parsed, mustFit: false }] : [];
}

function readOther(root: ObjectSchema, schemaPlace: Subschemas, value: unknown, allows: Allows): readonly Reading[] {
  if (!allows('string')) return [];
  const isText = (type: string) =>
    schemaPlace.schemas.some((schema: JsonSchema) => resolve(root, schema).contentMediaType === type);
  if (isScalar(value)) return allows(typeOfArgument(value)) ? [] : [{ value: scalarText(value), mustFit: false }];
  if (typeof value !== 'object' || value === null) return [];
  if (isText('application/json')) return [{ value: JSON.stringify(value), mustFit: false }];
  if (!isText('text/csv') || !Array.isArray(value) || value.length === 0) return [];
  const texts = value.map(scalarText);
  const isPlain = value.every((item) => isScalar(item) || typeof item === 'string') && !/[",\n]/.test(texts.join(''));
  return isPlain ? [{ value: texts.join(','), mustFit: false }] : [];
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value === 'boolean' || rawNumber(value) !== undefined;
}

function scalarText(value: unknown): string {
  return rawNumber(value) ?? String(value);
}
