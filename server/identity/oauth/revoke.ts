/** `POST /api/mcp/oauth/revoke`: revokes a token at once (RFC 7009). */

import { originOf, type RequestOrigin } from '../../base/http/request-origin.ts';
import type { GatewayMiddleware } from '../../base/http/state.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { emit } from '../../base/store/events.ts';
import { findAccessTokenByHash, revokeAccessToken } from '../../base/store/repositories/access-tokens.ts';
import { findClient } from '../../base/store/repositories/oauth-clients.ts';
import { findGrant, type Grant, revokeGrant } from '../../base/store/repositories/oauth-grants.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import { findRefreshToken } from '../../base/store/repositories/refresh-tokens.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import { invalidClient } from '../protocol/client-credentials.ts';
import { OAuthError } from '../protocol/error.ts';
import { readOAuthForm } from '../protocol/form.ts';
import {
  type AuthenticateSender,
  authenticateByHeader,
  readSentCredentials,
  type Sender,
  type SentCredentials,
} from './client-authentication.ts';
import type { OAuthContext } from './context.ts';

/**
 * Revokes an access token, or the whole grant of a refresh token, with its access tokens. Answers 200 without a body, also
 * for a token that is unknown, revoked or expired (RFC 7009 §2.2). `token_type_hint` is ignored.
 *
 * @throws {OAuthError} `invalid_request` (400) without a token, and those of `checkOwner`.
 */
export function revokeToken(deps: OAuthContext): GatewayMiddleware {
  return async (ctx) => {
    const headerSender = await authenticateByHeader(deps.authenticate, ctx);
    const form = await readOAuthForm(ctx.req);
    const text = form.get('token');
    if (text === undefined) throw new OAuthError(400, 'invalid_request', 'token is missing.');
    const credentials = readSentCredentials(ctx, form);
    const { db } = deps;
    const token = await findToken(db, text);
    const sender = await checkOwner(deps.authenticate, credentials, token, headerSender);
    if (sender !== undefined && 'partner' in sender) await deps.callerLimits.countPartner(sender.partner.id);
    else if (token === undefined) await deps.callerLimits.countRefused(ctx.ip);
    if (token !== undefined) {
      const now = deps.now();
      await db.transaction().execute((transaction) => endToken(transaction, token, { now, origin: originOf(ctx) }));
    }
    ctx.status = 200;
    ctx.body = '';
  };
}

/** A token of either type, whether or not it is still valid. */
interface FoundToken {
  /** Row id of an access token. Null for a refresh token, whose `grant` is set. */
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
async function findToken(executor: Executor, token: string): Promise<FoundToken | undefined> {
  const tokenHash = hashSecret(executor, token);
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

/**
 * Checks credentials of an OAuth client or of a partner (RFC 7009 §2.1).
 *
 * A public client has none, so anyone who holds its token may revoke it. The same is true of tokens that an operator
 * issued. Credentials that are sent must still match.
 *
 * @param headerSender the sender, if it has authenticated by the header.
 * @returns the sender, or undefined if there were no credentials.
 * @throws {OAuthError} `invalid_client` (401) for unknown or missing credentials, `invalid_grant` (400) for a token that
 * was issued to someone else.
 */
async function checkOwner(
  authenticate: AuthenticateSender,
  credentials: SentCredentials,
  token: FoundToken | undefined,
  headerSender: Sender | undefined,
): Promise<Sender | undefined> {
  if (
    headerSender === undefined &&
    credentials.clientId === undefined &&
    credentials.clientSecret === undefined &&
    credentials.assertion === undefined
  ) {
    if (token?.isConfidential === true) throw invalidClient(credentials);
    return undefined;
  }
  const sender = headerSender ?? (await authenticate(credentials));
  const { clientId } = 'client' in sender ? sender.client : sender.partner;
  if (token !== undefined && token.issuedTo !== clientId) {
    throw new OAuthError(400, 'invalid_grant', 'The token was issued to another client.');
  }
  return sender;
}

async function endToken(
  transaction: Executor,
  token: FoundToken,
  { now, origin }: { now: number; origin: RequestOrigin },
): Promise<void> {
  const { accessTokenId, grant, userId, partnerId } = token;
  const ended =
    accessTokenId === null
      ? grant !== null && (await revokeGrant(transaction, grant.id, { reason: 'revoked-by-client', now }))
      : await revokeAccessToken(transaction, accessTokenId, now);
  if (!ended) return;
  await emit(transaction, {
    type: accessTokenId === null ? 'grant_revoked' : 'access_token_revoked',
    now,
    partnerId,
    userId,
    clientId: grant?.clientId ?? null,
    grantId: grant?.id ?? null,
    ...origin,
    details: accessTokenId === null ? undefined : { tokenId: accessTokenId },
  });
}
