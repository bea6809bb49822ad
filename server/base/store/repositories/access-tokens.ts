/** Access tokens, stored by hash. The request path reads them through `Store.findAccessToken` instead. */

import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

/** The stored properties of an access token that is about to be issued. */
export interface NewAccessToken {
  /** SHA-256 of the token as base64url. */
  readonly tokenHash: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Null: every service that the user has connected, now or later. */
  readonly services: readonly string[] | null;
  /** Resource indicator (RFC 8707). */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The grant that the token is revoked with. Default: none. */
  readonly grantId?: string;
}

interface AccessToken {
  readonly id: string;
  readonly userId: string;
  readonly grantId: string | null;
  /** Milliseconds since 1970; null: not used, or not recorded (see `markAccessTokenUsed`). */
  readonly firstUsedAt: number | null;
}

/** Adds an access token unless it exists already. @returns the row id of a new one, which is safe to log. */
export async function insertAccessToken(executor: Executor, token: NewAccessToken): Promise<string> {
  const id = newId(token.now);
  await executor
    .insertInto('access_tokens')
    .values({
      id,
      token_hash: token.tokenHash,
      user_id: token.userId,
      scopes: token.scopes.join(' '),
      services: token.services === null ? null : token.services.join(','),
      resource: token.resource,
      created_at: token.now,
      expires_at: token.expiresAt,
      revoked_at: null,
      grant_id: token.grantId ?? null,
      first_used_at: null,
    })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .execute();
  return id;
}

/** Revokes an access token at once. @returns false if there is no such token or it was already revoked. */
export async function revokeAccessToken(executor: Executor, id: string, now: number): Promise<boolean> {
  const revoked = await executor
    .updateTable('access_tokens')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return revoked !== undefined;
}

/** Records when an access token was first used. Later calls change nothing. */
export async function markAccessTokenUsed(executor: Executor, id: string, now: number): Promise<void> {
  await executor
    .updateTable('access_tokens')
    .set({ first_used_at: now })
    .where('id', '=', id)
    .where('first_used_at', 'is', null)
    .execute();
}

/** Finds an access token whether or not it is still valid. */
export async function findAccessTokenByHash(executor: Executor, tokenHash: string): Promise<AccessToken | undefined> {
  return executor
    .selectFrom('access_tokens')
    .select(['id', 'user_id as userId', 'grant_id as grantId', 'first_used_at as firstUsedAt'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}
