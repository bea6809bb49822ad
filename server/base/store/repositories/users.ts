/** Users: the end users of partners, keyed by partner and the partner's own name for them, and what is left of a removed user in rows that outlive it. */

import { hash } from 'node:crypto';
import { locksRows } from '../conflicts.ts';
import { columnsOf, countRows, hasRow, newId, type Row } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';
import { isOfUser } from './calls/call-order.ts';

const USER = columnsOf(CORE_TABLES.tables.users, { except: ['in_teams'] });

/** What the partner of a user allows it at most. */
export interface StoredAllowance {
  /** JSON of the `Allowance`. Null if it limits nothing, or none was set. */
  readonly allowance: string | null;
  /** Time from which the user may use nothing, in milliseconds since 1970. Null if it does not expire, or none was set. */
  readonly allowanceUntil: number | null;
  /** 1 if users of the partner may use nothing until their allowance is set. */
  readonly requiresAllowance: number | null;
}

/** What the owner of a shared connection may use, with the names that owner and service give the account. Never shown to members and their clients. */
export interface ShareOwner extends StoredAllowance {
  readonly name: string | undefined;
  readonly account: string | undefined;
}

export type User = Row<'users', typeof USER> & StoredAllowance;

function selectUsers(executor: Executor) {
  return executor
    .selectFrom('users')
    .select(USER)
    .select((row) =>
      row
        .selectFrom('partners')
        .select('partners.requires_allowance')
        .whereRef('partners.id', '=', 'users.partner_id')
        .as('requiresAllowance'),
    );
}

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
      allowance: null,
      allowance_until: null,
    })
    .onConflict((conflict) => conflict.columns(['partner_id', 'external_user_id']).doNothing())
    .execute();
  return (await keepUser(executor, user)) ?? ensureUser(executor, user);
}

/** Finds or creates the users of these names, which are different. Needs a transaction. @returns their row ids. */
export async function ensureUsers(
  transaction: Executor,
  { partnerId, names, now }: { partnerId: string; names: readonly string[]; now: number },
): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = names.map((name) => ({
    id: newId(now),
    partner_id: partnerId,
    external_user_id: name,
    created_at: now,
  }));
  await transaction
    .insertInto('users')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['partner_id', 'external_user_id']).doNothing())
    .execute();
  const query = transaction.selectFrom('users').select('id').where('partner_id', '=', partnerId);
  const users = await query.where('external_user_id', 'in', names).execute();
  return users.map(({ id }) => id);
}

/** Finds a user and protects it from removal until the transaction ends. Lock other rows of the user after it. */
export async function keepUser(
  executor: Executor,
  key: { partnerId: string; externalUserId: string } | { id: string },
): Promise<User | undefined> {
  let query = selectUsers(executor);
  if ('id' in key) query = query.where('id', '=', key.id);
  else query = query.where('partner_id', '=', key.partnerId).where('external_user_id', '=', key.externalUserId);
  return (locksRows(executor) ? query.forKeyShare() : query).executeTakeFirst();
}

/** Makes transactions that call it for the same user take turns, so that none counts the rows of a user while another one adds some. */
export async function lockUser(transaction: Executor, id: string): Promise<void> {
  if (!locksRows(transaction)) return;
  await transaction.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export async function findUser(
  executor: Executor,
  key: { partnerId: string; externalUserId: string },
): Promise<User | undefined> {
  return selectUsers(executor)
    .where('partner_id', '=', key.partnerId)
    .where('external_user_id', '=', key.externalUserId)
    .executeTakeFirst();
}

export async function findUserById(executor: Executor, id: string): Promise<User | undefined> {
  return selectUsers(executor).where('id', '=', id).executeTakeFirst();
}

/** Users of that name at any partner. */
export async function findUsersByExternalId(executor: Executor, externalUserId: string): Promise<User[]> {
  return selectUsers(executor).where('external_user_id', '=', externalUserId).execute();
}

/** The first `limit` users of a partner by name, or of all partners. */
export async function listUsers(
  executor: Executor,
  options: { partnerId?: string | undefined; limit: number },
): Promise<User[]> {
  let query = selectUsers(executor).orderBy('external_user_id').limit(options.limit);
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

/** Sets what the partner allows a user at most, and until when. Null: nothing is limited; it does not expire. */
export async function setAllowance(
  executor: Executor,
  id: string,
  { allowance, until }: { readonly allowance: string | null; readonly until: number | null },
): Promise<void> {
  await executor.updateTable('users').set({ allowance, allowance_until: until }).where('id', '=', id).execute();
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

/** Returns records as they may be stored: those of users who were removed meanwhile have the pseudonym. */
export async function withPseudonyms<Kept extends { readonly userId: string }>(
  executor: Executor,
  records: readonly Kept[],
): Promise<readonly Kept[]> {
  const ids = [...new Set(records.map(({ userId }) => userId))];
  const rows = await executor.selectFrom('users').select('id').where('id', 'in', ids).execute();
  if (rows.length === ids.length) return records;
  const existing = new Set(rows.map(({ id }) => id));
  return records.map((kept) => (existing.has(kept.userId) ? kept : { ...kept, userId: goneReference(kept.userId) }));
}

/** Replaces a user's row id in call records. */
export async function replaceUserReference(executor: Executor, userId: string, reference: string): Promise<void> {
  const calls = executor.updateTable('call_records as r').set({ user_id: reference });
  await calls.where(isOfUser(executor, userId)).execute();
}
