/** Connections: one user's authorized link to an upstream, at most one per user, service and account. */

import { locksRows } from '../conflicts.ts';
import { accountKeysOf, columnsOf, hasRow, MAX_ACCOUNTS, newId, type Row, readAccountKey } from '../rows.ts';
import { CORE_TABLES, type CredentialType, type Executor } from '../schema.ts';
import { ACCOUNT_NAME, isNameTaken } from './account-names.ts';

const CONNECTION = columnsOf(CORE_TABLES.tables.connections, { except: ['refreshed_at'] });

/** `service` is the connector's name, `number` that of the account: 1 for the first. */
export type Connection = Row<'connections', typeof CONNECTION> & { readonly number: number };

/**
 * The account of a service that a credential is for: null for the first or only account, `new` for an additional one, otherwise the row id of
 * the connection whose credential is replaced. If that connection was removed, the account is added.
 */
export type AccountChoice = string | null;
export const NEW_ACCOUNT = 'new';

/** The user has `MAX_ACCOUNTS` accounts of the service. */
export class TooManyAccountsError extends Error {
  override readonly name = 'TooManyAccountsError';
}

/** The user's accounts of a service, by number. */
export async function listAccounts(executor: Executor, userId: string, service: string): Promise<Connection[]> {
  const rows = await selectAccounts(executor, userId, service).execute();
  return inOrder(rows);
}

function selectAccounts(executor: Executor, userId: string, service: string) {
  return executor
    .selectFrom('connections')
    .select(CONNECTION)
    .where('user_id', '=', userId)
    .where('service', 'in', accountKeysOf(service));
}

/** All connections of a user, by service and account. */
export async function listConnections(executor: Executor, userId: string): Promise<Connection[]> {
  return inOrder(
    await executor
      .selectFrom('connections')
      .select(CONNECTION)
      .where('user_id', '=', userId)
      .orderBy('service')
      .execute(),
  );
}

/** Keeps the order of services, and puts the accounts of each together. */
function inOrder(rows: readonly Row<'connections', typeof CONNECTION>[]): Connection[] {
  const connections = rows.map((row) => ({ ...row, ...readAccountKey(row.service) }));
  const byService = Map.groupBy(connections, ({ service }) => service);
  return [...byService.values()].flatMap((accounts) => accounts.sort((a, b) => a.number - b.number));
}

/**
 * Connects a user to a service, or replaces the credential of an existing connection. The connection is then active,
 * and its upstream account is not known. With a second account, those without a name get one: `account-1`, `account-2`.
 *
 * Safe with concurrent callers, and while the connection is removed: a credential is stored only in the row that it was
 * sealed for, and a row id is never inserted again.
 *
 * @param connection.seal seals the credential for the row's id; null for an open service.
 * @returns the row id.
 * @throws {TooManyAccountsError}
 */
export async function putConnection(
  executor: Executor,
  connection: {
    userId: string;
    service: string;
    /** Default: null, the first account. */
    account?: AccountChoice;
    /** Default: null, not known. */
    identity?: string | null;
    credentialType?: CredentialType;
    now: number;
    /** Default false. */
    hasRefreshToken?: boolean;
    seal(connectionId: string): string | null;
  },
): Promise<string> {
  const { userId, service, account = null, identity = null, credentialType = null, now } = connection;
  const { hasRefreshToken = false } = connection;
  const accounts = await listAccounts(executor, userId, service);
  const existing = account === null ? accounts[0] : accounts.find(({ id }) => id === account);
  const id = existing?.id ?? newId(now);
  const credential = { sealed_credential: connection.seal(id), credential_type: credentialType };
  const accountColumns = { account: null, account_identity: identity };
  const times = { updated_at: now, refreshed_at: hasRefreshToken ? now : null };
  const change = { status: 'active', ...credential, ...accountColumns, ...times } as const;
  const saved =
    existing === undefined
      ? await executor
          .insertInto('connections')
          .values({ id, user_id: userId, service: freeSlot(service, accounts), created_at: now, ...change })
          .onConflict((conflict) => conflict.columns(['user_id', 'service']).doNothing())
          .returning('id')
          .executeTakeFirst()
      : await executor.updateTable('connections').set(change).where('id', '=', id).returning('id').executeTakeFirst();
  if (saved === undefined) return putConnection(executor, connection);
  if (existing === undefined && accounts.length > 0) await nameAccounts(executor, userId, service);
  return id;
}

function freeSlot(service: string, accounts: readonly Connection[]): string {
  const slot = accountKeysOf(service).find((_, index) => accounts.every(({ number }) => number !== index + 1));
  if (slot === undefined) throw new TooManyAccountsError(`A user has at most ${MAX_ACCOUNTS} accounts of ${service}.`);
  return slot;
}

/** Gives every account that has no name a neutral one. */
async function nameAccounts(executor: Executor, userId: string, service: string): Promise<void> {
  const accounts = await lockAccounts(executor, userId, service);
  const named = accounts.filter(({ accountName }) => accountName !== null);
  for (const account of accounts) {
    if (account.accountName !== null) continue;
    let number = 1;
    while (isNameTaken(named, `account-${number}`)) number += 1;
    const accountName = `account-${number}`;
    named.push({ ...account, accountName });
    await executor.updateTable('connections').set({ account_name: accountName }).where('id', '=', account.id).execute();
  }
}

/** Their names change only together, so that no two become the same. */
async function lockAccounts(executor: Executor, userId: string, service: string): Promise<Connection[]> {
  const query = selectAccounts(executor, userId, service).orderBy('id');
  return inOrder(await (locksRows(executor) ? query.forUpdate() : query).execute());
}

/**
 * Renames an account of a user. Needs a transaction.
 *
 * @param rename.name matches `ACCOUNT_NAME`.
 * @returns `taken` if another account of the service has the name, or one that looks like it; `gone` if the user has no such connection.
 */
export async function renameAccount(
  transaction: Executor,
  { userId, id, name }: { userId: string; id: string; name: string },
): Promise<'renamed' | 'taken' | 'gone'> {
  const target = (await listConnections(transaction, userId)).find((connection) => connection.id === id);
  if (target === undefined || !ACCOUNT_NAME.test(name)) return 'gone';
  const accounts = await lockAccounts(transaction, userId, target.service);
  if (accounts.every((account) => account.id !== id)) return 'gone';
  const others = accounts.filter((account) => account.id !== id);
  if (isNameTaken(others, name)) return 'taken';
  await transaction.updateTable('connections').set({ account_name: name }).where('id', '=', id).execute();
  return 'renamed';
}

/** Stores the upstream account. @param connection as it was read; nothing changes if it was replaced since. */
export async function setConnectionAccount(
  executor: Executor,
  { id, updatedAt }: Connection,
  account: { readonly name: string; readonly identity: string | null },
): Promise<void> {
  await executor
    .updateTable('connections')
    .set({ account: account.name, account_identity: account.identity })
    .where('id', '=', id)
    .where('updated_at', '=', updatedAt)
    .execute();
}

/**
 * Marks an active connection whose credential was refused.
 *
 * @param refused.updatedAt of the connection that was used; nothing changes if it was replaced since.
 * @returns false if it was replaced, removed or marked meanwhile.
 */
export async function markConnectionRefused(
  executor: Executor,
  refused: { id: string; updatedAt: number; now: number },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('connections')
      .set({ status: 'attention', updated_at: refused.now })
      .where('id', '=', refused.id)
      .where('status', '=', 'active')
      .where('updated_at', '=', refused.updatedAt)
      .returning('id'),
  );
}

/** Removes a connection of a user. @returns false if the user has no such connection. */
export async function deleteConnection(executor: Executor, userId: string, id: string): Promise<boolean> {
  return hasRow(executor.deleteFrom('connections').where('user_id', '=', userId).where('id', '=', id).returning('id'));
}
