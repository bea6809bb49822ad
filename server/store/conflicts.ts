/** Transactions that PostgreSQL ends because of others: the rows they lock have one order, and what still collides is tried again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Database, Executor } from './schema.ts';

/** SQLSTATE of a deadlock, and of a transaction that cannot be put into an order with others. Nothing of either was kept. */
const CONFLICTS = new Set(['40P01', '40001']);
const FOREIGN_KEY = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);

const MAX_ATTEMPTS = 5;
const MAX_FIRST_WAIT_MS = 20;

/** True for a row that names another one which is not there, of either dialect: someone removed it meanwhile. */
export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY.has(codeOf(error));
}

/**
 * Makes every transaction of `db` run again, up to four times, when PostgreSQL ended it because of another.
 *
 * Waits a random time between, up to 20 ms and twice as long each time. So what a transaction does must be safe to do again.
 */
export function retryConflicts(db: Kysely<Database>): Kysely<Database> {
  const begin = db.transaction.bind(db);
  db.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => tryAgain(() => execute(work));
    return builder;
  };
  return db;
}

/** Repeats what PostgreSQL ended because of another, up to four times: a transaction, or a statement that stands alone. */
export async function tryAgain<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let made = 1; ; made += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (made === MAX_ATTEMPTS || !CONFLICTS.has(codeOf(error))) throw error;
      await sleep(Math.random() * MAX_FIRST_WAIT_MS * 2 ** (made - 1));
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * True where rows must be locked before what belongs to them is changed.
 *
 * The order is: user, grant, then everything that belongs to them. A user that is removed takes them along in the same
 * order, so that no one who holds a code waits for someone who holds its user. SQLite's transactions take turns anyway.
 */
export function locksRows(executor: Executor): boolean {
  return executor.getExecutor().adapter instanceof PostgresAdapter;
}
