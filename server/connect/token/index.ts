/** `POST /api/oauth/token`: a partner redeems the code of a connect flow, and renews the tokens that it got. */

import type { CredentialVault } from '../../credentials/index.ts';
import { type GrantOutcome, requireGrantType } from '../../grants/grant-outcome.ts';
import { exchangeRefreshToken } from '../../grants/refresh.ts';
import { originOf } from '../../http/request-origin.ts';
import type { GatewayMiddleware } from '../../http/state.ts';
import { readOAuthForm } from '../../oauth-protocol/form.ts';
import { requirePartner } from '../../partners/require-partner.ts';
import type { Store } from '../../store/index.ts';
import { findUserById } from '../../store/repositories/users.ts';
import type { Executor } from '../../store/schema.ts';
import { type RedeemRequest, redeemCode } from './redeem-code.ts';

interface ConnectTokenDependencies {
  readonly store: Pick<Store, 'db'>;
  readonly vault: CredentialVault;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type GrantHandler = (transaction: Executor, request: RedeemRequest) => Promise<GrantOutcome>;

const GRANT_TYPES: ReadonlyMap<string, GrantHandler> = new Map<string, GrantHandler>([
  ['authorization_code', redeemCode],
  [
    'refresh_token',
    (transaction, request) =>
      exchangeRefreshToken(
        transaction,
        request,
        (grant) => grant.clientId === null && grant.partnerId === request.partner.id,
      ),
  ],
]);

/**
 * Answers with tokens, and with the `user_id` and the `service` of the connect flow that they began with.
 *
 * @throws {OAuthError} `invalid_client` (401), `unsupported_grant_type` (400), and those of the grant type.
 */
export function exchangeConnectGrant(deps: ConnectTokenDependencies): GatewayMiddleware {
  const { vault, resource } = deps;
  const { db } = deps.store;
  return async (ctx) => {
    const form = await readOAuthForm(ctx.req);
    const exchange = requireGrantType(form, GRANT_TYPES);
    const partner = await requirePartner(db, ctx.get('Authorization'), form);
    const request = { partner, form, vault, resource, now: deps.now(), origin: originOf(ctx) };
    const answer = await db.transaction().execute(async (transaction) => {
      const outcome = await exchange(transaction, request);
      if ('refusal' in outcome) return outcome;
      const user = await findUserById(transaction, outcome.grant.userId);
      return { ...outcome.tokens, user_id: user?.externalUserId, service: outcome.grant.service };
    });
    if ('refusal' in answer) throw answer.refusal;
    ctx.body = answer;
  };
}
