/** `POST /api/mcp/oauth/token`: codes, refresh tokens and identity assertions become access tokens (RFC 6749 §3.2). */

import type { Kysely } from 'kysely';
import { type GrantOutcome, requireGrantType } from '../../grants/grant-outcome.ts';
import { exchangeRefreshToken } from '../../grants/refresh.ts';
import { originOf } from '../../http/request-origin.ts';
import type { GatewayMiddleware } from '../../http/state.ts';
import { readClientCredentials } from '../../oauth-protocol/client-credentials.ts';
import { readOAuthForm } from '../../oauth-protocol/form.ts';
import type { Store } from '../../store/index.ts';
import type { Database } from '../../store/schema.ts';
import { authenticateClient } from '../client-authentication.ts';
import { exchangeAuthorizationCode } from './authorization-code.ts';
import type { GrantHandler, GrantRequest } from './grant-request.ts';
import {
  exchangeIdentityAssertion,
  type IdentityAssertionDependencies,
  JWT_BEARER_GRANT,
} from './identity-assertion/index.ts';

interface TokenDependencies extends IdentityAssertionDependencies {
  readonly store: Pick<Store, 'db'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Exchanges what one grant type brings, in a transaction of its own. */
type Exchange = (db: Kysely<Database>, request: GrantRequest) => Promise<GrantOutcome>;

function createGrantTypes(deps: TokenDependencies): ReadonlyMap<string, Exchange> {
  return new Map([
    ['authorization_code', inTransaction(exchangeAuthorizationCode)],
    [
      'refresh_token',
      inTransaction((transaction, request) =>
        exchangeRefreshToken(transaction, request, (grant) => grant.clientId === request.client.clientId),
      ),
    ],
    [JWT_BEARER_GRANT, exchangeIdentityAssertion(deps)],
  ]);
}

function inTransaction(exchange: GrantHandler): Exchange {
  return (db, request) => db.transaction().execute((transaction) => exchange(transaction, request));
}

/**
 * Answers with tokens.
 *
 * @throws {OAuthError} `invalid_client` (401), `unsupported_grant_type` (400), and those of the grant type.
 */
export function exchangeGrant(deps: TokenDependencies): GatewayMiddleware {
  const grantTypes = createGrantTypes(deps);
  return async (ctx) => {
    const form = await readOAuthForm(ctx.req);
    const exchange = requireGrantType(form, grantTypes);
    const { db } = deps.store;
    const credentials = readClientCredentials(ctx.get('Authorization'), {
      clientId: form.get('client_id'),
      clientSecret: form.get('client_secret'),
    });
    const client = await authenticateClient(db, credentials);
    const request = { client, form, now: deps.now(), origin: originOf(ctx) };
    const outcome = await exchange(db, request);
    if ('refusal' in outcome) throw outcome.refusal;
    ctx.body = outcome.tokens;
  };
}
