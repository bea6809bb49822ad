/** Rule: no parameter appears twice. */

import { refuse } from './parameters.ts';

const PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/**
 * Refuses repeated parameters, because their meaning would depend on the parser (RFC 6749 §3.1).
 *
 * `resource` may be repeated (RFC 8707 §2), and unknown parameters are ignored.
 *
 * @throws {OAuthError} `invalid_request`.
 */
export function checkDuplicates(parameters: URLSearchParams): void {
  const repeated = PARAMETERS.find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined) throw refuse('invalid_request', `${repeated} appears more than once.`);
}
