/** Rule: only the program that began the request can finish it (PKCE). */

import { readParameter, refuse } from './parameters.ts';

/** SHA-256 as base64url without padding (RFC 7636 §4.2): no other text can match a code verifier. */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Requires a `code_challenge` of method S256, from every client (RFC 9700 §2.1.1). A missing method means `plain` (RFC
 * 7636 §4.3), which is refused.
 *
 * @returns the challenge.
 * @throws {OAuthError} `invalid_request` (RFC 7636 §4.4.1).
 */
export function checkCodeChallenge(parameters: URLSearchParams): string {
  const challenge = readParameter(parameters, 'code_challenge');
  if (challenge === null) throw refuse('invalid_request', 'code_challenge is missing: PKCE is required.');
  if (readParameter(parameters, 'code_challenge_method') !== 'S256') {
    throw refuse('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!CODE_CHALLENGE.test(challenge)) {
    throw refuse('invalid_request', 'code_challenge is not the base64url form of a SHA-256 hash.');
  }
  return challenge;
}
