/** The routes of the portal: signing in, and the pages of signed-in people. */

import Router from '@koa/router';
import { countUse, createAddressLimiter, rateLimit, tooManyRequests } from '../../server/base/http/caller-limits.ts';
import { readForm } from '../../server/base/http/exchange.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../server/base/http/state.ts';
import type { Limits } from '../../server/base/limits/index.ts';
import { checkSameSite } from '../../server/base/pages/check-same-site.ts';
import { type Cookie, createCookie } from '../../server/base/pages/cookie.ts';
import { sendPage } from '../../server/base/pages/page.ts';
import { PageError, pageErrors } from '../../server/base/pages/page-errors.ts';
import { sendTo } from '../../server/base/pages/redirect.ts';
import { PartnerApiError } from '../partner/index.ts';
import { FRAME } from './pages/index.ts';
import type { PortalParts } from './parts.ts';
import type { PortalOutcome, PortalPage, PortalRequest } from './request.ts';
import { accessOf, explainAllRules, explainRules } from './rules/access.ts';
import { addSignInRoutes, SIGN_IN_PATH, signOut } from './sign-in/routes.ts';

/** Requests of one person per minute. */
const PERSON_PER_MINUTE = 300;
/** Requests of one address per minute without a session, apart from those that sign someone in or out: a whole office has one address. */
const ANONYMOUS_PER_MINUTE = 600;

const MAX_FORM_BYTES = 65_536;
const MAX_FLASH_LENGTH = 500;
const FLASH_SECONDS = 60;

type RoutedContext = GatewayContext & { params: Record<string, string | undefined> };

/** @param pages in the order in which they match. */
export function createPortalRouter(
  parts: PortalParts,
  pages: readonly PortalPage[],
  limits: Limits,
): Router<RequestState> {
  const router = new Router<RequestState>();
  const durationSeconds = 60;
  const people = limits.exact({ name: 'portal-person', points: PERSON_PER_MINUTE, durationSeconds });
  const anonymousRule = { name: 'portal', points: ANONYMOUS_PER_MINUTE, durationSeconds };
  const addresses = createAddressLimiter(limits.exact, anonymousRule);
  const unlessDone: GatewayMiddleware = async (ctx, next) => {
    const use = await addresses.reserve(ctx.ip);
    if (use.waitSeconds !== null) throw tooManyRequests(use.waitSeconds);
    await next();
    if (ctx.status < 400) use.giveBack();
  };
  /** Returns null if the request has no session. @throws {RequestError} status 429. */
  const toLimitedRequest = async (ctx: RoutedContext, flashCookie: Cookie | null): Promise<PortalRequest | null> => {
    const request = await toRequest(ctx, parts, flashCookie);
    await (request === null ? countUse(addresses, ctx.ip) : countUse(people, request.person.userId));
    return request;
  };
  const flash = createCookie({
    name: 'utg_flash',
    path: '/',
    sameSite: 'Lax',
    ttlSeconds: FLASH_SECONDS,
    publicUrl: parts.config.publicUrl,
  });
  router.use(pageErrors());
  addSignInRoutes(router, parts, { always: rateLimit(addresses, (ctx) => ctx.ip), unlessDone });

  const addForm = (path: string, act: (request: PortalRequest, form: URLSearchParams) => Promise<void>): void => {
    router.post(path, async (context) => {
      const ctx = context as RoutedContext;
      checkSameSite((header) => ctx.get(header), parts.config.publicUrl);
      const request = await toLimitedRequest(ctx, null);
      if (request === null) throw signedOut();
      const form = await readForm(ctx.req, { maxBytes: MAX_FORM_BYTES });
      if (form.get('csrf') !== request.csrf) throw foreignForm();
      await act(request, form);
    });
  };
  addForm('/sign-out', ({ ctx }) => signOut(ctx, parts));
  for (const page of pages) {
    if (page.method === 'POST') {
      addForm(page.path, async (request, form) => {
        answer(request, await explained(request.ctx, async () => page.handle({ ...request, form })), flash);
      });
      continue;
    }
    router.get(page.path, async (context) => {
      const ctx = context as RoutedContext;
      const request = await toLimitedRequest(ctx, flash);
      if (request === null) return sendTo(ctx, `${SIGN_IN_PATH}?next=${encodeURIComponent(ctx.path + ctx.search)}`);
      answer(request, await explained(ctx, async () => page.handle(request)), flash);
    });
  }
  return router;
}

/** Returns null if the request has no session. @param flash the message in it is taken. Null leaves it for the next page. */
async function toRequest(ctx: RoutedContext, parts: PortalParts, flash: Cookie | null): Promise<PortalRequest | null> {
  const session = await parts.sessions.find(ctx);
  if (session === null) return null;
  const { person, csrf } = session;
  const { rules } = parts.config;
  const access = accessOf(person.groups, rules);
  const query = new URLSearchParams(ctx.querystring);
  return {
    ctx,
    person,
    csrf,
    access,
    partner: parts.partner,
    gateway: parts.config.gateway.url,
    origin: parts.config.publicUrl,
    now: parts.now(),
    explain: () => explainRules(person.groups, rules),
    explainAll: () => (access.admin ? explainAllRules(rules) : null),
    flash: flash === null ? null : takeFlash(ctx, flash),
    param: (name) => ctx.params[name] ?? '',
    query: (name) => query.get(name),
  };
}

function takeFlash(ctx: GatewayContext, cookie: Cookie): string | null {
  const value = cookie.read(ctx);
  if (value === null || value === '') return null;
  cookie.clear(ctx);
  return Buffer.from(value, 'base64url').toString('utf8').slice(0, MAX_FLASH_LENGTH);
}

function answer(request: PortalRequest, outcome: PortalOutcome, flash: Cookie): void {
  const { ctx, origin, gateway } = request;
  if ('json' in outcome) {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = outcome.json;
    return;
  }
  if ('redirect' in outcome) {
    const target = new URL(outcome.redirect, origin);
    if (target.origin !== origin && target.origin !== gateway)
      throw new Error('a page redirects to a site that is neither the portal nor the gateway');
    if (outcome.flash !== undefined)
      flash.write(ctx, Buffer.from(outcome.flash.slice(0, MAX_FLASH_LENGTH)).toString('base64url'));
    sendTo(ctx, target.origin === origin ? target.pathname + target.search + target.hash : target.href);
    return;
  }
  const { title, content, status = 200, layout = FRAME(request), formTargets = [] } = outcome;
  sendPage(ctx, status, { title, content, layout, formTargets: [gateway, ...formTargets] });
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
}

/** Runs a page. @throws {PageError} 502 where the gateway refuses or does not answer. */
async function explained(ctx: GatewayContext, run: () => Promise<PortalOutcome>): Promise<PortalOutcome> {
  try {
    return await run();
  } catch (error) {
    const isOutage = error instanceof Error && (error.message === 'fetch failed' || error.name === 'TimeoutError');
    if (!(error instanceof PartnerApiError) && !isOutage) throw error;
    ctx.state.log.warn({ err: error }, 'the gateway did not do what a page asked for');
    const text = error instanceof PartnerApiError ? error.description : 'It does not answer.';
    throw new PageError(502, {
      title: 'The gateway did not do that',
      text,
      advice: 'Go back and try again in a minute.',
    });
  }
}

function signedOut(): PageError {
  return new PageError(401, {
    title: 'You are signed out',
    text: 'Your session has ended, so nothing was changed.',
    advice: 'Open the portal again, sign in, then try again.',
  });
}

function foreignForm(): PageError {
  return new PageError(403, {
    title: 'This form is not from your session',
    text: 'It was opened before you signed in, or by someone else. Nothing was changed.',
    advice: 'Open the page again, then try again.',
  });
}
