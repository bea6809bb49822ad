/** From what a client sent to arguments that are safe to send on: validated, healed, checked. */

import type { Arguments } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/hand-written.ts';
import type { Validator } from '../json/validate.ts';
import { describeArgumentErrors, describeBrokenRule } from './argument-errors.ts';
import { heal, holdsUnsafeInteger } from './heal.ts';
import { type BrokenRule, findDisagreement, findUnsafePathArgument } from './path-arguments.ts';

/** Arguments that may be sent, or a text that says what is wrong with them. */
export type PreparedArguments =
  | { readonly ok: true; readonly args: Arguments }
  | { readonly ok: false; readonly text: string };

const UNSAFE_INTEGER =
  'holds a whole number beyond 9007199254740991, which has lost digits on its way. Numbers that large cannot be sent.';

/** Checks in this order: schema (healing where it refuses), numbers, path arguments, agreements. */
export function prepareArguments(tool: AnyTool, given: Arguments, validator: Validator): PreparedArguments {
  const args = validator.accepts(given) ? given : heal(tool.inputSchema, given, validator);
  const problems = validator.problems(args);
  if (problems.length > 0) return { ok: false, text: describeArgumentErrors(tool, args, problems, validator) };
  const broken = findUnsafeInteger(args) ?? findUnsafePathArgument(tool, args) ?? findDisagreement(tool, args);
  return broken === null ? { ok: true, args } : { ok: false, text: describeBrokenRule(tool, args, broken, validator) };
}

function findUnsafeInteger(args: Arguments): BrokenRule | null {
  const found = Object.entries(args).find(([, value]) => holdsUnsafeInteger(value));
  return found === undefined ? null : { argument: found[0], text: `"${found[0]}" ${UNSAFE_INTEGER}` };
}
