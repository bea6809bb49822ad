/** Mends arguments that models write wrong in well-known ways, where the schema leaves no doubt about what was meant. */

import type { ObjectSchema } from '../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { readPointer, removeAll, replaceAt } from '../json/pointer.ts';
import { allowsType, findPlace, type SchemaPlace, typeName } from '../json/schema-walk.ts';
import type { ErrorObject, Validator } from '../json/validate.ts';

const MAX_CHANGES = 50;

/**
 * Mends arguments that the schema refuses; accepted ones come back as they are.
 *
 * - A string where no string is allowed is read as JSON, and taken if it says something of an allowed type.
 * - `null` and `''` are dropped where the schema refuses them and can do without.
 *
 * Only declared places are touched, never the inside of a free-form object, whose words are the user's.
 */
export function heal(schema: ObjectSchema, args: Arguments, validator: Validator): Arguments {
  let current = args;
  let problems = validator.problems(current);
  for (let change = 0; change < MAX_CHANGES && problems.length > 0; change += 1) {
    const mended = healOne(schema, current, problems, validator);
    if (mended === null) return current;
    current = mended.args;
    problems = mended.problems;
  }
  return current;
}

interface Mended {
  readonly args: Arguments;
  readonly problems: readonly ErrorObject[];
}

function healOne(
  schema: ObjectSchema,
  args: Arguments,
  problems: readonly ErrorObject[],
  validator: Validator,
): Mended | null {
  const places = new Set(problems.map((problem) => problem.instancePath));
  for (const pointer of places) {
    if (pointer === '') continue;
    const place = findPlace(schema, pointer);
    if (place === null) continue;
    const candidate = mend(schema, place, args, pointer);
    if (candidate === undefined) continue;
    const remaining = validator.problems(candidate);
    if (countElsewhere(remaining, pointer) > countElsewhere(problems, pointer)) continue;
    return { args: candidate as Arguments, problems: remaining };
  }
  return null;
}

function mend(schema: ObjectSchema, place: SchemaPlace, args: Arguments, pointer: string): unknown {
  const value = readPointer(args, pointer);
  if ((value === null || value === '') && place.optional) return removeAll(args, [pointer]);
  if (typeof value !== 'string') return undefined;
  if (place.schemas.some((candidate) => allowsType(schema, candidate, 'string'))) return undefined;
  const read = readExactly(value);
  if (read === undefined) return undefined;
  // The right type is taken even where a bound is still broken: then the error speaks of the bound, not of the quotes.
  const fits = place.schemas.some((candidate) => typesOf(read).some((type) => allowsType(schema, candidate, type)));
  return fits ? replaceAt(args, pointer, read) : undefined;
}

function typesOf(value: unknown): string[] {
  const type = typeName(value);
  return type === 'integer' ? ['integer', 'number'] : [type];
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

function countElsewhere(problems: readonly ErrorObject[], pointer: string): number {
  return problems.filter(({ instancePath }) => instancePath !== pointer && !instancePath.startsWith(`${pointer}/`))
    .length;
}
