/** Adds the connector's OAuth 2.0 to a descriptor: the scopes of its operations, and tokens where the descriptor declares none. */

import type { SandboxDescriptor, SandboxOperation, SandboxRequirement } from '../descriptor/operations.ts';
import type { ConnectorOAuth } from './rules.ts';

const TOKEN_SCHEME = 'connector access token';
const KEY_SCHEME = 'connector key';

/**
 * The connector's scopes of a tool replace the `oauth2` alternatives of its operation, or are added if it has none. If the
 * descriptor declares no security scheme, a bearer key becomes an alternative too. An operation without a tool keeps its `oauth2`
 * alternatives, and one that the descriptor opens with `security: []` stays open.
 */
export function addConnectorSecurity(descriptor: SandboxDescriptor, oauth: ConnectorOAuth | null): SandboxDescriptor {
  if (oauth === null) return descriptor;
  const isSilent = Object.keys(descriptor.securitySchemes).length === 0;
  const hasOAuth = (requirement: SandboxRequirement): boolean =>
    Object.keys(requirement).some((scheme) => descriptor.securitySchemes[scheme]?.type === 'oauth2');
  const complete = (operation: SandboxOperation): SandboxOperation => {
    const { security, method, path } = operation;
    const said = oauth.scopes[`${method} ${path}`];
    const isOpen = security.length === 0 && !isSilent;
    if (isOpen || (said === undefined && security.some(hasOAuth))) return operation;
    const others = security.filter((requirement) => !hasOAuth(requirement));
    const keys = isSilent && oauth.takesKeys ? [{ [KEY_SCHEME]: [] }] : [];
    const tokens = (said ?? [[]]).map((scopes) => ({ [TOKEN_SCHEME]: scopes }));
    return { ...operation, security: [...others, ...tokens, ...keys] };
  };
  return {
    ...descriptor,
    securitySchemes: {
      ...descriptor.securitySchemes,
      [TOKEN_SCHEME]: { type: 'oauth2' },
      [KEY_SCHEME]: { type: 'http', scheme: 'bearer' },
    },
    operations: descriptor.operations.map(complete),
  };
}
