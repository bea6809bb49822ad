/** Stage `arguments`: validates arguments, and corrects common mistakes. */

import type { ToolFace } from '../../../contract/index.ts';
import { prepareArguments } from '../arguments/prepare.ts';
import { type AnyTool, isHandWritten } from '../catalogue/hand-written.ts';
import { splitArguments } from '../fitting/asked.ts';
import { findUnknownField } from '../fitting/fields.ts';
import { openResume } from '../fitting/resume.ts';
import { isSchema } from '../json/schema-walk.ts';
import { withFirstPage } from '../paging/page-size.ts';
import type { UpstreamDependencies, UpstreamUse } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** Replaces the arguments by those to send, including pinned ones. */
export function checkArguments(call: UpstreamUse<AnyTool>, deps: UpstreamDependencies): Ending | null {
  const { validators } = deps;
  const { arguments: given, pins } = call;
  const { tool } = call.entry;
  const pinned = Object.keys(pins).filter((name) => takes(tool, name));
  const contradicted = pinned.find((name) => Object.hasOwn(given, name) && given[name] !== pins[name]);
  if (contradicted !== undefined) return refuse('not_allowed', { message: fixedArgument(contradicted) });
  const args =
    pinned.length === 0 ? given : { ...given, ...Object.fromEntries(pinned.map((name) => [name, pins[name]])) };
  const prepared = prepareArguments(tool, args, validators(tool.inputSchema));
  if (!prepared.ok) return refuse('invalid_arguments', { message: prepared.text });
  const { args: sent, asked } = splitArguments(tool, prepared.args);
  call.asked = asked;
  call.arguments =
    asked.maxItems === null || isHandWritten(tool) ? sent : withFirstPage(tool, sent, asked.maxItems, pins);
  const unknown = asked.fields === null ? null : findUnknownField(tool.outputSchema, asked.fields);
  if (unknown !== null)
    return refuse('invalid_arguments', { message: `The arguments of ${tool.name} are not valid: ${unknown}` });
  return asked.resume === null ? null : checkResume(call, deps);
}

/** Opens the handle, which is valid for this reader, tool and arguments, and for ten minutes. */
function checkResume(call: UpstreamUse<AnyTool>, { resumes, now }: UpstreamDependencies): Ending | null {
  const { entry, reader, asked } = call;
  const { tool } = entry;
  const point =
    resumes === undefined || reader === undefined || asked === undefined
      ? null
      : openResume(resumes, { reader: reader.id, limit: reader.limit, tool, asked }, now());
  if (point === null) {
    return refuse('invalid_arguments', {
      message: '"resume" is older than ten minutes, or belongs to another call.',
      advice: 'Use all of page.nextArguments from the previous answer, or call again without "resume".',
    });
  }
  call.resumed = point;
  return null;
}

/** A hand-written tool may lack an argument that is pinned for the tools it uses. */
function takes({ inputSchema }: ToolFace, argument: string): boolean {
  return isSchema(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}

function fixedArgument(name: string): string {
  return `"${name}" is fixed for this client: leave it out.`;
}
