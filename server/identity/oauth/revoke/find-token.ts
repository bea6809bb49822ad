/** Finds a token to revoke, and to whom it was issued. */

import { hashSecret } from '../../../base/secrets.ts';
import { findAccessTokenByHash } from '../../../base/store/repositories/access-tokens.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findGrant, type Grant } from '../../../base/store/repositories/oauth-grants.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import { findRefreshToken } from '../../../base/store/repositories/refresh-tokens.ts';
import { findUserById } from '../../../base/store/repositories/users.ts';
import type { Executor } from '../../../base/store/schema.ts';

/** A token of either type, whether or not it is still valid. */
export interface FoundToken {
  /** Row id of an access token; null: it is a refresh token, and `grant` is set. */
  readonly accessTokenId: string | null;
  readonly grant: Grant | null;
  readonly userId: string;
  /** Row id. */
  readonly partnerId: string;
  /** `client_id` of the OAuth client, or of the partner when no OAuth client got the token. */
  readonly issuedTo: string;
  /** True when its owner has a secret: a confidential client, or a partner that redeemed a code. */
  readonly isConfidential: boolean;
}

/** Looks for a token of both types, so that a wrong hint does no harm (RFC 7009 §2.1). */
export async function findToken(executor: Executor, token: string): Promise<FoundToken | undefined> {
  const tokenHash = hashSecret(token);
  const refreshToken = await findRefreshToken(executor, tokenHash);
  const accessToken = refreshToken === undefined ? await findAccessTokenByHash(executor, tokenHash) : undefined;
  const grantId = refreshToken?.grantId ?? accessToken?.grantId ?? null;
  const grant = grantId === null ? null : ((await findGrant(executor, grantId)) ?? null);
  const user = await findUserById(executor, grant?.userId ?? accessToken?.userId ?? '');
  const partner = user && (await findPartner(executor, user.partnerId));
  if (user === undefined || partner === undefined) return undefined;
  const client = grant?.clientId == null ? undefined : await findClient(executor, grant.clientId);
  return {
    accessTokenId: accessToken?.id ?? null,
    grant,
    userId: user.id,
    partnerId: partner.id,
    issuedTo: grant?.clientId ?? partner.clientId,
    isConfidential: grant !== null && client?.confidential !== false,
  };
}
