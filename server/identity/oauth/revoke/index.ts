/** `POST /api/mcp/oauth/revoke`: revokes a token at once (RFC 7009). */

import type { CallerLimits } from '../../../base/http/limits/caller-limits.ts';
import { originOf, type RequestOrigin } from '../../../base/http/request-origin.ts';
import type { GatewayMiddleware } from '../../../base/http/state.ts';
import type { Store } from '../../../base/store/index.ts';
import { revokeAccessToken } from '../../../base/store/repositories/access-tokens.ts';
import { recordAuditEvent } from '../../../base/store/repositories/audit-events.ts';
import { revokeGrant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { OAuthError } from '../../protocol/error.ts';
import { readOAuthForm } from '../../protocol/form.ts';
import { type AuthenticateSender, authenticateByHeader, readSentCredentials } from '../client-authentication.ts';
import { checkOwner } from './check-owner.ts';
import { type FoundToken, findToken } from './find-token.ts';

interface RevokeDependencies {
  readonly store: Pick<Store, 'db'>;
  readonly authenticate: AuthenticateSender;
  readonly callerLimits: CallerLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Revokes an access token, or the whole grant of a refresh token, with its access tokens. Answers 200 without a body, also
 * for a token that is unknown, revoked or expired (RFC 7009 §2.2). `token_type_hint` is ignored.
 *
 * @throws {OAuthError} `invalid_request` (400) without a token, and those of `checkOwner`.
 */
export function revokeToken(deps: RevokeDependencies): GatewayMiddleware {
  return async (ctx) => {
    const known = await authenticateByHeader(deps.authenticate, ctx);
    const form = await readOAuthForm(ctx.req);
    const text = form.get('token');
    if (text === undefined) throw new OAuthError(400, 'invalid_request', 'token is missing.');
    const credentials = readSentCredentials(ctx, form);
    const { db } = deps.store;
    const token = await findToken(db, text);
    const sender = await checkOwner(deps.authenticate, credentials, token, known);
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
  await recordAuditEvent(transaction, {
    type: accessTokenId === null ? 'grant_revoked' : 'access_token_revoked',
    now,
    partnerId,
    userId,
    clientId: grant?.clientId ?? null,
    grantId: grant?.id ?? null,
    ...origin,
    ...(accessTokenId === null ? {} : { details: { tokenId: accessTokenId } }),
  });
}
