/** The cost of tools to a model: tokens of their entries in `tools/list`. */

import { asCompact } from '../../shared/search/compact.ts';
import { asLean } from '../../shared/search/lean.ts';
import type { ToolModel } from '../tools/types.ts';

/** The part of a tool that `tools/list` returns. */
export type ToolEntry = Pick<ToolModel, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'rare'> & {
  readonly annotations: object;
};

/** Tokens of a tool's entry in a list, by catalogue mode. */
export interface ToolSize {
  readonly lean: number;
  readonly full: number;
  readonly compact: number;
}

/** Tokens of a value as JSON. */
export type CountTokens = (value: unknown) => number;

/** Counts with o200k_base. The encoder is imported on first use, because it takes a quarter of a second to load. */
export async function createTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const plainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return (value) => countTokens(JSON.stringify(value), plainText);
}

/** Sizes tools with `createTokenCounter`. The cost of a list is the sum of its tools. */
export async function createToolSizer(): Promise<(tool: ToolEntry) => ToolSize> {
  const count = await createTokenCounter();
  const countEntry = ({ name, title, description, inputSchema, annotations }: ToolEntry, outputSchema?: object) =>
    count({ name, title, description, inputSchema, outputSchema, annotations });
  return (tool) => ({
    lean: countEntry(asLean(tool)),
    get full() {
      return countEntry(tool, tool.outputSchema);
    },
    get compact() {
      return countEntry(asCompact(tool));
    },
  });
}
