/**
 * SQL that orders call records by time, and bounds a statement by it.
 *
 * A row id begins with the time of the call. On SQLite the rows are stored in the order of their ids, so the id is the only index of time. On PostgreSQL
 * the indexes have the column `created_at`.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { locksRows } from '../../conflicts.ts';
import { firstIdAt } from '../../rows.ts';
import type { Executor } from '../../schema.ts';

/** A place in the order of time. */
export interface CallPosition {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly id: string;
}

/** SQL for call records with the alias `r`. */
interface CallOrder {
  /** For `order by`. */
  by(direction: 'asc' | 'desc'): RawBuilder<unknown>;
  /** The call began at this time or later, in milliseconds since 1970. */
  since(time: number): RawBuilder<SqlBool>;
  /** The call began before this time, in milliseconds since 1970. */
  until(time: number): RawBuilder<SqlBool>;
  /** Compares the place of the call with another one. */
  is(comparison: '<' | '<=' | '>' | '>=', position: CallPosition): RawBuilder<SqlBool>;
}

const POSTGRES: CallOrder = {
  by: (direction) => sql`r.created_at ${sql.raw(direction)}, r.id ${sql.raw(direction)}`,
  since: (time) => sql`r.created_at >= ${time}`,
  until: (time) => sql`r.created_at < ${time}`,
  is: (comparison, { createdAt, id }) => sql`(r.created_at, r.id) ${sql.raw(comparison)} (${createdAt}, ${id})`,
};

const SQLITE: CallOrder = {
  by: (direction) => sql`r.id ${sql.raw(direction)}`,
  since: (time) => sql`r.id >= ${firstIdAt(time)}`,
  until: (time) => sql`r.id < ${firstIdAt(time)}`,
  is: (comparison, { id }) => sql`r.id ${sql.raw(comparison)} ${id}`,
};

/** Returns the SQL for a store. */
export function callOrder(executor: Executor): CallOrder {
  return locksRows(executor) ? POSTGRES : SQLITE;
}

/**
 * SQL for the row id of the last call under a grant; null if there is none. On SQLite, triggers keep it (`call-file.ts`).
 *
 * @param grantId SQL for the row id of the grant.
 */
export function lastCallOf(executor: Executor, grantId: RawBuilder<unknown>): RawBuilder<string> {
  return locksRows(executor)
    ? sql`(select l.id from call_records l where l.grant_id = ${grantId} order by l.created_at desc, l.id desc limit 1)`
    : sql`(select l.call_id from last_calls l where l.grant_id = ${grantId})`;
}

/**
 * SQL condition: the call, with the alias `r`, is of the user. On SQLite the index of users has the end of their ids, which takes a third of the
 * space of the whole index.
 *
 * @param userId a row id, or SQL for one.
 */
export function isOfUser(executor: Executor, userId: string | RawBuilder<string>): RawBuilder<SqlBool> {
  const isEqual = sql<SqlBool>`r.user_id = ${userId}`;
  return locksRows(executor) ? isEqual : sql`(substr(r.user_id, -8) = substr(${userId}, -8) and ${isEqual})`;
}
