/** Stage `connection`: the user's credential for the tool's service. */

import { CredentialUnreadableError } from '../../../base/credentials/index.ts';
import type { Lease } from '../../upstream/lease/index.ts';
import { missingScopes } from '../../upstream/oauth/scopes.ts';
import type { Call, CallDependencies } from './call.ts';
import { type Ending, refuse } from './ending.ts';
import { needsAttention } from './needs-attention.ts';
import { renewCredential } from './refused/renew-credential.ts';
import { unreadableCredential } from './unreadable-credential.ts';

/**
 * Opens the credential of an active connection. An expired token is renewed first. A token without the tool's scopes
 * ends the call before any request.
 */
export function openConnection(call: Call, deps: CallDependencies): Ending | null | Promise<Ending | null> {
  const { principal, entry } = call;
  const { name: service, title } = entry.connector;
  const connection = principal.connections.get(service);
  if (connection === undefined) throw new Error('the stage access lets no call without a connection pass');
  if (connection.status === 'attention') return needsAttention(title);
  const { partnerId, userId } = principal;
  const { id: connectionId, sealedCredential, updatedAt } = connection;
  let lease: Lease;
  try {
    lease = deps.leases.open(
      { connectionId, partnerId, userId, service, sealedCredential, updatedAt },
      entry.connector,
    );
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return unreadableCredential(call, error, deps);
  }
  call.connectionId = connectionId;
  call.credential = lease.fields;
  call.credentialSince = updatedAt;
  const { token } = lease;
  if (token === null) return null;
  const missing = token.scopes === null ? [] : missingScopes(entry.tool, token.scopes);
  if (missing.length > 0) return scopeNotGranted(call, missing);
  call.renew = token.renewRefused;
  const renewal = token.renewEnded();
  return renewal === null ? null : renewCredential(call, renewal, deps);
}

function scopeNotGranted({ entry: { connector, tool } }: Call, scopes: readonly string[]): Ending {
  const { title } = connector;
  const named = scopes.join(' ');
  return refuse('scope_not_granted', {
    message: `${tool.name} needs ${scopes.length === 1 ? 'a scope' : 'scopes'} of ${title} that the user has not granted: ${named}.`,
    advice: `Calling again will not help: the user must connect ${title} again in the application that manages the connections, and grant ${named}.`,
    details: { scopes },
  });
}
