/** Refresh tokens, stored by hash. A used one stays until it would have expired, so that a replay is recognised. */

import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

interface RefreshToken {
  readonly id: string;
  readonly grantId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** When it was exchanged for its successor, in milliseconds since 1970. */
  readonly usedAt: number | null;
}

/** Adds a refresh token. @returns its row id, which is safe to log. */
export async function insertRefreshToken(
  executor: Executor,
  token: { tokenHash: string; grantId: string; now: number; expiresAt: number },
): Promise<string> {
  const id = newId(token.now);
  await executor
    .insertInto('refresh_tokens')
    .values({
      id,
      token_hash: token.tokenHash,
      grant_id: token.grantId,
      created_at: token.now,
      expires_at: token.expiresAt,
      used_at: null,
    })
    .execute();
  return id;
}

/** Finds a token whether or not it can still be used. */
export async function findRefreshToken(executor: Executor, tokenHash: string): Promise<RefreshToken | undefined> {
  return executor
    .selectFrom('refresh_tokens')
    .select(['id', 'grant_id as grantId', 'expires_at as expiresAt', 'used_at as usedAt'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

/** Uses a token up; of any number of simultaneous callers exactly one. @returns false when it was used or has expired. */
export async function useRefreshToken(executor: Executor, id: string, now: number): Promise<boolean> {
  const used = await executor
    .updateTable('refresh_tokens')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}
