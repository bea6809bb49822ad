/** Estimates the tokens of a text from its bytes, so that no tokenizer runs during a call. */

/** JSON answers have 2.5 to 3.3 bytes per token (o200k_base, measured); pure lists of ids have 1.8. */
const BYTES_PER_TOKEN = 2.5;

/** Tool lists are English and repeated keywords: 4.2 for the 64 tools, 4.3 for GitHub's (o200k_base, measured). */
const LIST_BYTES_PER_TOKEN = 4.2;

/** Default limit of a result: well-known clients reject more than 25,000 tokens. */
export const DEFAULT_RESULT_TOKENS = 20_000;

/** A lower limit has no room for the notice about what is missing. */
const MIN_RESULT_TOKENS = 1000;

/** Estimates the tokens of a text in UTF-8. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Estimates the tokens of a tool list as JSON in UTF-8. */
export function estimateListTokensOf(bytes: number): number {
  return Math.ceil(bytes / LIST_BYTES_PER_TOKEN);
}

/** Converts a limit to bytes of text. @param tokens less than 1,000 counts as 1,000. */
export function toByteLimit(tokens: number): number {
  return Math.floor(Math.max(tokens, MIN_RESULT_TOKENS) * BYTES_PER_TOKEN);
}
