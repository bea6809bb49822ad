/** `POST /api/mcp/oauth/token`: codes and refresh tokens become access tokens (RFC 6749 §3.2). */

import { requireGrantType } from '../../grants/grant-outcome.ts';
import { exchangeRefreshToken } from '../../grants/refresh.ts';
import { originOf } from '../../http/request-origin.ts';
import type { GatewayMiddleware } from '../../http/state.ts';
import { readClientCredentials } from '../../oauth-protocol/client-credentials.ts';
import { readOAuthForm } from '../../oauth-protocol/form.ts';
import type { Store } from '../../store/index.ts';
import { authenticateClient } from '../client-authentication.ts';
import { exchangeAuthorizationCode } from './authorization-code.ts';
import type { GrantHandler } from './grant-request.ts';

interface TokenDependencies {
  readonly store: Pick<Store, 'db'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const GRANT_TYPES: ReadonlyMap<string, GrantHandler> = new Map([
  ['authorization_code', exchangeAuthorizationCode],
  [
    'refresh_token',
    (transaction, request) =>
      exchangeRefreshToken(transaction, request, (grant) => grant.clientId === request.client.clientId),
  ],
]);

/**
 * Answers with tokens.
 *
 * @throws {OAuthError} `invalid_client` (401), `unsupported_grant_type` (400), and those of the grant type.
 */
export function exchangeGrant(deps: TokenDependencies): GatewayMiddleware {
  return async (ctx) => {
    const form = await readOAuthForm(ctx.req);
    const exchange = requireGrantType(form, GRANT_TYPES);
    const { db } = deps.store;
    const credentials = readClientCredentials(ctx.get('Authorization'), {
      clientId: form.get('client_id'),
      clientSecret: form.get('client_secret'),
    });
    const client = await authenticateClient(db, credentials);
    const request = { client, form, now: deps.now(), origin: originOf(ctx) };
    const outcome = await db.transaction().execute((transaction) => exchange(transaction, request));
    if ('refusal' in outcome) throw outcome.refusal;
    ctx.body = outcome.tokens;
  };
}
