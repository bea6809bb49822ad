/** Named operators of the dashboard, and sessions. Secrets are stored by hash. */

import type { OperatorRole, OperatorSession } from '../../base/dashboard/pages.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { column, defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

export const ADMIN_TABLES = defineTables('admin', {
  /** People who may sign in to the dashboard with their own secret. */
  operators: {
    columns: {
      id: 'text primary key',
      /** Unique. */
      name: 'text not null unique',
      role: column<'look' | 'act'>('text not null'),
      /** Keyed hash of the secret (`hashSecret`), unique. */
      secret_hash: 'text not null unique',
      created_at: 'bigint not null',
    },
  },
  /** Sessions at the dashboard. A session that ends is deleted. */
  operator_sessions: {
    columns: {
      id: 'text primary key',
      /** Keyed hash of the cookie and of the settings that the session depends on (see `createOperatorSessions`), unique. */
      token_hash: 'text not null unique',
      /** Row id of the operator. Null if the operator did not sign in with a secret of `operators`. */
      operator_id: 'text references operators (id) on delete cascade',
      name: 'text not null',
      /** The role at sign-in; for an operator in `operators`, the role in that table counts. */
      role: column<'look' | 'act'>('text not null'),
      address: 'text not null',
      created_at: 'bigint not null',
      used_at: 'bigint not null',
      /** Time at which the session ends unless it is used before. */
      expires_at: 'bigint not null',
    },
    indexes: {
      operator_sessions_by_expiry: '(expires_at)',
      operator_sessions_by_operator: '(operator_id)',
    },
  },
});

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof ADMIN_TABLES> {}
}

export interface Operator {
  readonly id: string;
  /** Unique. */
  readonly name: string;
  readonly role: OperatorRole;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const COLUMNS = ['id', 'name', 'role', 'created_at as createdAt'] as const;

/** @throws the driver's unique violation if the name is taken (see `isUniqueViolation`). */
export async function insertOperator(
  executor: Executor,
  operator: { name: string; role: OperatorRole; secretHash: string; now: number },
): Promise<Operator> {
  const { name, role, secretHash, now } = operator;
  return executor
    .insertInto('operators')
    .values({ id: newId(now), name, role, secret_hash: secretHash, created_at: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function findOperator(executor: Executor, name: string): Promise<Operator | undefined> {
  return executor.selectFrom('operators').select(COLUMNS).where('name', '=', name).executeTakeFirst();
}

/** Finds the operator whose secret has this hash. */
export async function findOperatorBySecret(executor: Executor, secretHash: string): Promise<Operator | undefined> {
  return executor.selectFrom('operators').select(COLUMNS).where('secret_hash', '=', secretHash).executeTakeFirst();
}

/** Lists the first `limit` operators, by name. */
export async function listOperators(executor: Executor, limit: number): Promise<Operator[]> {
  return executor.selectFrom('operators').select(COLUMNS).orderBy('name').limit(limit).execute();
}

/** Replaces the given members. @returns false if there is no such operator. */
export async function updateOperator(
  executor: Executor,
  id: string,
  changes: { role: OperatorRole } | { secretHash: string },
): Promise<boolean> {
  const set = 'role' in changes ? { role: changes.role } : { secret_hash: changes.secretHash };
  const { numUpdatedRows } = await executor.updateTable('operators').set(set).where('id', '=', id).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes an operator with its sessions. @returns false if there is no such operator. */
export async function deleteOperator(executor: Executor, id: string): Promise<boolean> {
  const { numDeletedRows } = await executor.deleteFrom('operators').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Longest time of a session. It expires then, even if it is in use. */
export const SESSION_SECONDS = 12 * 3600;
const SESSION_MS = SESSION_SECONDS * 1000;

export async function insertOperatorSession(
  executor: Executor,
  session: {
    tokenHash: string;
    /** Row id of a named operator. Null for any other operator. */
    operatorId: string | null;
    name: string;
    role: OperatorRole;
    address: string;
    now: number;
    expiresAt: number;
  },
): Promise<void> {
  const { tokenHash, operatorId, name, role, address, now, expiresAt } = session;
  await executor
    .insertInto('operator_sessions')
    .values({
      id: newId(now),
      token_hash: tokenHash,
      operator_id: operatorId,
      name,
      role,
      address,
      created_at: now,
      used_at: now,
      expires_at: expiresAt,
    })
    .execute();
}

/** Finds the live session with one of these hashes, and extends it until `expiresAt`. */
export async function useOperatorSession(
  executor: Executor,
  tokenHashes: readonly string[],
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<OperatorSession | undefined> {
  const used = await executor
    .updateTable('operator_sessions')
    .set({ used_at: now, expires_at: expiresAt })
    .where('token_hash', 'in', tokenHashes)
    .where('expires_at', '>', now)
    .where('created_at', '>', now - SESSION_MS)
    .returning('id')
    .executeTakeFirst();
  return used && selectSessions(executor).where('s.id', '=', used.id).executeTakeFirst();
}

/** Finds the live session with one of these hashes. It is not extended. */
export async function findOperatorSession(
  executor: Executor,
  tokenHashes: readonly string[],
  now: number,
): Promise<OperatorSession | undefined> {
  return selectSessions(executor)
    .where('s.token_hash', 'in', tokenHashes)
    .where('s.expires_at', '>', now)
    .where('s.created_at', '>', now - SESSION_MS)
    .executeTakeFirst();
}

/** Returns which of these sessions are live. They are not extended. */
export async function findLiveSessions(executor: Executor, ids: readonly string[], now: number): Promise<Set<string>> {
  const rows = await executor
    .selectFrom('operator_sessions')
    .select('id')
    .where('id', 'in', ids)
    .where('expires_at', '>', now)
    .where('created_at', '>', now - SESSION_MS)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Lists live sessions, the most recently used first. */
export async function listOperatorSessions(executor: Executor, now: number, limit: number): Promise<OperatorSession[]> {
  return selectSessions(executor)
    .where('s.expires_at', '>', now)
    .where('s.created_at', '>', now - SESSION_MS)
    .orderBy('s.used_at', 'desc')
    .orderBy('s.id')
    .limit(limit)
    .execute();
}

/** Ends the sessions with these hashes. */
export async function endOperatorSessionByToken(executor: Executor, tokenHashes: readonly string[]): Promise<void> {
  await executor.deleteFrom('operator_sessions').where('token_hash', 'in', tokenHashes).execute();
}

/**
 * Ends one session, or all sessions of one operator, or all but one. If `notId` is null, it ends all.
 *
 * @returns the ids of the ended sessions, with the names of their operators.
 */
export async function endOperatorSessions(
  executor: Executor,
  which: { id: string } | { name: string } | { notId: string | null },
): Promise<{ id: string; name: string }[]> {
  let query = executor.deleteFrom('operator_sessions').returning(['id', 'name']);
  if ('id' in which) query = query.where('id', '=', which.id);
  else if ('name' in which) query = query.where('name', '=', which.name);
  else if (which.notId !== null) query = query.where('id', '!=', which.notId);
  return query.execute();
}

/** Counts all sessions, including those that have expired. */
export async function countOperatorSessions(executor: Executor): Promise<number> {
  const { sessions } = await executor
    .selectFrom('operator_sessions')
    .select(({ fn }) => fn.countAll<number | string>().as('sessions'))
    .executeTakeFirstOrThrow();
  return Number(sessions);
}

function selectSessions(executor: Executor) {
  return executor
    .selectFrom('operator_sessions as s')
    .leftJoin('operators as o', 'o.id', 's.operator_id')
    .select(({ fn }) => [
      's.id',
      's.name',
      fn.coalesce('o.role', 's.role').as('role'),
      's.address',
      's.created_at as createdAt',
      's.used_at as usedAt',
    ]);
}
