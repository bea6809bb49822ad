/**
 * Refresh tokens, stored by hash. A used one stays until it would have expired, so that a replay is recognised.
 *
 * An exchange of a token for its successor has two steps. The first request opens it: it stores when the successor is due, and the sealed seed that
 * the successor is derived from. The first request after that time finishes it: the token is used from then on.
 */

import { columnsOf, hasRow, newId, type Row, toRow } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

const TOKEN = columnsOf(CORE_TABLES.tables.refresh_tokens);

export type RefreshToken = Row<'refresh_tokens', typeof TOKEN>;

/** Adds a refresh token. @returns its row id, which is safe to log. */
export async function insertRefreshToken(
  executor: Executor,
  token: { tokenHash: string; grantId: string; now: number; expiresAt: number },
): Promise<string> {
  const id = newId(token.now);
  await executor
    .insertInto('refresh_tokens')
    .values(toRow(TOKEN, { id, ...token, createdAt: token.now }))
    .execute();
  return id;
}

/** Finds a token whether or not it can still be used. */
export async function findRefreshToken(executor: Executor, tokenHash: string): Promise<RefreshToken | undefined> {
  return executor.selectFrom('refresh_tokens').select(TOKEN).where('token_hash', '=', tokenHash).executeTakeFirst();
}

/**
 * Opens an exchange, or changes the open one, replacing what is due at `previous` with `previousSeed`. Only one of several concurrent callers
 * succeeds.
 *
 * @returns false if the token is used, or another exchange is open.
 */
export async function openRefresh(
  executor: Executor,
  exchange: {
    id: string;
    previous: number | null;
    previousSeed: string | null;
    issuesAt: number;
    sealedSeed: string;
  },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('refresh_tokens')
      .set({ issues_at: exchange.issuesAt, sealed_seed: exchange.sealedSeed })
      .where('id', '=', exchange.id)
      .where('used_at', 'is', null)
      .where('issues_at', exchange.previous === null ? 'is' : '=', exchange.previous)
      .where('sealed_seed', exchange.previousSeed === null ? 'is' : '=', exchange.previousSeed)
      .returning('id'),
  );
}

/**
 * Finishes the exchange that is due at `issuesAt`. Only one of several concurrent callers succeeds.
 *
 * @returns undefined if the token is used, or another exchange is open.
 */
export async function finishRefresh(
  executor: Executor,
  exchange: { id: string; issuesAt: number; now: number },
): Promise<RefreshToken | undefined> {
  return executor
    .updateTable('refresh_tokens')
    .set({ used_at: exchange.now })
    .where('id', '=', exchange.id)
    .where('used_at', 'is', null)
    .where('issues_at', '=', exchange.issuesAt)
    .returning(TOKEN)
    .executeTakeFirst();
}

/** Erases the seed, so that the successor can no longer be derived from the store. */
export async function eraseSeed(executor: Executor, id: string): Promise<void> {
  await executor.updateTable('refresh_tokens').set({ sealed_seed: null }).where('id', '=', id).execute();
}
