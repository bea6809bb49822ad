/** Counts of guesses at a secret, a code or a credential, shared by all gateways. */

import type { Executor } from '../schema.ts';

/**
 * Counts one guess.
 *
 * The window begins with its first guess and does not move. Call it on the database rather than in a transaction
 * that may be rolled back.
 *
 * @returns the guesses in the window so far, including this one. The count is exact under any concurrency.
 */
export async function countGuess(
  executor: Executor,
  key: string,
  window: { windowMs: number; now: number },
): Promise<number> {
  const { now } = window;
  const expiresAt = now + window.windowMs;
  const { count } = await executor
    .insertInto('attempt_counters')
    .values({ key, count: 1, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        count: row
          .case()
          .when('attempt_counters.expires_at', '<=', now)
          .then(row.lit(1))
          .else(row('attempt_counters.count', '+', row.lit(1)))
          .end(),
        expires_at: row
          .case()
          .when('attempt_counters.expires_at', '<=', now)
          .then(row.val(expiresAt))
          .else(row.ref('attempt_counters.expires_at'))
          .end(),
      })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
}

/** Takes back one guess that should not have counted. A count of 0 leaves no row. */
export async function uncountGuess(executor: Executor, key: string): Promise<void> {
  const { numDeletedRows } = await executor
    .deleteFrom('attempt_counters')
    .where('key', '=', key)
    .where('count', '<=', 1)
    .executeTakeFirst();
  if (numDeletedRows > 0n) return;
  await executor
    .updateTable('attempt_counters')
    .set((row) => ({ count: row('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

/** The guesses in the window so far; 0 if no window is open. */
export async function readGuesses(executor: Executor, key: string, now: number): Promise<number> {
  const row = await executor
    .selectFrom('attempt_counters')
    .select('count')
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.count ?? 0;
}
