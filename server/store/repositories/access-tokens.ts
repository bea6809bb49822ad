/** Access tokens, stored by hash. The request path reads them through `Store.findAccessToken` instead. */

import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

/** What the store keeps of an access token that is about to be handed out. */
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

/** Adds an access token. @returns its row id, which is safe to log. */
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
    })
    .execute();
  return id;
}

/** Revokes an access token at once. @returns false when there is none or it was already revoked. */
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

/** Finds an access token whether or not it is still valid. */
export async function findAccessTokenByHash(
  executor: Executor,
  tokenHash: string,
): Promise<{ readonly id: string; readonly userId: string; readonly grantId: string | null } | undefined> {
  return executor
    .selectFrom('access_tokens')
    .select(['id', 'user_id as userId', 'grant_id as grantId'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}
