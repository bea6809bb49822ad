/** Builds the arguments of an example call of a tool. */

import type { Arguments } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/hand-written.ts';
import { isSchema } from '../json/schema-walk.ts';
import { findBrokenRule } from './argument-rules.ts';
import { exampleOf } from './example.ts';

/** Returns the schema's own example, or generated values for required arguments that agree where they must. */
export function exampleArguments(tool: AnyTool): Arguments {
  const made = exampleOf(tool.inputSchema, tool.inputSchema);
  const args: Arguments = isSchema(made) ? made : {};
  const broken = findBrokenRule(tool, args);
  return broken === null || broken.example === undefined ? args : { ...args, [broken.argument]: broken.example };
}
