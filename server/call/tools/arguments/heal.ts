/** Corrects common mistakes of models in arguments, where the schema leaves no doubt about the meaning. */

import type { ObjectSchema } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { readPointer, removeAll, replaceAt } from '../json/pointer.ts';
import { findPlace } from '../json/schema-walk.ts';
import type { ErrorObject, Validator } from '../json/validate.ts';
import { type Reading, readingsOf } from './readings.ts';

const MAX_CHANGES = 50;

/** Corrected arguments. */
export interface HealedArguments {
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
