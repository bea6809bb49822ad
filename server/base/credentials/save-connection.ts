/** Connects a user to a service: seals the credential for the row that holds it. */

import { emit } from '../store/events.ts';
import { freeAccountName } from '../store/repositories/account-names.ts';
import { endApprovals } from '../store/repositories/calls/approvals.ts';
import {
  type AccountChoice,
  type Connection,
  listAccounts,
  putConnection,
  renameAccount,
} from '../store/repositories/connections.ts';
import { endShare, listShares } from '../store/repositories/teams.ts';
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
  /** Of an account that is added, with a number after it if another one has it. Default: a neutral one. */
  readonly name?: string | null;
  /** Keyed hash of the account that the service verified. Default: null, not known. */
  readonly identity?: string | null;
  /** One value per field of the connector's credential parts (see `CredentialPart`); null for an open service. */
  readonly fields: Readonly<Record<string, string>> | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Saves the connection, replacing any credential that the user had there. Needs a transaction.
 *
 * A connection that is new or needed attention causes an event; another credential of a working connection does not.
 *
 * @returns the connection's row id.
 * @throws when there is no such user. {@link TooManyAccountsError}
 */
export async function saveConnection(
  executor: Executor,
  vault: CredentialVault,
  { userId, service, account = null, name = null, identity = null, fields, now }: ConnectionToSave,
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
    identity,
    credentialType: typeOfFields(fields),
    hasRefreshToken,
    now,
    seal,
  });
  await forgetRefreshes(executor, connectionId);
  await endApprovals(executor, connectionId);
  const previous = accounts.find(({ id }) => id === connectionId);
  if (previous === undefined && accounts.length > 0 && name !== null) {
    const otherAccounts = (await listAccounts(executor, userId, service)).filter(({ id }) => id !== connectionId);
    await renameAccount(executor, { userId, id: connectionId, name: freeAccountName(name, otherAccounts) });
  }
  if (previous !== undefined && isOtherAccount(previous, identity)) await endShares(executor, previous, now);
  if (previous?.status !== 'active') {
    const type = previous === undefined ? 'connection_created' : 'connection_recovered';
    await emit(executor, { type, partnerId, userId, service, connectionId, now });
  }
  return connectionId;
}

/**
 * True if a credential may be for another account than the one that it replaces. A service that does not say whose it is gets the same
 * one again after it refused the old one; a working credential is replaced for a reason.
 */
function isOtherAccount({ status, accountIdentity }: Connection, identity: string | null): boolean {
  if (identity === null || accountIdentity === null) return status === 'active';
  return identity !== accountIdentity;
}

/** Ends the shares of a connection: its owner shared the account that was connected then. */
async function endShares(executor: Executor, { id }: Connection, now: number): Promise<void> {
  const shares = await listShares(executor, { connectionIds: [id] });
  for (const share of shares) await endShare(executor, share, { by: 'user', now });
}
