/** Users: the end users of partners, keyed by partner and the partner's own name for them, and what is left of a removed user in rows that outlive it. */

import { hash } from 'node:crypto';
import { locksRows } from '../conflicts.ts';
import { columnsOf, countRows, hasRow, newId, type Row } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

const USER = columnsOf(CORE_TABLES.tables.users);

export type User = Row<'users', typeof USER>;

/**
 * Finds or creates the user of that name. Safe with concurrent callers, and while the user is removed: in a
 * transaction, the user is protected from removal until the transaction ends.
 */
export async function ensureUser(
  executor: Executor,
  user: { partnerId: string; externalUserId: string; now: number },
): Promise<User> {
  await executor
    .insertInto('users')
    .values({
      id: newId(user.now),
      partner_id: user.partnerId,
      external_user_id: user.externalUserId,
      created_at: user.now,
      approvals: null,
    })
    .onConflict((conflict) => conflict.columns(['partner_id', 'external_user_id']).doNothing())
    .execute();
  return (await keepUser(executor, user)) ?? ensureUser(executor, user);
}

/** Finds a user and protects it from removal until the transaction ends. Lock other rows of the user after it. */
export async function keepUser(
  executor: Executor,
  key: { partnerId: string; externalUserId: string } | { id: string },
): Promise<User | undefined> {
  let query = executor.selectFrom('users').select(USER);
  if ('id' in key) query = query.where('id', '=', key.id);
  else query = query.where('partner_id', '=', key.partnerId).where('external_user_id', '=', key.externalUserId);
  return (locksRows(executor) ? query.forKeyShare() : query).executeTakeFirst();
}

export async function findUser(
  executor: Executor,
  key: { partnerId: string; externalUserId: string },
): Promise<User | undefined> {
  return executor
    .selectFrom('users')
    .select(USER)
    .where('partner_id', '=', key.partnerId)
    .where('external_user_id', '=', key.externalUserId)
    .executeTakeFirst();
}

export async function findUserById(executor: Executor, id: string): Promise<User | undefined> {
  return executor.selectFrom('users').select(USER).where('id', '=', id).executeTakeFirst();
}

/** Users of that name at any partner. */
export async function findUsersByExternalId(executor: Executor, externalUserId: string): Promise<User[]> {
  return executor.selectFrom('users').select(USER).where('external_user_id', '=', externalUserId).execute();
}

/** The first `limit` users of a partner by name, or of all partners. */
export async function listUsers(
  executor: Executor,
  options: { partnerId?: string | undefined; limit: number },
): Promise<User[]> {
  let query = executor.selectFrom('users').select(USER).orderBy('external_user_id').limit(options.limit);
  if (options.partnerId !== undefined) query = query.where('partner_id', '=', options.partnerId);
  return query.execute();
}

/** Changes the rules that a user has set. Needs a transaction, in which the user is protected from concurrent changes. */
export async function changeOwnRules(
  transaction: Executor,
  id: string,
  change: (rules: readonly string[]) => readonly string[],
): Promise<void> {
  const query = transaction.selectFrom('users').select('approvals').where('id', '=', id);
  const row = await (locksRows(transaction) ? query.forNoKeyUpdate() : query).executeTakeFirst();
  const rules = change(row?.approvals?.split(',') ?? []);
  await transaction
    .updateTable('users')
    .set({ approvals: rules.length === 0 ? null : rules.join(',') })
    .where('id', '=', id)
    .execute();
}

/** Returns the number of users of a partner. */
export async function countUsers(executor: Executor, partnerId: string): Promise<number> {
  return countRows(executor.selectFrom('users').where('partner_id', '=', partnerId));
}

/** Removes a user with its connections, tokens, grants and codes. See `forgetUser` for what names it elsewhere. */
export async function deleteUser(executor: Executor, id: string): Promise<boolean> {
  return hasRow(executor.deleteFrom('users').where('id', '=', id).returning('id'));
}

/** The beginning of the pseudonym of a removed user. */
export const GONE = 'gone-';

const REFERENCE_LENGTH = 24;

/**
 * Returns the pseudonym of a removed user.
 *
 * It is a hash of the row id, which is random and is deleted with the user. MACs of audit events cover the pseudonym instead of the row id, so
 * they stay valid when it replaces the row id.
 */
export function goneReference(userId: string): string {
  return GONE + hash('sha256', `utg audit user ${userId}`, 'base64url').slice(0, REFERENCE_LENGTH);
}

/** Replaces a user's row id in call records. */
export async function replaceUserReference(executor: Executor, userId: string, reference: string): Promise<void> {
  await executor.updateTable('call_records').set({ user_id: reference }).where('user_id', '=', userId).execute();
}
