/** The authorization endpoint's routes: GET begins, POST is the consent page's own form. */

import Router from '@koa/router';
import type { Kysely } from 'kysely';
import type { EncryptionKey } from '../credentials/index.ts';
import { networkOf } from '../http/network.ts';
import { rateLimit } from '../http/rate-limit.ts';
import type { GatewayContext, RequestState } from '../http/state.ts';
import { pageErrors } from '../pages/page-errors.ts';
import { createSealedForm } from '../pages/sealed-form.ts';
import { createRateLimiter, type RateLimiter } from '../rate-limiter.ts';
import type { Database } from '../store/schema.ts';
import { checkAuthorizationRequest } from './authorize/index.ts';
import { redirectToClient } from './authorize/response.ts';
import type { ClientLookup } from './client-documents/index.ts';
import { beginConsent, continueConsent } from './consent/index.ts';
import { CONSENT_PAGE } from './consent/page-state.ts';
import type { ConsentDependencies } from './consent/submission.ts';
import { AUTHORIZE_PATH } from './paths.ts';

interface AuthorizationEndpointDependencies {
  /** The gateway's origin, without a final slash. */
  readonly issuer: string;
  /** The gateway's resource indicator. */
  readonly resource: string;
  readonly db: Kysely<Database>;
  readonly clients: Pick<ClientLookup, 'forAuthorization'>;
  /** The key ring; the first key seals. */
  readonly keys: readonly EncryptionKey[];
  /** The title of a service, or its name where it has none. */
  titleOf(service: string): string;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  /** Requests per client address. Default: 600 a minute, because a whole company may share one. */
  readonly authorizationLimit?: RateLimiter;
}

const REQUESTS_PER_MINUTE = 600;

/** Creates the routes. They keep nothing between requests, so each step may reach another gateway of the same store. */
export function createAuthorizationRouter(deps: AuthorizationEndpointDependencies): Router<RequestState> {
  const { issuer, resource, db } = deps;
  const now = deps.now ?? Date.now;
  const consent: ConsentDependencies = {
    issuer,
    db,
    findClient: deps.clients.forAuthorization,
    sealedForm: createSealedForm({ ...CONSENT_PAGE, keys: deps.keys, publicUrl: issuer, now }),
    titleOf: deps.titleOf,
    now,
  };
  const limiter = deps.authorizationLimit ?? createRateLimiter({ points: REQUESTS_PER_MINUTE, durationSeconds: 60 });
  const limit = rateLimit(limiter, (ctx) => networkOf(ctx.ip));

  const router = new Router<RequestState>();
  router.get(AUTHORIZE_PATH, pageErrors(), limit, async (ctx) => {
    const parameters = new URLSearchParams(ctx.querystring);
    const checked = await checkAuthorizationRequest(parameters, { findClient: consent.findClient, resource });
    if ('client' in checked) return beginConsent(ctx as GatewayContext, checked, consent);
    const { refusal, redirectUri, state } = checked;
    const answer = { error: refusal.error, error_description: refusal.description };
    redirectToClient(ctx as GatewayContext, { redirectUri, state, issuer }, answer);
  });
  router.post(AUTHORIZE_PATH, pageErrors(), limit, (ctx) => continueConsent(ctx as GatewayContext, consent));
  return router;
}
