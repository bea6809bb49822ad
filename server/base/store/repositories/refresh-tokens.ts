/** Refresh tokens, stored by hash. A used one stays until it would have expired, so that a replay is recognised. */

import { columnsOf, hasRow, newId, type Row, toRow } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

/** The column `issues_at` has the name that it had before 0.1.0, when a refresh took two steps. */
const TOKEN = [
  ...columnsOf(CORE_TABLES.tables.refresh_tokens, { except: ['issues_at'] }),
  'issues_at as sharedUntil',
] as const;

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

/** Finds the token whose refresh issued this one. Returns undefined for a token that the exchange of an authorization code issued. */
export async function findPredecessor(
  executor: Executor,
  { id, grantId, createdAt }: RefreshToken,
): Promise<RefreshToken | undefined> {
  return executor
    .selectFrom('refresh_tokens')
    .select(TOKEN)
    .where('grant_id', '=', grantId)
    .where('id', '!=', id)
    .where('used_at', '=', createdAt)
    .limit(1)
    .executeTakeFirst();
}

/**
 * Marks the token as used, and stores until when its answer is shared, and the sealed seed of that answer. Only one of several concurrent callers
 * succeeds.
 *
 * @param use.previous `sharedUntil` of the row that the caller read, like `previousSeed`.
 * @returns false if the token is used, or its row has changed.
 */
export async function spendRefreshToken(
  executor: Executor,
  use: {
    id: string;
    previous: number | null;
    previousSeed: string | null;
    sharedUntil: number;
    sealedSeed: string | null;
    now: number;
  },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('refresh_tokens')
      .set({ used_at: use.now, issues_at: use.sharedUntil, sealed_seed: use.sealedSeed })
      .where('id', '=', use.id)
      .where('used_at', 'is', null)
      .where('issues_at', use.previous === null ? 'is' : '=', use.previous)
      .where('sealed_seed', use.previousSeed === null ? 'is' : '=', use.previousSeed)
      .returning('id'),
  );
}
