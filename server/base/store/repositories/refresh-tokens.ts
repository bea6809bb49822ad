/**
 * Refresh tokens, stored by hash. A used one stays until it would have expired, so that a replay is recognised.
 *
 * A use has two steps. The first request opens it: it stores when the successor is due, and the sealed seed that the
 * successor is derived from. The first request after that time finishes it.
 */

import { columns, hasRow, newId, type Row, toRow } from '../rows.ts';
import type { Executor } from '../schema.ts';

const TOKEN = columns(
  'id',
  'token_hash',
  'grant_id',
  'created_at',
  'expires_at',
  'used_at',
  'issues_at',
  'sealed_seed',
);

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
 * Opens a use, replacing the one that is due at `previous`. Only one of several concurrent callers succeeds.
 *
 * @returns false if the token is used, or another use is open.
 */
export async function openRefresh(
  executor: Executor,
  use: { id: string; previous: number | null; issuesAt: number; sealedSeed: string },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('refresh_tokens')
      .set({ issues_at: use.issuesAt, sealed_seed: use.sealedSeed })
      .where('id', '=', use.id)
      .where('used_at', 'is', null)
      .where('issues_at', use.previous === null ? 'is' : '=', use.previous)
      .returning('id'),
  );
}

/**
 * Finishes the use that is due at `issuesAt`. Only one of several concurrent callers succeeds.
 *
 * @param use.keepSeed false erases the seed, so that the successor can no longer be derived from the store.
 * @returns false if the token is used, or another use is open.
 */
export async function finishRefresh(
  executor: Executor,
  use: { id: string; issuesAt: number; now: number; keepSeed: boolean },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('refresh_tokens')
      .set({ used_at: use.now, ...(use.keepSeed ? {} : { sealed_seed: null }) })
      .where('id', '=', use.id)
      .where('used_at', 'is', null)
      .where('issues_at', '=', use.issuesAt)
      .returning('id'),
  );
}
