/** Rule: the client asks for a code, in the query of the redirect URI. */

import { readParameter, refuse } from './parameters.ts';

/**
 * Accepts `response_type=code`, and `response_mode=query` or none.
 *
 * @throws {OAuthError} `invalid_request` without a type or with another mode, `unsupported_response_type` with another type.
 */
export function checkResponseType(parameters: URLSearchParams): void {
  const type = readParameter(parameters, 'response_type');
  if (type === null) throw refuse('invalid_request', 'response_type is missing. It must be code.');
  if (type !== 'code') throw refuse('unsupported_response_type', 'response_type must be code.');
  const mode = readParameter(parameters, 'response_mode');
  if (mode !== null && mode !== 'query') throw refuse('invalid_request', 'response_mode must be query, or left out.');
}
