/** What a tool costs a model: tokens of its entry in `tools/list`. */

import type { ToolModel } from '../tools/types.ts';

/** What a model reads of a tool. */
type Published = Pick<ToolModel, 'name' | 'title' | 'description' | 'inputSchema' | 'annotations' | 'outputSchema'>;

export interface ToolSize {
  /** Tokens of name, title, description, input schema and annotations. */
  readonly input: number;
  /** Tokens of the output schema, which not every client hands to its model. */
  readonly output: number;
}

/** Counts with o200k_base. The encoder is imported on first use, because it takes a quarter of a second to load. */
export async function createToolSizer(): Promise<(tool: Published) => ToolSize> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const plainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  const count = (value: unknown) => countTokens(JSON.stringify(value), plainText);
  const outputs = new Map<string, number>();
  const countOutput = (outputSchema: unknown) => {
    const text = JSON.stringify({ outputSchema });
    const known = outputs.get(text) ?? countTokens(text, plainText);
    outputs.set(text, known);
    return known;
  };
  return ({ name, title, description, inputSchema, annotations, outputSchema }) => ({
    input: count({ name, title, description, inputSchema, annotations }),
    output: countOutput(outputSchema),
  });
}
