/** Connects a user to a service: seals the credential and makes the connection active. */

import { ensureConnection, updateConnection } from '../store/repositories/connections.ts';
import type { ConnectionStatus, Executor } from '../store/schema.ts';
import type { CredentialVault } from './index.ts';

/** A connection to make, or to replace the credential of. */
export interface ConnectionToSave {
  readonly userId: string;
  /** Connector name. */
  readonly service: string;
  /** One value per field of the connector's credential parts (see `CredentialPart`); null for an open service. */
  readonly fields: Readonly<Record<string, string>> | null;
  readonly status: ConnectionStatus;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Saves the connection, replacing the credential that the user had there. @returns the connection's row id. */
export async function saveConnection(
  executor: Executor,
  vault: CredentialVault,
  connection: ConnectionToSave,
): Promise<string> {
  const { id } = await ensureConnection(executor, connection);
  const sealedCredential = connection.fields === null ? null : vault.seal(connection.fields, { connectionId: id });
  await updateConnection(executor, id, { sealedCredential, status: connection.status, now: connection.now });
  return id;
}
