/** `POST /api/oauth/token`: a partner redeems the code of a connect flow, and refreshes the tokens that it got. */

import type { CredentialVault } from '../../base/credentials/index.ts';
import type { CallerLimits } from '../../base/http/limits/caller-limits.ts';
import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayMiddleware } from '../../base/http/state.ts';
import type { Store } from '../../base/store/index.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import type { Accounts } from '../../call/tools/accounts.ts';
import type { CatalogueFacts } from '../../call/tools/catalogue/facts.ts';
import { isOfPartner, requireGrantType } from '../../identity/grants/grant-outcome.ts';
import type { Refresh } from '../../identity/grants/refresh/index.ts';
import { disconnectedOf, type RefreshRequest } from '../../identity/grants/refresh/request.ts';
import { receiveFromPartner } from '../../identity/partners/require-partner.ts';
import { readOAuthForm } from '../../identity/protocol/form.ts';
import { type RedeemOutcome, type RedeemRequest, redeemCode } from './redeem-code.ts';

interface ConnectTokenDependencies {
  readonly store: Pick<Store, 'db'>;
  readonly vault: CredentialVault;
  readonly accounts: Pick<Accounts, 'note'>;
  readonly refresh: Refresh;
  readonly callerLimits: CallerLimits;
  /** The state of the catalogue, which is stored with the permission. */
  readonly facts: CatalogueFacts;
  /** The gateway's resource indicator. */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type GrantHandler = (request: RedeemRequest & RefreshRequest) => Promise<RedeemOutcome>;

/**
 * Answers with tokens, and with the `user_id` and first `service` of the connect flow that they began with; a code also
 * with all `services` that are connected now.
 *
 * @throws {OAuthError} `invalid_client` (401), `unsupported_grant_type` (400), and the errors of the grant type.
 */
export function exchangeConnectGrant(deps: ConnectTokenDependencies): GatewayMiddleware {
  const { vault, facts, resource, refresh } = deps;
  const { db } = deps.store;
  const grantTypes: ReadonlyMap<string, GrantHandler> = new Map<string, GrantHandler>([
    ['authorization_code', (request) => db.transaction().execute((transaction) => redeemCode(transaction, request))],
    ['refresh_token', (request) => refresh(request, (grant) => isOfPartner(grant, request.partner))],
  ]);
  return async (ctx) => {
    const read = async () => ({ form: await readOAuthForm(ctx.req) });
    const { partner, body } = await receiveFromPartner({ ...deps, db }, ctx.get('Authorization'), read);
    const { form } = body;
    const exchange = requireGrantType(form, grantTypes);
    const disconnected = disconnectedOf(ctx.res);
    const now = deps.now();
    const outcome = await exchange({ partner, form, vault, facts, resource, now, origin: originOf(ctx), disconnected });
    if ('refusal' in outcome) throw outcome.refusal;
    const { userId, service } = outcome.grant;
    const { services } = outcome;
    for (const connected of services ?? []) deps.accounts.note({ partnerId: partner.id, userId, service: connected });
    const user = await findUserById(db, userId);
    const names = { user_id: user?.externalUserId, service };
    ctx.body = { ...outcome.tokens, ...names, ...(services === undefined ? {} : { services }) };
  };
}
