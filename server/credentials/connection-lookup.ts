/** Finds a user's connection and opens its credential, for the length of one call. */

import { findConnection } from '../store/repositories/connections.ts';
import type { ConnectionStatus, Executor } from '../store/schema.ts';
import type { CredentialVault } from './index.ts';

/** A connection as a call needs it. */
export interface ConnectionInUse {
  readonly id: string;
  readonly status: ConnectionStatus;
  /** When its credential or status last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
  /**
   * Opens the credential: one value per field, none for an open service.
   *
   * @throws {CredentialUnreadableError} as the vault says.
   */
  openCredential(): Readonly<Record<string, string>>;
}

/** Looks a user's connection up. */
export type FindConnection = (userId: string, service: string) => Promise<ConnectionInUse | undefined>;

/** Creates the lookup on the store and the vault. */
export function createConnectionLookup(deps: { executor: Executor; vault: CredentialVault }): FindConnection {
  return async (userId, service) => {
    const connection = await findConnection(deps.executor, userId, service);
    if (connection === undefined) return undefined;
    const { id, status, sealedCredential, updatedAt } = connection;
    return {
      id,
      status,
      updatedAt,
      openCredential: () => (sealedCredential === null ? {} : deps.vault.open(sealedCredential, { connectionId: id })),
    };
  };
}
