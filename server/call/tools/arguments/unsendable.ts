/** Explains which argument a request cannot carry although its schema allows the value. */

import type { CannotSendError } from '../../upstream/index.ts';
import type { Validator } from '../json/validate.ts';
import { type ExplainedError, explain } from '../results/errors.ts';
import type { CalledTool } from '../results/upstream-errors.ts';
import { describeBrokenRule } from './argument-errors.ts';

/** Explains a call that failed before anything was sent, with an example if one argument is the cause. */
export function explainUnsendable(
  { tool, args }: CalledTool,
  { argument, message: text }: CannotSendError,
  validator: Validator,
): ExplainedError {
  if (argument !== null) {
    return explain('invalid_arguments', { message: describeBrokenRule(tool, args, { argument, text }, validator) });
  }
  const message = `The arguments of ${tool.name} cannot be sent. ${text}`;
  return explain('invalid_arguments', { message, advice: 'Correct the arguments, then call again.' });
}
