/** Rule: what is asked for is something that this gateway can grant. */

import { SCOPES, type Scope } from '../../principal/scopes.ts';
import { readParameter, refuse } from './parameters.ts';

/**
 * Reads `scope` (RFC 6749 §3.3). Without it everything is asked for. `tools:write` includes `tools:read`.
 *
 * @throws {OAuthError} `invalid_scope` when it names anything that is no scope of the gateway.
 */
export function checkScope(parameters: URLSearchParams): readonly Scope[] {
  const scope = readParameter(parameters, 'scope');
  if (scope === null) return SCOPES;
  const named = scope.split(' ').filter((name) => name !== '');
  if (!named.every((name) => (SCOPES as readonly string[]).includes(name))) {
    throw refuse('invalid_scope', `scope may name ${SCOPES.join(' and ')} only.`);
  }
  return named.includes('tools:read') && !named.includes('tools:write') ? ['tools:read'] : SCOPES;
}
