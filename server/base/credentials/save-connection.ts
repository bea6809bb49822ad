/** Connects a user to a service: seals the credential for the row that holds it. */

import { tell } from '../store/events.ts';
import { endApprovals } from '../store/repositories/calls/approvals.ts';
import { type AccountChoice, listAccounts, putConnection } from '../store/repositories/connections.ts';
import { forgetRefreshes } from '../store/repositories/upstream/connection-refreshes.ts';
import { findUserById } from '../store/repositories/users.ts';
import type { Executor } from '../store/schema.ts';
import type { CredentialVault } from './index.ts';
import { typeOfFields } from './kinds.ts';

/** A connection to create, or whose credential is replaced. */
interface ConnectionToSave {
  readonly userId: string;
  /** Connector name. */
  readonly service: string;
  /** Default: null, the first account. */
  readonly account?: AccountChoice;
  /** One value per field of the connector's credential parts (see `CredentialPart`); null for an open service. */
  readonly fields: Readonly<Record<string, string>> | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Saves the connection, replacing any credential that the user had there. A connection that is new or needed attention is an event;
 * another credential of one that works is none. Needs a transaction.
 *
 * @returns the connection's row id.
 * @throws when there is no such user. {@link TooManyAccountsError}
 */
export async function saveConnection(
  executor: Executor,
  vault: CredentialVault,
  { userId, service, account = null, fields, now }: ConnectionToSave,
): Promise<string> {
  const user = await findUserById(executor, userId);
  if (user === undefined) throw new Error('the user whose connection is saved is not there');
  const { partnerId, externalUserId } = user;
  const seal = (connectionId: string) =>
    fields === null ? null : vault.seal(fields, { connectionId, partnerId, userId, externalUserId, service });
  const hasRefreshToken = Object.keys(fields ?? {}).some((field) => field.endsWith('.refresh_token'));
  const accounts = await listAccounts(executor, userId, service);
  const connectionId = await putConnection(executor, {
    userId,
    service,
    account,
    credentialType: typeOfFields(fields),
    hasRefreshToken,
    now,
    seal,
  });
  await forgetRefreshes(executor, connectionId);
  await endApprovals(executor, connectionId);
  const before = accounts.find(({ id }) => id === connectionId);
  if (before?.status !== 'active') {
    const type = before === undefined ? 'connection_created' : 'connection_recovered';
    await tell(executor, { type, partnerId, userId, service, connectionId, now });
  }
  return connectionId;
}
