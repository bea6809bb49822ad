/** Rule: the client asks for something that this gateway can grant. */

import { SCOPES, type Scope, toScopes } from '../../../base/principal/scopes.ts';
import { readParameter } from './parameters.ts';

/**
 * Reads `scope` (RFC 6749 §3.3). `tools:write` includes `tools:read`.
 *
 * Other scopes, such as `openid` and `offline_access`, are ignored, because clients request them from every server; the
 * token response names what was granted. A request without a scope of the gateway asks for everything. The user decides in
 * any case.
 */
export function checkScope(parameters: URLSearchParams): readonly Scope[] {
  const named = toScopes((readParameter(parameters, 'scope') ?? '').split(' '));
  return named.length === 1 && named[0] === 'tools:read' ? named : SCOPES;
}
