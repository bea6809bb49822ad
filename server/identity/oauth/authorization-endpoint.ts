/** The authorization endpoint's routes: GET begins, POST takes the consent page's form. */

import Router from '@koa/router';
import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../base/http/state.ts';
import { pageErrors } from '../../base/pages/page-errors.ts';
import { createSealedForm } from '../../base/pages/sealed-form.ts';
import type { Database } from '../../base/store/schema.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { checkAuthorizationRequest, redirectToClient } from './authorize.ts';
import type { ClientLookup } from './client-documents.ts';
import { beginConsent, continueConsent, showStep } from './consent/index.ts';
import { CONSENT_PAGE } from './consent/page-state.ts';
import type { ConsentDependencies } from './consent/submission.ts';
import { AUTHORIZE_PATH, CONSENT_PATH } from './paths.ts';

interface AuthorizationEndpointDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  readonly db: Kysely<Database>;
  readonly clients: Pick<ClientLookup, 'forAuthorization'>;
  /** The key ring; the first key seals. */
  readonly keys: readonly EncryptionKey[];
  readonly catalogue: Catalogue;
  /** Longest lifetime of a grant, in milliseconds; null: each refresh extends it. */
  readonly maxGrantMs: number | null;
  /** Milliseconds since 1970. */
  now(): number;
  /** Limits requests per client address. */
  readonly limit: GatewayMiddleware;
}

/** Creates the routes. They keep no state, so each step may reach another gateway on the same store. */
export function createAuthorizationRouter(deps: AuthorizationEndpointDependencies): Router<RequestState> {
  const { issuer, resource, db, catalogue, now, limit } = deps;
  const consent: ConsentDependencies = {
    issuer,
    db,
    clients: deps.clients,
    sealedForm: createSealedForm({ ...CONSENT_PAGE, keys: deps.keys, publicUrl: issuer, now }),
    catalogue,
    maxGrantMs: deps.maxGrantMs,
    now,
  };

  const router = new Router<RequestState>();
  router.get(AUTHORIZE_PATH, pageErrors(), limit, async (ctx) => {
    const parameters = new URLSearchParams(ctx.querystring);
    const checked = await checkAuthorizationRequest(parameters, { clients: consent.clients, resource });
    if ('client' in checked) return beginConsent(ctx as GatewayContext, checked, consent);
    const { refusal, redirectUri, state } = checked;
    const answer = { error: refusal.error, error_description: refusal.description };
    redirectToClient(ctx as GatewayContext, { redirectUri, state, issuer }, answer);
  });
  router.post(AUTHORIZE_PATH, pageErrors(), limit, (ctx) => continueConsent(ctx as GatewayContext, consent));
  router.get(CONSENT_PATH, pageErrors(), limit, (ctx) => showStep(ctx as GatewayContext, consent));
  return router;
}
