/** Sessions of operators at the dashboard. */

import { newId } from '../../rows.ts';
import type { Executor } from '../../schema.ts';
import type { OperatorRole } from './operators.ts';

export interface OperatorSession {
  readonly id: string;
  /** As the audit trail names the operator. */
  readonly name: string;
  /** For a named operator the current role, for others the role at sign-in. */
  readonly role: OperatorRole;
  /** IP address of the sign-in. */
  readonly address: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly usedAt: number;
}

/** Which sessions are live: not expired, and begun after `madeAfter`. Milliseconds since 1970. */
export interface LiveSessions {
  readonly now: number;
  readonly madeAfter: number;
}

export async function insertOperatorSession(
  executor: Executor,
  session: {
    tokenHash: string;
    /** Row id of a named operator; null for any other. */
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
  { now, madeAfter, expiresAt }: LiveSessions & { expiresAt: number },
): Promise<OperatorSession | undefined> {
  const used = await executor
    .updateTable('operator_sessions')
    .set({ used_at: now, expires_at: expiresAt })
    .where('token_hash', 'in', tokenHashes)
    .where('expires_at', '>', now)
    .where('created_at', '>', madeAfter)
    .returning('id')
    .executeTakeFirst();
  return used && selectSessions(executor).where('s.id', '=', used.id).executeTakeFirst();
}

/** Live sessions, most recently used first. */
export async function listOperatorSessions(
  executor: Executor,
  { now, madeAfter }: LiveSessions,
  limit: number,
): Promise<OperatorSession[]> {
  return selectSessions(executor)
    .where('s.expires_at', '>', now)
    .where('s.created_at', '>', madeAfter)
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
 * Ends one session, or all of one operator, or all but one.
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
