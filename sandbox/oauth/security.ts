/** Which operations ask for an access token where the connector knows of OAuth 2.0 and the descriptor does not. */

import type { SandboxDescriptor, SandboxOperation } from '../descriptor/operations.ts';
import type { ConnectorOAuth } from './rules.ts';

const TOKEN_SCHEME = 'connector access token';
const KEY_SCHEME = 'connector key';

/**
 * Adds what the connector asks for to each operation that declares no `oauth2` scheme: its scopes as alternatives, and a
 * bearer key where the descriptor declares no security at all. An operation that the descriptor opens with `security: []` stays
 * open.
 */
export function addConnectorSecurity(descriptor: SandboxDescriptor, oauth: ConnectorOAuth | null): SandboxDescriptor {
  if (oauth === null) return descriptor;
  const isSilent = Object.keys(descriptor.securitySchemes).length === 0;
  const isOAuth = (scheme: string): boolean => descriptor.securitySchemes[scheme]?.type === 'oauth2';
  const complete = (operation: SandboxOperation): SandboxOperation => {
    const { security, method, path } = operation;
    const isDeclared = security.some((requirement) => Object.keys(requirement).some(isOAuth));
    if (isDeclared || (security.length === 0 && !isSilent)) return operation;
    const scopes = oauth.scopes[`${method} ${path}`] ?? [[]];
    const keys = isSilent && oauth.takesKeys ? [{ [KEY_SCHEME]: [] }] : [];
    return { ...operation, security: [...security, ...scopes.map((set) => ({ [TOKEN_SCHEME]: set })), ...keys] };
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
