/** Turns a client's arguments into arguments that are safe to send: validated, corrected, checked. */

import type { Arguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/hand-written.ts';
import { toRawNumber } from '../json/exact-json.ts';
import { parsePointer, replaceAt } from '../json/pointer.ts';
import type { Validator } from '../json/validate.ts';
import { describeArgumentErrors, describeBrokenRule } from './argument-errors.ts';
import { type BrokenRule, findBrokenRule } from './argument-rules.ts';
import { heal } from './heal.ts';
import { holdsUnsafeInteger } from './readings.ts';

/** Arguments that may be sent, or a text that says what is wrong. */
export type PreparedArguments =
  | { readonly ok: true; readonly args: Arguments }
  | { readonly ok: false; readonly text: string };

const UNSAFE_INTEGER =
  'contains a whole number beyond 9007199254740991, which has lost digits in transit. Send it as a string with all its digits.';

const NO_DIGITS: ReadonlyMap<string, string> = new Map();

/** Checks, in this order: schema (correcting refused values), numbers, and the rules that no schema expresses. */
export function prepareArguments(tool: AnyTool, given: Arguments, validator: Validator): PreparedArguments {
  const healed = validator.accepts(given)
    ? { args: given, digits: NO_DIGITS }
    : heal(tool.inputSchema, given, validator);
  const { args } = healed;
  const problems = validator.problems(args);
  if (problems.length > 0) return { ok: false, text: describeArgumentErrors(tool, args, problems, validator) };
  const exact = withDigits(tool, healed.args, healed.digits);
  const broken = findUnsafeInteger(exact) ?? findBrokenRule(tool, args);
  return broken === null
    ? { ok: true, args: exact }
    : { ok: false, text: describeBrokenRule(tool, args, broken, validator) };
}

/** Restores all digits of numbers over 53 bits: as raw numbers in a JSON body, else as text. */
function withDigits(tool: AnyTool, args: Arguments, digits: ReadonlyMap<string, string>): Arguments {
  let exact = args;
  for (const [pointer, text] of digits) {
    const [argument = ''] = parsePointer(pointer);
    exact = replaceAt(exact, pointer, isInJson(tool, argument) ? toRawNumber(text) : text) as Arguments;
  }
  return exact;
}

function isInJson(tool: AnyTool, argument: string): boolean {
  if (isHandWritten(tool)) return false;
  const { body } = tool.request;
  if (body === undefined || body.as !== undefined) return false;
  if (!('members' in body)) return 'argument' in body && body.argument === argument;
  return Object.values(body.members).some(
    (binding) =>
      binding === argument || (typeof binding === 'object' && 'argument' in binding && binding.argument === argument),
  );
}

function findUnsafeInteger(args: Arguments): BrokenRule | null {
  const found = Object.entries(args).find(([, value]) => holdsUnsafeInteger(value));
  return found === undefined ? null : { argument: found[0], text: `"${found[0]}" ${UNSAFE_INTEGER}` };
}
