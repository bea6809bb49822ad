/** Keeps the JSON of a result if building the result already produced it. */

import type { CompleteToolResult } from '../provider.ts';

const texts = new WeakMap<CompleteToolResult, string>();

/** Stores the JSON of a result for the lifetime of the result. */
export function keepJson(result: CompleteToolResult, json: string): CompleteToolResult {
  texts.set(result, json);
  return result;
}

/** Returns the stored JSON of a result, or serializes it now. */
export function toJson(result: CompleteToolResult): string {
  return texts.get(result) ?? JSON.stringify(result);
}
