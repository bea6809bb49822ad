/** Rule: there is a state, and it can be returned unchanged. */

import { ConnectRefusal, readParameter } from './parameters.ts';

const MAX_STATE_LENGTH = 1024;

/** RFC 6749 appendix A.5. */
const STATE = /^[\x20-\x7e]+$/;

/** The `state` of the answer, or null when it is missing or cannot be returned. */
export function readState(parameters: URLSearchParams): string | null {
  const state = readParameter(parameters, 'state');
  return state !== null && state.length <= MAX_STATE_LENGTH && STATE.test(state) ? state : null;
}

/**
 * Accepts a `state` of 1 to 1,024 printable ASCII characters.
 *
 * It is required: it tells the partner that the browser that comes back is the one that it sent.
 *
 * @throws {ConnectRefusal} `invalid_request`.
 */
export function checkState(parameters: URLSearchParams): string {
  const state = readState(parameters);
  if (state !== null) return state;
  throw new ConnectRefusal('invalid_request', `state must be 1 to ${MAX_STATE_LENGTH} printable ASCII characters.`);
}
