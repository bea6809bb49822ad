/** How refreshes are refused. */

import { OAuthError } from '../../protocol/error.ts';

const RETRY_AFTER_SECONDS = 1;

/**
 * `temporarily_unavailable`, status 400.
 *
 * The code of RFC 6749 §4.1.2.1, because clients treat `invalid_grant` as the end of their session, and drop the tokens that
 * a parallel request just got; after a 5xx, they send the user away to sign in.
 */
export function temporarilyUnavailable(): OAuthError {
  const description =
    'The refresh token is in use, or was used a moment ago. Continue with the tokens that the first request got.';
  return new OAuthError(400, 'temporarily_unavailable', description, {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
