/** The cost of tools to a model: tokens of their entries in `tools/list`. */

import { asCompact } from '../../shared/search/compact.ts';
import type { ToolModel } from '../tools/types.ts';

/** The part of a tool that `tools/list` returns. */
export type ToolEntry = Pick<ToolModel, 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema'> & {
  readonly annotations: object;
};

export interface ToolSize {
  /** Tokens of name, title, description, input schema and annotations. */
  readonly input: number;
  /** Tokens of the output schema, which not every client passes to its model. */
  readonly output: number;
  /** Tokens of its entry in a list in the catalogue mode `compact`. */
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

/** Sizes tools with `createTokenCounter`. The cost of a list is the sum of both sizes of its tools. */
export async function createToolSizer(): Promise<(tool: ToolEntry) => ToolSize> {
  const count = await createTokenCounter();
  const outputs = new Map<string, number>();
  const countOutput = (outputSchema: unknown) => {
    const text = JSON.stringify(outputSchema);
    const tokens = outputs.get(text) ?? count({ outputSchema });
    outputs.set(text, tokens);
    return tokens;
  };
  const countFace = ({ name, title, description, inputSchema, annotations }: ToolEntry) =>
    count({ name, title, description, inputSchema, annotations });
  return (tool) => ({
    input: countFace(tool),
    output: countOutput(tool.outputSchema),
    get compact() {
      return countFace(asCompact(tool));
    },
  });
}
