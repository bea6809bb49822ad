/** Sign-in through the company's OpenID provider: the redirect, and the callback. */

import type Router from '@koa/router';
import { z } from 'zod';
import { createAddressLimiter, rateLimit, recordAnonymousEvent } from '../../../base/http/caller-limits.ts';
import { createOpenIdClient, type OpenIdClaims, startSignIn } from '../../../base/http/openid-client.ts';
import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext, RequestState } from '../../../base/http/state.ts';
import { html } from '../../../base/pages/html.ts';
import { sendPage } from '../../../base/pages/page.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import { sendTo } from '../../../base/pages/redirect.ts';
import { createSealedForm } from '../../../base/pages/sealed-form.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import { takeOnce } from '../../../base/store/repositories/single-use-codes.ts';
import type { AdminContext } from '../context.ts';
import { ADMIN_EVENTS } from '../events.ts';
import { type OperatorProvider, operatorRoleOf, verifiedEmailOf } from '../operator-rules.ts';
import { toAdminLayout } from '../view/layout.ts';
import { CALLBACK_PATH, SIGN_IN_PATH, toDashboardPath } from './secret.ts';
import type { OperatorSessions } from './sessions.ts';

/** Requests per minute of one address; a sign-in takes two. */
const REQUESTS_PER_MINUTE = 120;

/** Time that a person may stay at the provider. */
const SIGN_IN_TTL_SECONDS = 900;

const REFUSAL_WINDOW_SECONDS = 3600;

/** The content of `state`. It is sealed for the browser that started, so no other browser can return an answer (RFC 9700 §4.7). */
const STATE = z.object({ verifier: z.string(), nonce: z.string(), next: z.string() });

interface OpenIdSignIn {
  readonly deps: AdminContext;
  readonly sessions: OperatorSessions;
  readonly provider: OperatorProvider;
}

/** Adds the two routes. */
export function addOpenIdRoutes(router: Router<RequestState>, parts: OpenIdSignIn): void {
  const { deps, provider } = parts;
  const { publicUrl, outgoing, limits, now } = deps;
  const client = createOpenIdClient(provider, { redirectUri: publicUrl + CALLBACK_PATH, outgoing, now });
  const states = createSealedForm({
    ...deps,
    purpose: 'operator openid',
    schema: STATE,
    ttlSeconds: SIGN_IN_TTL_SECONDS,
  });
  const rule = { name: 'operator-openid', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limiter = createAddressLimiter(limits.exact, rule);
  const limit = rateLimit(limiter, (ctx) => ctx.ip);
  const failed = (ctx: GatewayContext) => (error: unknown) => {
    ctx.state.log.warn({ err: error }, 'a sign-in through the OpenID provider failed');
    throw providerFailed();
  };

  router.get('/sign-in/openid', limit, async (context) => {
    const ctx = context as GatewayContext;
    const started = startSignIn();
    const next = toDashboardPath(new URLSearchParams(ctx.querystring).get('next') ?? '', publicUrl);
    const state = states.seal(ctx, { ...started, next });
    sendTo(ctx, (await client.begin(started, state).catch(failed(ctx))).href);
  });

  router.get('/sign-in/callback', limit, async (context) => {
    const ctx = context as GatewayContext;
    const state = new URLSearchParams(ctx.querystring).get('state') ?? '';
    const { next, ...started } = states.open(ctx, state);
    const answer = new URL(`${publicUrl}${CALLBACK_PATH}?${ctx.querystring}`);
    const { claims } = await client.finish(answer, started, state).catch(failed(ctx));
    await letIn(ctx, parts, claims);
    redirectAfterSignIn(ctx, next);
  });
}

/** Begins a session for a person whom the rules allow. @throws {PageError} 403 for anyone else. */
async function letIn(
  ctx: GatewayContext,
  { deps, sessions, provider }: OpenIdSignIn,
  claims: OpenIdClaims & { readonly sub: string },
): Promise<void> {
  const role = operatorRoleOf(claims, provider.rules);
  // Names from the command line have neither "@" nor ":", so the audit trail stays unambiguous.
  const name = verifiedEmailOf(claims) ?? `openid:${claims.sub}`;
  const { sub: subject } = claims;
  const now = deps.now();
  if (role === null) {
    await recordRefusal(ctx, { name, subject }, deps);
    throw notAllowed();
  }
  await sessions.begin(ctx, { by: 'openid', operatorId: null, name, role });
  const details = { role, subject };
  await ADMIN_EVENTS.emit(deps.db, { type: 'operator_signed_in', now, details, ...originOf(ctx) });
}

/** Records one audit event an hour for a person who tries repeatedly: the provider may be open to everyone. */
async function recordRefusal(
  ctx: GatewayContext,
  details: { readonly name: string; readonly subject: string },
  deps: AdminContext,
): Promise<void> {
  const now = deps.now();
  const purpose = 'operator-sign-in-refused';
  const hash = hashSecret(deps.db, JSON.stringify([purpose, details.subject, details.name]));
  const expiresAt = now + REFUSAL_WINDOW_SECONDS * 1000;
  const event = { type: 'operator_sign_in_refused', now, ...originOf(ctx) } as const;
  if (await takeOnce(deps.db, { hash, purpose, now, expiresAt }))
    await ADMIN_EVENTS.emit(deps.db, { ...event, details });
  else await recordAnonymousEvent(deps.db, event);
}

/**
 * Continues with a page, not a redirect: browsers do not send the session's cookie (`SameSite=Strict`) in a chain of redirects that
 * another site started.
 */
function redirectAfterSignIn(ctx: GatewayContext, next: string): void {
  const content = html`<div class="narrow"><h1>You are signed in</h1>
<p><a href="${next}">Continue to the dashboard</a></p></div>`;
  sendPage(ctx, 200, { title: 'You are signed in', content, layout: toAdminLayout(null) });
  ctx.set('Refresh', `0; url=${next}`);
}

function providerFailed(): PageError {
  return new PageError(502, {
    title: 'You are not signed in',
    text: "Your company's sign-in failed, or you cancelled it.",
    advice: `Try again at ${SIGN_IN_PATH}. If it fails again, the gateway's log says why.`,
  });
}

function notAllowed(): PageError {
  return new PageError(403, {
    title: 'You may not use this dashboard',
    text: 'Your company signed you in, but gives you no role here.',
    advice: 'Ask the people who run this gateway: ADMIN_OPENID_LOOK and ADMIN_OPENID_ACT say who may.',
  });
}
