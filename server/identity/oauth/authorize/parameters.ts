/** Reads the parameters of an authorization request. */

import { OAuthError, type OAuthErrorCode } from '../../protocol/error.ts';

/**
 * The one value of a parameter.
 *
 * @returns null when it is missing, or empty, which counts as missing (RFC 6749 §3.1), or repeated.
 */
export function readParameter(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  return values.length === 1 && values[0] !== undefined && values[0] !== '' ? values[0] : null;
}

/** An error that may be sent to the redirect URI (RFC 6749 §4.1.2.1). For rules that run after `checkClientRedirectUri`. */
export function refuse(error: OAuthErrorCode, description: string): OAuthError {
  return new OAuthError(400, error, description, { redirectable: true });
}
