/** The JSON of a result, where building it already made it. */

import type { CompleteToolResult } from '../provider.ts';

const texts = new WeakMap<CompleteToolResult, string>();

/** Keeps the JSON of a result for as long as the result lives. */
export function keepJson(result: CompleteToolResult, json: string): CompleteToolResult {
  texts.set(result, json);
  return result;
}

/** The JSON of a result: the kept text, or written now. */
export function toJson(result: CompleteToolResult): string {
  return texts.get(result) ?? JSON.stringify(result);
}
