/**
 * Handles conflicts between PostgreSQL transactions: rows are locked in one order, and remaining conflicts are retried.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Database, Executor } from './schema.ts';

/** SQLSTATE of a deadlock and of a serialization failure. Both roll back everything. */
const CONFLICTS = new Set(['40P01', '40001']);
const FOREIGN_KEY = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);

const MAX_ATTEMPTS = 5;
const MAX_FIRST_WAIT_MS = 20;

/** True for a foreign key violation of either dialect: the referenced row was removed meanwhile. */
export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY.has(codeOf(error));
}

/**
 * Retries every transaction of `db` up to four times after a conflict in PostgreSQL.
 *
 * Waits a random time between attempts, up to 20 ms at first, and doubles that each time. So every transaction must be
 * safe to repeat.
 */
export function retryConflicts(db: Kysely<Database>): Kysely<Database> {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => retryOnConflict(() => execute(work));
    return builder;
  };
  return db;
}

/** Retries a transaction or a single statement up to four times after a conflict in PostgreSQL. */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attemptNumber === MAX_ATTEMPTS || !CONFLICTS.has(codeOf(error))) throw error;
      await sleep(Math.random() * MAX_FIRST_WAIT_MS * 2 ** (attemptNumber - 1));
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Returns true if a row must be locked before rows that belong to it are changed.
 *
 * The order is: user, grant, then everything that belongs to them. The removal of a user locks in the same order, so that a transaction that holds a
 * code never waits for one that holds its user. SQLite runs one write transaction at a time.
 */
export function locksRows(executor: Executor): boolean {
  return executor.getExecutor().adapter instanceof PostgresAdapter;
}

/** True for a unique violation of either dialect: SQLSTATE 23505, or SQLite's extended codes for it. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return (
    error.code === '23505' || error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  );
}
