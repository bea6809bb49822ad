/** The cost of tools to a model: tokens of their entries in `tools/list`. */

import { asLean } from '../../shared/search/lean.ts';
import type { ToolModel } from '../tools/types.ts';

/** The part of a tool that `tools/list` returns. */
export type ToolEntry = Pick<ToolModel, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'rare'> & {
  readonly annotations: object;
};

/** Tokens of a value as JSON. */
export type CountTokens = (value: unknown) => number;

/** Counts with o200k_base. The encoder is imported on first use, because it takes a quarter of a second to load. */
export async function createTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const plainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return (value) => countTokens(JSON.stringify(value), plainText);
}

/** Counts the tokens of a tool's entry in a list of the catalogue mode `lean`. The cost of a list is the sum of its tools. */
export async function createToolSizer(): Promise<(tool: ToolEntry) => number> {
  const count = await createTokenCounter();
  return (tool) => {
    const { name, title, description, inputSchema, annotations } = asLean(tool);
    return count({ name, title, description, inputSchema, annotations });
  };
}
