/** Rule: the client's `state` can be returned unchanged. */

import { readParameter, refuse } from './parameters.ts';

const MAX_STATE_LENGTH = 4096;

/** RFC 6749 appendix A.5. */
const STATE = /^[\x20-\x7e]+$/;

/** The `state` to return, or null when there is none or it cannot be returned. */
export function readState(parameters: URLSearchParams): string | null {
  const state = readParameter(parameters, 'state');
  return state !== null && state.length <= MAX_STATE_LENGTH && STATE.test(state) ? state : null;
}

/**
 * Accepts a `state` of printable ASCII characters, at most 4,096 of them, or none.
 *
 * @throws {OAuthError} `invalid_request`.
 */
export function checkState(parameters: URLSearchParams): string | null {
  const state = readState(parameters);
  if (state === null && readParameter(parameters, 'state') !== null) {
    throw refuse('invalid_request', `state is not 1 to ${MAX_STATE_LENGTH} printable ASCII characters.`);
  }
  return state;
}
