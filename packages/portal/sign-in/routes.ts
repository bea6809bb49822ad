/** The routes of signing in and out. They are the only ones without a session. */

import type Router from '@koa/router';
import { z } from 'zod';
import type { Outgoing } from '../../../server/base/guarded-fetch/outgoing.ts';
import { readForm } from '../../../server/base/http/exchange.ts';
import { createOpenIdClient, type OpenIdClient, startSignIn } from '../../../server/base/http/openid-client.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../../server/base/http/state.ts';
import { button, hidden } from '../../../server/base/pages/components.ts';
import { html } from '../../../server/base/pages/html.ts';
import { sendPage } from '../../../server/base/pages/page.ts';
import { PageError } from '../../../server/base/pages/page-errors.ts';
import { sendTo } from '../../../server/base/pages/redirect.ts';
import { createSealedForm, PAGE_STATE_FIELD } from '../../../server/base/pages/sealed-form.ts';
import { PartnerApiError } from '../../partner/index.ts';
import { applyAccess, lifetimeOf } from '../allowance.ts';
import { type ProviderSettings, SAMPLE_PEOPLE } from '../config.ts';
import type { PortalParts } from '../parts.ts';
import { accessOf } from '../rules/access.ts';
import type { SignedInPerson } from '../store/people.ts';
import { ClaimsError, readPerson } from './claims.ts';
import { createLogoutVerifier, LogoutTokenError } from './logout-token.ts';

export const SIGN_IN_PATH = '/sign-in';
export const SIGNED_OUT_PATH = '/signed-out';
const CALLBACK_PATH = '/sign-in/callback';
const LOGOUT_PATH = '/back-channel-logout';

/** Time that a person may stay at the provider. */
const SIGN_IN_TTL_SECONDS = 900;
const MAX_LOGOUT_BYTES = 32_768;

/** The content of `state`. It is sealed for the browser that started, so no other browser can return an answer (RFC 9700 §4.7). */
const STATE = z.object({ verifier: z.string(), nonce: z.string(), next: z.string() });

/** Creates the client of the provider. @param options.now milliseconds since 1970. */
export function createProviderClient(
  provider: ProviderSettings,
  options: { readonly publicUrl: string; readonly outgoing: Outgoing; readonly now: () => number },
): OpenIdClient {
  const { publicUrl, outgoing, now } = options;
  return createOpenIdClient(provider, { redirectUri: publicUrl + CALLBACK_PATH, outgoing, now });
}

/** Limits of the requests of one address. */
interface SignInLimits {
  /** Counts every request. */
  readonly always: GatewayMiddleware;
  /** Counts requests that are refused. */
  readonly unlessDone: GatewayMiddleware;
}

/** Adds the routes. */
export function addSignInRoutes(router: Router<RequestState>, parts: PortalParts, limits: SignInLimits): void {
  const { provider } = parts.config;
  router.get(SIGNED_OUT_PATH, limits.always, (ctx) => showSignedOut(ctx as GatewayContext));
  if (provider === null || parts.client === null) addSampleSignIn(router, parts, limits);
  else addProviderSignIn(router, { ...parts, client: parts.client }, { provider, limits });
}

function addProviderSignIn(
  router: Router<RequestState>,
  parts: PortalParts & { readonly client: OpenIdClient },
  { provider, limits }: { readonly provider: ProviderSettings; readonly limits: SignInLimits },
): void {
  const { client, config, sessions, people, now } = parts;
  const { publicUrl } = config;
  const states = createSealedForm({
    ...sealing(parts),
    purpose: 'portal openid',
    schema: STATE,
    ttlSeconds: SIGN_IN_TTL_SECONDS,
  });
  const failed = (ctx: GatewayContext) => (error: unknown) => {
    ctx.state.log.warn({ err: error }, 'a sign-in through the OpenID provider failed');
    throw providerFailed();
  };

  router.get(SIGN_IN_PATH, limits.always, async (context) => {
    const ctx = context as GatewayContext;
    const started = startSignIn();
    const next = toLocalPath(nextOf(ctx), publicUrl);
    const state = states.seal(ctx, { ...started, next });
    sendTo(ctx, (await client.begin(started, state).catch(failed(ctx))).href);
  });

  router.get(CALLBACK_PATH, limits.unlessDone, async (context) => {
    const ctx = context as GatewayContext;
    const state = new URLSearchParams(ctx.querystring).get('state') ?? '';
    const { next, ...started } = states.open(ctx, state);
    const answer = new URL(`${publicUrl}${CALLBACK_PATH}?${ctx.querystring}`);
    const { claims, refreshToken } = await client.finish(answer, started, state).catch(failed(ctx));
    let person: SignedInPerson;
    try {
      person = { ...readPerson(claims, provider), subject: claims.sub, refreshToken };
    } catch (error) {
      if (error instanceof ClaimsError) failed(ctx)(error);
      throw error;
    }
    await letIn(ctx, person, parts);
    const providerSession = typeof claims.sid === 'string' ? claims.sid : null;
    await sessions.begin(ctx, person, { providerSession, nextCheckAt: now() + config.checkSeconds * 1000 });
    sendTo(ctx, next);
  });

  const { clientId } = provider;
  const verify = createLogoutVerifier({ client, clientId, outgoing: parts.outgoing, now });
  router.post(LOGOUT_PATH, limits.unlessDone, async (context) => {
    const ctx = context as GatewayContext;
    const token = (await readForm(ctx.req, { maxBytes: MAX_LOGOUT_BYTES })).get('logout_token') ?? '';
    ctx.set('Cache-Control', 'no-store');
    const logout = await verify(token).catch((error: unknown) => {
      if (error instanceof LogoutTokenError) return error;
      throw error;
    });
    const problem = logout instanceof Error ? logout.message : null;
    if (logout instanceof Error || !(await people.logOut(logout, now()))) {
      ctx.state.log.warn({ problem: problem ?? 'the logout token was used before' }, 'a logout token was refused');
      ctx.status = 400;
      ctx.body = { error: 'invalid_request', error_description: problem ?? 'The logout token was used before.' };
      return;
    }
    ctx.body = '';
    ctx.status = 200;
  });
}

/** The sign-in of `--demo`: a page with the sample people. */
function addSampleSignIn(router: Router<RequestState>, parts: PortalParts, limits: SignInLimits): void {
  const { config, sessions } = parts;
  const form = createSealedForm({ ...sealing(parts), purpose: 'portal sample', schema: z.string(), ttlSeconds: 3600 });
  router.get(SIGN_IN_PATH, limits.always, (context) => {
    const ctx = context as GatewayContext;
    const sealed = form.seal(ctx, toLocalPath(nextOf(ctx), config.publicUrl));
    const content = html`<header><h1>Sign in</h1>
<p>These people are samples. With PORTAL_ISSUER, people sign in at your company's provider.</p></header>
<form method="post" action="${SIGN_IN_PATH}">${hidden(PAGE_STATE_FIELD, sealed)}
${SAMPLE_PEOPLE.map(
  ({
    userId,
    name,
    about,
  }) => html`<div class="actions">${button(`Sign in as ${name}`, { kind: 'primary', sends: ['person', userId] })}</div>
<p class="trust">${about}</p>`,
)}
</form>`;
    sendPage(ctx, 200, { title: 'Sign in', content });
  });
  router.post(SIGN_IN_PATH, limits.unlessDone, async (context) => {
    const ctx = context as GatewayContext;
    const sent = await form.read(ctx);
    if (sent.refusal !== null) throw sent.refusal;
    const sample = SAMPLE_PEOPLE.find(({ userId }) => userId === sent.form.get('person')) ?? SAMPLE_PEOPLE[0];
    if (sample === undefined) throw new Error('the demo has no people');
    const person = { ...sample, subject: sample.userId, refreshToken: null };
    await letIn(ctx, person, parts);
    await sessions.begin(ctx, person, { providerSession: null, nextCheckAt: null });
    sendTo(ctx, sent.pageState);
  });
}

/** Tells the gateway what the person may use. @throws {PageError} 502 if the gateway does not answer, 403 if it does not accept the person. */
async function letIn(ctx: GatewayContext, person: SignedInPerson, { partner, config }: PortalParts): Promise<void> {
  try {
    await applyAccess(partner, person.userId, accessOf(person.groups, config.rules), lifetimeOf(config));
  } catch (error) {
    ctx.state.log.error({ err: error }, 'the gateway did not take the allowance of a person');
    if (error instanceof PartnerApiError && error.status < 500 && error.status !== 429) throw notAccepted();
    throw gatewayFailed();
  }
}

/** Ends the session, and continues at the provider, where the person is signed in too (OpenID Connect RP-Initiated Logout 1.0). */
export async function signOut(ctx: GatewayContext, { sessions, client, config }: PortalParts): Promise<void> {
  await sessions.end(ctx);
  const url = await client?.endSessionUrl(config.publicUrl + SIGNED_OUT_PATH).catch(() => null);
  if (url == null) return sendTo(ctx, SIGNED_OUT_PATH);
  const content = html`<h1>You are signed out</h1>
<p><a href="${url.href}">Also sign out at your company</a></p>`;
  sendPage(ctx, 200, { title: 'You are signed out', content });
  // A redirect that follows a form would need the provider in the page's policy.
  ctx.set('Refresh', `0; url=${url.href}`);
}

function showSignedOut(ctx: GatewayContext): void {
  const content = html`<header><h1>You are signed out</h1>
<p>Your AI clients keep the access that you allowed.</p></header>
<div class="actions"><a class="button" href="${SIGN_IN_PATH}">Sign in</a></div>`;
  sendPage(ctx, 200, { title: 'You are signed out', content });
}

function nextOf({ querystring }: GatewayContext): string {
  return new URLSearchParams(querystring).get('next') ?? '';
}

function sealing({ config: { keys, publicUrl }, now }: PortalParts) {
  return { keys, publicUrl, now };
}

function providerFailed(): PageError {
  return new PageError(502, {
    title: 'You are not signed in',
    text: "Your company's sign-in failed, or you cancelled it.",
    advice: "Try again. If it fails again, the portal's log says why.",
  });
}

function gatewayFailed(): PageError {
  return new PageError(502, {
    title: 'You are not signed in',
    text: 'The gateway does not answer, so the portal cannot set what you may use.',
    advice: "Try again in a minute. If it fails again, the portal's log says why.",
  });
}

function notAccepted(): PageError {
  return new PageError(403, {
    title: 'You are not signed in',
    text: 'The gateway does not accept your name, or what your groups allow.',
    advice: 'Tell the people who run the portal: its log says why.',
  });
}

/** Returns a path with its query, or `/` for anything that could lead to another site or to the sign-in itself. */
export function toLocalPath(next: string, origin: string): string {
  if (!/^\/(?![/\\])/.test(next) || /[\\\s\p{Cc}]/u.test(next) || next.length > 2000) return '/';
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  if (url === null || url.origin !== origin || /^\/(?:\/|sign-in|signed-out|sign-out)/.test(url.pathname)) return '/';
  return url.pathname + url.search;
}
