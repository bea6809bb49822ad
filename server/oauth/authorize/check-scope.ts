/** Rule: what is asked for is something that this gateway can grant. */

import { SCOPES, type Scope, toScopes } from '../../principal/scopes.ts';
import { readParameter } from './parameters.ts';

/**
 * Reads `scope` (RFC 6749 §3.3). `tools:write` includes `tools:read`.
 *
 * Scopes of others, such as `openid` and `offline_access`, are ignored, and the token answer names what was granted: clients
 * ask for them of every server. Where no scope of the gateway is left, or none is named, everything is asked for. The
 * user decides in any case.
 */
export function checkScope(parameters: URLSearchParams): readonly Scope[] {
  const named = toScopes((readParameter(parameters, 'scope') ?? '').split(' '));
  return named.length === 1 && named[0] === 'tools:read' ? named : SCOPES;
}
