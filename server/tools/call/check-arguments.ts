/** Stage `arguments`: valid ones, with well-known mistakes healed. */

import type { ToolFace } from '../../contract/index.ts';
import { prepareArguments } from '../arguments/prepare.ts';
import type { AnyTool } from '../catalogue/hand-written.ts';
import { isSchema } from '../json/schema-walk.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** Replaces the arguments by those that are sent on, with the pinned ones among them. */
export function checkArguments(call: UpstreamUse<AnyTool>, { validators }: UpstreamDependencies): Ending | null {
  const { arguments: given, pins } = call;
  const { tool } = call.entry;
  const pinned = Object.keys(pins).filter((name) => takes(tool, name));
  const contradicted = pinned.find((name) => Object.hasOwn(given, name) && given[name] !== pins[name]);
  if (contradicted !== undefined) return refuse('not_allowed', { message: fixedArgument(contradicted) });
  const args =
    pinned.length === 0 ? given : { ...given, ...Object.fromEntries(pinned.map((name) => [name, pins[name]])) };
  const prepared = prepareArguments(tool, args, validators(tool.inputSchema));
  if (!prepared.ok) return refuse('invalid_arguments', { message: prepared.text });
  call.arguments = prepared.args;
  return null;
}

/** A hand-written tool may lack an argument that is fixed for the tools that it uses. */
function takes({ inputSchema }: ToolFace, argument: string): boolean {
  return isSchema(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}

function fixedArgument(name: string): string {
  return `"${name}" is fixed for this client and cannot be another: leave it out.`;
}
