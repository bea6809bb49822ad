/** Authorization codes (RFC 6749 §4.1.2), stored by hash. */

import type { Executor } from '../schema.ts';

export interface AuthorizationCode {
  /** SHA-256 of the code as base64url. */
  readonly codeHash: string;
  readonly grantId: string;
  /** As in the authorization request, byte for byte. */
  readonly redirectUri: string;
  /** RFC 7636, method S256. */
  readonly codeChallenge: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export async function insertAuthorizationCode(
  executor: Executor,
  code: AuthorizationCode & { now: number },
): Promise<void> {
  await executor
    .insertInto('oauth_codes')
    .values({
      code_hash: code.codeHash,
      grant_id: code.grantId,
      redirect_uri: code.redirectUri,
      code_challenge: code.codeChallenge,
      created_at: code.now,
      expires_at: code.expiresAt,
      consumed_at: null,
    })
    .execute();
}

/** Finds a code whether or not it can still be used. `consumedAt` is in milliseconds since 1970. */
export async function findAuthorizationCode(
  executor: Executor,
  codeHash: string,
): Promise<(AuthorizationCode & { readonly consumedAt: number | null }) | undefined> {
  return executor
    .selectFrom('oauth_codes')
    .select([
      'code_hash as codeHash',
      'grant_id as grantId',
      'redirect_uri as redirectUri',
      'code_challenge as codeChallenge',
      'expires_at as expiresAt',
      'consumed_at as consumedAt',
    ])
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
}

/** Consumes a code; one of several concurrent callers succeeds. @returns false if it was consumed or has expired. */
export async function consumeAuthorizationCode(executor: Executor, codeHash: string, now: number): Promise<boolean> {
  const consumed = await executor
    .updateTable('oauth_codes')
    .set({ consumed_at: now })
    .where('code_hash', '=', codeHash)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('code_hash')
    .executeTakeFirst();
  return consumed !== undefined;
}
