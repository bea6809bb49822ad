/** Stage `connection`: the user's credential for the tool's service. */

import { CredentialUnreadableError } from '../../credentials/index.ts';
import type { Call, CallDependencies } from './call.ts';
import { type Ending, refuse } from './ending.ts';
import { unreadableCredential } from './unreadable-credential.ts';

/** Opens the credential of a connection that its upstream has not refused. */
export function openConnection(call: Call, deps: CallDependencies): Ending | null {
  const { principal, entry } = call;
  const { name: service, title } = entry.connector;
  const connection = principal.connections.get(service);
  if (connection === undefined) throw new Error('the stage access lets no call without a connection pass');
  if (connection.status === 'attention') {
    return refuse('connection_needs_attention', {
      message: `${title} no longer accepts the credential of this connection.`,
      advice: `Calling again will not help: the user must connect ${title} again in the application that manages the connections.`,
    });
  }
  const { partnerId, userId } = principal;
  const { id: connectionId, sealedCredential } = connection;
  try {
    call.credential = deps.openCredential({ connectionId, partnerId, userId, service, sealedCredential });
    return null;
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return unreadableCredential(call, error, deps);
  }
}
