/** Removes what is older than the rules of `retention.ts` allow, again and again while the gateway runs. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { CALL_TABLES } from './call-file.ts';
import { locksRows } from './conflicts.ts';
import type { Store } from './index.ts';
import { hasNoOpenConsent } from './repositories/oauth-clients.ts';
import { isUnnamed } from './repositories/tool-facts.ts';
import type { RetentionRule } from './retention.ts';
import { firstIdAt } from './rows.ts';
import type { Executor } from './schema.ts';

/** Interval at which the gateway purges, in milliseconds. */
const PURGE_INTERVAL_MS = 900_000;

/** Rows that a statement changes at most, so that writers of other processes never wait long. */
const BATCH_ROWS = 500;

/** Options of the timer. */
interface PurgeTimerOptions {
  readonly store: Store;
  readonly rules: readonly RetentionRule[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: `PURGE_INTERVAL_MS`. */
  readonly intervalMs?: number;
  /** Called with what was removed, by table, when anything was. */
  readonly onPurged: (removed: Readonly<Record<string, number>>) => void;
  /** Called with why a purge failed; the next one tries again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Starts the timer, which does not keep the process alive. The first purge comes after one interval.
 *
 * @returns a function that stops it after the current batch.
 */
export function startPurging(options: PurgeTimerOptions): () => Promise<void> {
  const stopping = new AbortController();
  let purging: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    purging = purging.then(() => purgeOnce(options, stopping.signal));
  }, options.intervalMs ?? PURGE_INTERVAL_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await purging;
  };
}

/** Purges, and takes what was deleted since the last time off the disk. Never throws. */
export async function purgeOnce(options: PurgeTimerOptions, signal: AbortSignal): Promise<void> {
  try {
    const removed = await purge(options.store, options.rules, { now: options.now(), signal });
    for (const db of [options.store.calls, options.store.db]) await eraseDeleted(db);
    if (Object.values(removed).some((rows) => rows > 0)) options.onPurged(removed);
  } catch (error) {
    options.onError(error);
  }
}

/**
 * Removes what is older than its rule allows, batch by batch, and lets others run in between.
 *
 * Several processes may purge at once. An aborted `signal` ends the loop after the current batch.
 *
 * @returns rows removed or emptied per table.
 */
export async function purge(
  store: Store,
  rules: readonly RetentionRule[],
  options: { now: number; signal?: AbortSignal; batchRows?: number },
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  const batchRows = options.batchRows ?? BATCH_ROWS;
  for (const rule of rules) {
    removed[rule.table] ??= 0;
    for (let batch = batchRows; batch === batchRows && options.signal?.aborted !== true; ) {
      batch = await removeBatch(store, rule, options.now, batchRows);
      removed[rule.table] = (removed[rule.table] ?? 0) + batch;
      await nextTurn();
    }
  }
  return removed;
}

async function removeBatch(
  { dialect, ...store }: Store,
  rule: RetentionRule,
  now: number,
  rows: number,
): Promise<number> {
  const before = now - rule.keepMs;
  // On SQLite, the id is the index of time.
  const isById = dialect === 'sqlite' && rule.table === 'call_records';
  const [column, bound] = isById ? [rule.key, firstIdAt(before)] : [rule.column, before];
  const db = CALL_TABLES.includes(rule.table) ? store.calls : store.db;
  const { ref } = db.dynamic;
  let old = db
    .selectFrom(rule.table as 'access_tokens')
    .select(ref<'id'>(rule.key))
    .where(ref(column), '<', bound)
    .orderBy(ref(column))
    .limit(rows);
  if (rule.whereNull !== undefined) old = old.where(ref(rule.whereNull), 'is', null);
  if (rule.clears !== undefined) old = old.where(ref(rule.clears), 'is not', null);
  if (rule.table === 'tool_facts') old = old.where(isUnnamed(db));
  if (rule.table === 'oauth_clients') old = old.where(hasNoOpenConsent(now));
  if (dialect === 'postgres') old = old.forUpdate().skipLocked();
  if (rule.clears !== undefined) {
    const { numUpdatedRows } = await db
      .updateTable(rule.table as 'refresh_tokens')
      .set({ [rule.clears]: null })
      .where(ref(rule.key), 'in', old)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }
  const { numDeletedRows } = await db
    .deleteFrom(rule.table as 'access_tokens')
    .where(ref(rule.key), 'in', old)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Empties SQLite's write-ahead logs, which hold deleted rows until they are overwritten. In the files themselves, zeros replace them
 * (`secure_delete`).
 *
 * Call it after the transaction that deleted. A reader in another process may prevent this; the next purge then does it. PostgreSQL takes care of its
 * own files.
 */
export async function eraseDeleted(db: Executor): Promise<void> {
  if (locksRows(db)) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
