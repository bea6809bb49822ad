/** Rule: the token is for this gateway's MCP endpoint and nothing else. */

import { isOwnResource } from '../../protocol/resource-indicator.ts';
import { refuse } from './parameters.ts';

const MAX_INDICATORS = 5;

/**
 * Accepts resource indicators that mean this gateway's MCP endpoint (RFC 8707 §2); none means the same.
 *
 * @param resource the gateway's resource indicator.
 * @returns that indicator, to which the code and its tokens are bound.
 * @throws {OAuthError} `invalid_target`.
 */
export function checkResource(parameters: URLSearchParams, resource: string): string {
  const indicators = parameters.getAll('resource').filter((indicator) => indicator !== '');
  if (indicators.length > MAX_INDICATORS || !indicators.every((indicator) => isOwnResource(indicator, resource))) {
    throw refuse('invalid_target', `resource must be ${resource}.`);
  }
  return resource;
}
