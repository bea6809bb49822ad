/** Stage `arguments`: valid ones, with well-known mistakes healed. */

import { prepareArguments } from '../arguments/prepare.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** Replaces the arguments by those that are sent on. */
export function checkArguments(call: UpstreamUse, { validators }: UpstreamDependencies): Ending | null {
  const { tool } = call.entry;
  const prepared = prepareArguments(tool, call.arguments, validators(tool.inputSchema));
  if (!prepared.ok) return refuse('invalid_arguments', { message: prepared.text });
  call.arguments = prepared.args;
  return null;
}
