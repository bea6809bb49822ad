/** Access tokens: opaque random text, of which the store only has the hash. */

import type { Scope } from '../../base/principal/permission.ts';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { insertAccessToken, type NewAccessToken } from '../../base/store/repositories/access-tokens.ts';
import type { Executor } from '../../base/store/schema.ts';

/** Lifetime of an access token. */
export const ACCESS_TOKEN_TTL_SECONDS = 3600;

/** The user of a new token, its access and its lifetime. */
type AccessTokenGrant = Omit<NewAccessToken, 'expiresAt' | 'scopes' | 'tokenHash'> & {
  readonly scopes: readonly Scope[];
  /** Default: `ACCESS_TOKEN_TTL_SECONDS`. */
  readonly ttlSeconds?: number;
  /** The text of the token, if it is derived. Default: 256 random bits. */
  readonly token?: string;
};

/** A new token. Its text is not kept anywhere else. */
export interface IssuedAccessToken {
  /** Row id, safe to log. */
  readonly id: string;
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Issues a token, `utg_at_...`. If it already exists, its row stays unchanged. */
export async function issueAccessToken(executor: Executor, grant: AccessTokenGrant): Promise<IssuedAccessToken> {
  const { token = createSecret('accessToken') } = grant;
  const expiresAt = grant.now + (grant.ttlSeconds ?? ACCESS_TOKEN_TTL_SECONDS) * 1000;
  const id = await insertAccessToken(executor, { ...grant, tokenHash: hashSecret(executor, token), expiresAt });
  return { id, token, expiresAt };
}
