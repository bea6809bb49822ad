/** `POST /api/mcp/oauth/token`: exchanges codes, refresh tokens and assertions for access tokens (RFC 6749 §3.2). */

import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayMiddleware } from '../../base/http/state.ts';
import { type GrantOutcome, isOfPartner, requireGrantType } from '../grants/grant-outcome.ts';
import { disconnectedOf, type RefreshRequest } from '../grants/refresh/request.ts';
import { OAuthError } from '../protocol/error.ts';
import { readOAuthForm } from '../protocol/form.ts';
import { exchangeAuthorizationCode, type GrantRequest } from './authorization-codes.ts';
import { authenticateByHeader, readSentCredentials, type Sender } from './client-authentication.ts';
import { acceptsRedirectUri } from './client-documents.ts';
import type { OAuthContext } from './context.ts';

interface TokenRequest extends RefreshRequest {
  readonly sender: Sender;
}

type GrantHandler = (request: TokenRequest) => Promise<GrantOutcome>;

/** For grant types that partners do not use. */
type ClientExchange = (request: GrantRequest) => Promise<GrantOutcome>;

/**
 * Answers with tokens.
 *
 * A partner may also send the refresh tokens of its connect flows here, with its own credentials, so that it needs only
 * one token endpoint.
 *
 * @throws {OAuthError} `invalid_client` (401), `unsupported_grant_type`, `unauthorized_client` (400), and those of the
 * grant type.
 */
export function exchangeGrant(deps: OAuthContext): GatewayMiddleware {
  const { db } = deps;
  const ofClient =
    (exchange: ClientExchange): GrantHandler =>
    ({ sender, form, origin }) => {
      if (!('client' in sender)) {
        const description = 'A partner redeems the code of a connect flow at POST /api/oauth/token.';
        throw new OAuthError(400, 'unauthorized_client', description);
      }
      return exchange({ client: sender.client, form, origin, now: deps.now() });
    };
  const grantTypes: ReadonlyMap<string, GrantHandler> = new Map<string, GrantHandler>([
    [
      'authorization_code',
      ofClient((request) => db.transaction().execute((transaction) => exchangeAuthorizationCode(transaction, request))),
    ],
    [
      'refresh_token',
      (request) =>
        deps.refresh(request, (grant) => {
          const { sender } = request;
          if (!('client' in sender)) return isOfPartner(grant, sender.partner);
          return grant.clientId === sender.client.clientId && acceptsRedirectUri(sender.client, grant.redirectUri);
        }),
    ],
    ...deps.grantTypes.map(({ name, exchange }) => [name, ofClient((request) => exchange(deps, request))] as const),
  ]);
  return async (ctx) => {
    const headerSender = await authenticateByHeader(deps.authenticate, ctx);
    const form = await readOAuthForm(ctx.req);
    const exchange = requireGrantType(form, grantTypes);
    const credentials = readSentCredentials(ctx, form);
    const sender = headerSender ?? (await deps.authenticate(credentials));
    if ('partner' in sender) await deps.callerLimits.countPartner(sender.partner.id);
    const outcome = await exchange({ sender, form, origin: originOf(ctx), disconnected: disconnectedOf(ctx.res) });
    if ('refusal' in outcome) throw outcome.refusal;
    ctx.body = outcome.tokens;
  };
}
