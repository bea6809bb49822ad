/** Finds an example call that corrects a wrong one. */

import type { Arguments } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/hand-written.ts';
import { isSchema } from '../json/schema-walk.ts';
import type { Validator } from '../json/validate.ts';
import { findBrokenRule } from './argument-rules.ts';
import { exampleOf } from './example.ts';

/** Longer values from the caller are not repeated. */
const MAX_KEPT_LENGTH = 80;
const MAX_EXAMPLE_LENGTH = 1500;

/**
 * Returns one line with valid arguments, or no line if none could be built.
 *
 * It has the required arguments, the wrong ones with example values, and the caller's correct ones.
 */
export function findExample(tool: AnyTool, args: Arguments, wrong: readonly string[], validator: Validator): string[] {
  const { properties, required } = tool.inputSchema;
  if (!isSchema(properties)) return [];
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const keeps = (name: string): boolean =>
    !wrong.includes(name) && Object.hasOwn(args, name) && JSON.stringify(args[name]).length <= MAX_KEPT_LENGTH;
  const sample = (name: string): unknown => {
    const schema = properties[name];
    return isSchema(schema) ? exampleOf(tool.inputSchema, schema) : 'text';
  };

  const names = Object.keys(properties);
  const shown = names.filter((name) => needed.includes(name) || wrong.includes(name));
  const helpful = names
    .filter((name) => shown.includes(name) || keeps(name))
    .map((name) => [name, keeps(name) ? args[name] : sample(name)]);
  for (const entries of [helpful, shown.map((name) => [name, sample(name)])]) {
    const example: Arguments = Object.fromEntries(entries);
    const text = JSON.stringify(example);
    if (text.length <= MAX_EXAMPLE_LENGTH && isValid(tool, example, validator)) return [`Example: ${text}`];
  }
  return [];
}

function isValid(tool: AnyTool, example: Arguments, validator: Validator): boolean {
  if (!validator.accepts(example)) return false;
  return findBrokenRule(tool, example) === null;
}
