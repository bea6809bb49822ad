/** Parameters of the requests that a browser brings: a client's authorization request, a partner's connect request. */

import { OAuthError, type OAuthErrorCode } from './error.ts';

/** RFC 6749 appendix A.5. */
const STATE = /^[\x20-\x7e]+$/;

/**
 * The one value of a parameter.
 *
 * @returns null when it is missing, or empty, which counts as missing (RFC 6749 §3.1), or repeated.
 */
export function readParameter(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  return values.length === 1 && values[0] !== undefined && values[0] !== '' ? values[0] : null;
}

/** The `state` to return, or null when there is none or it cannot be returned unchanged. */
export function readState(parameters: URLSearchParams, maxLength: number): string | null {
  const state = readParameter(parameters, 'state');
  return state !== null && state.length <= maxLength && STATE.test(state) ? state : null;
}

/**
 * Refuses repeated parameters, because their meaning would depend on the parser (RFC 6749 §3.1).
 *
 * @throws {OAuthError} `invalid_request`.
 */
export function checkDuplicates(parameters: URLSearchParams, names: readonly string[]): void {
  const repeated = names.find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined) throw refuse('invalid_request', `${repeated} appears more than once.`);
}

/** An error that may be sent to the redirect URI (RFC 6749 §4.1.2.1). For rules that run after that URI was verified. */
export function refuse(error: OAuthErrorCode, description: string): OAuthError {
  return new OAuthError(400, error, description, { redirectable: true });
}
