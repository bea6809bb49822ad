/** A partner's name for a user, its `user_id`: the rule for every place that accepts one. */

import { hasControlCharacter } from '../protocol/form.ts';

/** Longest `user_id`, in UTF-16 code units. */
export const MAX_USER_ID_LENGTH = 512;

/** End of the error's sentence, after the name of the parameter. */
export const USER_ID_RULE = `must be 1 to ${MAX_USER_ID_LENGTH} characters without control characters, and neither "." nor ".."`;

/**
 * True for 1 to 512 characters without control characters and lone surrogates. The paths of the partner API hold a `user_id`: dots alone
 * would lead to another path, encoded or not (WHATWG URL, "double-dot URL path segment").
 */
export function isUserId(text: string): boolean {
  const isLength = text !== '' && text.length <= MAX_USER_ID_LENGTH;
  return isLength && text.isWellFormed() && !hasControlCharacter(text) && text !== '.' && text !== '..';
}
