/**
 * The user's own page lists all access in the user's name, and lets the user revoke it. It cannot grant access; it approves single calls of
 * clients that have access.
 */

import Router from '@koa/router';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import { readForm } from '../../base/http/exchange.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../base/http/state.ts';
import type { Brand } from '../../base/pages/brand.ts';
import { type BrowserSession, createBrowserSessions } from '../../base/pages/browser-sessions.ts';
import { checkSameSite } from '../../base/pages/check-same-site.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PageError, pageErrors } from '../../base/pages/page-errors.ts';
import { sendTo } from '../../base/pages/redirect.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { removeConnection, renameConnection, revokeClient, revokePartner, revokeTokens, takeAway } from './actions.ts';
import { showActivity } from './activity.ts';
import { decideApprovals, showApproval, showApprovals } from './approvals.ts';
import { askAgain, saveRules, showAsking } from './asking.ts';
import { showClient, showTools } from './client.ts';
import { createEntry, notEntered } from './entry.ts';
import { showOverview } from './overview.ts';
import type { Outcome, UserAction, UserPageDependencies, UserRequest } from './request.ts';
import { USER_LAYOUT } from './view.ts';

/** Requests of one IP address per minute, pages and forms together. */
const REQUESTS_PER_MINUTE = 120;

/** Large enough for a form that names every tool of one service. */
const MAX_FORM_BYTES = 65_536;

/** Sessions are short, because the browser may be anyone's. */
const SESSION = {
  purpose: 'user-session',
  name: 'utg_me',
  path: USER_PAGE_PATH,
  ttlSeconds: 8 * 3600,
  idleSeconds: 900,
} as const;

/** Creates the routes. They are stateless, so each request may reach another gateway of the same store. */
export function createUserPageRouter(deps: UserPageDependencies): Router<RequestState> {
  const sessions = createBrowserSessions({ ...deps, ...SESSION });
  const entry = createEntry(deps, sessions);
  const router = new Router<RequestState>({ prefix: USER_PAGE_PATH });
  const rule = { name: 'user-pages', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limiter = createAddressLimiter(deps.limits.reconciled, rule);
  const limit = rateLimit(limiter, (ctx) => ctx.ip);

  const page = (path: string, show: (request: UserRequest) => Promise<Outcome>): void => {
    router.get(path, pageErrors(), limit, async (ctx) => {
      const session = await sessions.find(ctx as GatewayContext);
      const request = session && (await toRequest(ctx as RoutedContext, deps, session));
      if (request === null) throw notEntered();
      answer(ctx as GatewayContext, await show(request), request.partner);
    });
  };

  const form = (path: string, take: (action: UserAction) => Promise<Outcome>): void => {
    router.post(path, pageErrors(), limit, async (ctx) => {
      const action = await readOwnForm(ctx as RoutedContext);
      answer(ctx as GatewayContext, await take(action), action.partner);
    });
  };

  /** Reads a form after checking that it comes from this site and this session. */
  const readOwnForm = async (ctx: RoutedContext): Promise<UserAction> => {
    checkSameSite((header) => ctx.get(header), deps.publicUrl);
    const session = await sessions.find(ctx);
    const request = session && (await toRequest(ctx, deps, session));
    if (request === null) throw notEntered();
    const fields = await readForm(ctx.req, { maxBytes: MAX_FORM_BYTES });
    if (fields.get('csrf') !== request.csrf) throw foreignForm();
    return { ...request, form: fields };
  };

  router.get('/', pageErrors(), limit, async (ctx, next) => {
    const link = new URLSearchParams(ctx.querystring).get('link');
    return link === null ? next() : entry.show(ctx as GatewayContext, link);
  });
  router.post('/', pageErrors(), limit, (ctx) => entry.take(ctx as GatewayContext));
  page('/', (request) => showOverview(request));
  page('/approvals', (request) => showApprovals(request));
  page('/approvals/:approval', showApproval);
  form('/approvals/decide', decideApprovals);
  page('/asking', (request) => showAsking(request));
  form('/asking/services/:service', saveRules);
  form('/asking/choices/:choice/end', askAgain);
  page('/activity', showActivity);
  page('/clients/:grant', showClient);
  page('/clients/:grant/tools/:service', showTools);
  form('/clients/:grant/narrow', takeAway);
  form('/clients/:grant/revoke', revokeClient);
  form('/partner/revoke', revokePartner);
  form('/connections/:service/remove', removeConnection);
  form('/connections/:service/rename', renameConnection);
  form('/tokens/revoke', revokeTokens);
  form('/leave', async ({ ctx }) => {
    await sessions.end(ctx);
    return entry.left;
  });
  router.all('/{*rest}', pageErrors(), nothingHere);
  return router;
}

type RoutedContext = GatewayContext & { params: Record<string, string | undefined> };

async function toRequest(
  ctx: RoutedContext,
  deps: UserPageDependencies,
  session: BrowserSession,
): Promise<UserRequest | null> {
  const user = await findUserById(deps.db, session.userId);
  const partner = user && (await findPartner(deps.db, user.partnerId));
  if (user === undefined || partner === undefined) return null;
  const query = new URLSearchParams(ctx.querystring);
  return {
    ctx,
    deps,
    user,
    partner,
    now: deps.now(),
    csrf: session.csrf,
    // The databases reject NUL.
    param: (name) => (ctx.params[name] ?? '').replaceAll('\0', ''),
    query: (name) => query.get(name)?.replaceAll('\0', '') ?? null,
  };
}

function answer(ctx: GatewayContext, outcome: Outcome, brand: Brand): void {
  if ('redirect' in outcome) {
    sendTo(ctx, outcome.redirect);
  } else {
    const { title, content, status = 200 } = outcome;
    sendPage(ctx, status, { title, content, brand, layout: USER_LAYOUT });
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
  }
}

const nothingHere: GatewayMiddleware = () => {
  throw new PageError(404, {
    title: 'Page not found',
    text: 'Your page has no such part.',
    advice: 'Go back, or open your page again.',
  });
};

function foreignForm(): PageError {
  return new PageError(403, {
    title: 'This form is not from your page',
    text: 'It was opened before you came here, or by someone else. Nothing was changed.',
    advice: 'Open your page again, then try again.',
  });
}
