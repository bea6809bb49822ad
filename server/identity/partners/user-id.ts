/** A partner's name for a user, its `user_id`: the rule for every place that accepts one. */

import { hasControlCharacter } from '../protocol/form.ts';

/** Longest `user_id`, in UTF-16 code units. */
export const MAX_USER_ID_LENGTH = 512;

/** True for 1 to 512 characters without control characters and lone surrogates. */
export function isUserId(text: string): boolean {
  return text !== '' && text.length <= MAX_USER_ID_LENGTH && text.isWellFormed() && !hasControlCharacter(text);
}
