/** What a text costs a model, estimated from its bytes: no tokenizer runs while a call waits. */

/** Answers in JSON have 2.5 to 3.3 bytes a token (o200k_base, measured); lists of ids alone have 1.8. */
const BYTES_PER_TOKEN = 2.5;

/** Lists of tools are English and repeated keywords: 4.2 for the 64 tools, 4.3 for GitHub's (o200k_base, measured). */
const LIST_BYTES_PER_TOKEN = 4.2;

/** Of a result, where no one says another number: well-known clients refuse more than 25,000. */
export const DEFAULT_RESULT_TOKENS = 20_000;

/** Less room holds no notice about what is missing. */
const MIN_RESULT_TOKENS = 1000;

/** Tokens of a text in UTF-8. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Tokens of a list of tools, as JSON in UTF-8. */
export function estimateListTokensOf(bytes: number): number {
  return Math.ceil(bytes / LIST_BYTES_PER_TOKEN);
}

/** Bytes of text that a result may have. @param tokens a limit; a lower one than 1,000 counts as 1,000. */
export function toByteLimit(tokens: number): number {
  return Math.floor(Math.max(tokens, MIN_RESULT_TOKENS) * BYTES_PER_TOKEN);
}
