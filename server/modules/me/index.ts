/**
 * The user's own page lists all access in the user's name, and lets the user revoke it. It cannot grant access; it approves single calls of
 * clients that have access.
 */

import Router from '@koa/router';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import { readForm } from '../../base/http/exchange.ts';
import type { GatewayContext, RequestState } from '../../base/http/state.ts';
import { type BrowserSessions, createBrowserSessions } from '../../base/pages/browser-sessions.ts';
import { checkSameSite } from '../../base/pages/check-same-site.ts';
import { html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PageError, pageErrors } from '../../base/pages/page-errors.ts';
import { sendTo } from '../../base/pages/redirect.ts';
import type { UserPage } from '../../base/pages/user-pages.ts';
import { findPartner } from '../../base/store/repositories/partners.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import {
  narrowClientAccess,
  removeConnection,
  renameConnection,
  revokeClient,
  revokePartner,
  revokeTokens,
  shareOwnConnection,
  stopSharing,
} from './actions.ts';
import { showActivity } from './activity.ts';
import { allow, showAllow } from './allow.ts';
import { endStandingApproval, saveRules, showApprovalRules } from './approval-rules.ts';
import { decideApprovals, showApproval, showApprovals } from './approvals.ts';
import { showClient, showTools } from './client.ts';
import { createEntry, notEntered } from './entry.ts';
import { showOverview } from './overview.ts';
import { answerQuestion, showQuestion } from './questions.ts';
import type { Outcome, UserAction, UserPageDependencies, UserRequest } from './request.ts';
import { createSignIn } from './sign-in.ts';
import { USER_LAYOUT } from './view.ts';

/** Requests of one IP address per minute, pages and forms together. */
const REQUESTS_PER_MINUTE = 120;

/** Large enough for a form that names every tool of one service. */
const MAX_FORM_BYTES = 65_536;

/**
 * Sessions are short, because the browser may be anyone's. The cookie is `Lax`, so that a link in a client's own page finds the open
 * session; forms are checked by their origin and `csrf`.
 */
const SESSION = {
  purpose: 'user-session',
  name: 'utg_me',
  path: USER_PAGE_PATH,
  sameSite: 'Lax',
  ttlSeconds: 8 * 3600,
  idleSeconds: 900,
} as const;

const PAGES: Readonly<Record<string, (request: UserRequest) => Promise<Outcome>>> = {
  '/': (request) => showOverview(request),
  '/allow': showAllow,
  '/approvals': (request) => showApprovals(request),
  '/approvals/:approval': showApproval,
  '/questions/:question': (request) => showQuestion(request),
  '/asking': showApprovalRules,
  '/activity': showActivity,
  '/clients/:grant': (request) => showClient(request),
  '/clients/:grant/tools/:service': showTools,
};

const FORMS: Readonly<Record<string, (action: UserAction) => Promise<Outcome>>> = {
  '/allow': allow,
  '/approvals/decide': decideApprovals,
  '/questions/:question': answerQuestion,
  '/asking/services/:service': saveRules,
  '/asking/choices/:choice/end': endStandingApproval,
  '/clients/:grant/narrow': narrowClientAccess,
  '/clients/:grant/revoke': revokeClient,
  '/partner/revoke': revokePartner,
  '/connections/:service/remove': removeConnection,
  '/connections/:service/rename': renameConnection,
  '/connections/:service/share': shareOwnConnection,
  '/shares/:share/end': stopSharing,
  '/tokens/revoke': revokeTokens,
};

type RoutedContext = GatewayContext & { params: Record<string, string | undefined> };

/**
 * Creates the routes. They are stateless, so each request may reach another gateway of the same store.
 *
 * @param modulePages that other modules add.
 */
export function createUserPageRouter(
  deps: UserPageDependencies,
  modulePages: readonly UserPage[],
): Router<RequestState> {
  const sessions = createBrowserSessions({ ...deps, ...SESSION });
  const entry = createEntry(deps, sessions);
  const signIn = createSignIn(deps, sessions, modulePages);
  const router = new Router<RequestState>({ prefix: USER_PAGE_PATH });
  const rule = { name: 'user-pages', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limit = rateLimit(createAddressLimiter(deps.limits.reconciled, rule), (ctx) => ctx.ip);
  router.use(pageErrors());

  router.get('/', limit, async (ctx, next) => {
    const link = new URLSearchParams(ctx.querystring).get('link');
    return link === null ? next() : entry.show(ctx as GatewayContext, link);
  });
  router.post('/', limit, (ctx) => entry.submit(ctx as GatewayContext));
  router.post('/sign-in', limit, (ctx) => signIn.submit(ctx as GatewayContext));
  const addPage = (path: string, show: (request: UserRequest) => Promise<Outcome>): void => {
    router.get(path, limit, async (ctx) => {
      const request = await toRequest(ctx as RoutedContext, deps, sessions);
      if (request === null) await signIn.show(ctx as GatewayContext);
      else answer(request, await show(request));
    });
  };
  const addSubmission = (path: string, submit: (request: UserRequest) => Promise<Outcome>): void => {
    router.post(path, limit, async (ctx) => {
      checkSameSite((header) => ctx.get(header), deps.publicUrl);
      const request = await toRequest(ctx as RoutedContext, deps, sessions);
      if (request === null) throw notEntered();
      answer(request, await submit(request));
    });
  };
  const addForm = (path: string, act: (action: UserAction) => Promise<Outcome>): void =>
    addSubmission(path, async (request) => {
      const form = withoutNul(await readForm(request.ctx.req, { maxBytes: MAX_FORM_BYTES }));
      if (form.get('csrf') !== request.csrf) throw foreignForm();
      // The form may have been on its way for long, and the session have ended meanwhile.
      if ((await sessions.find(request.ctx)) === null) throw notEntered();
      return act({ ...request, form });
    });
  for (const [path, show] of Object.entries(PAGES)) addPage(path, show);
  for (const [path, act] of Object.entries(FORMS)) addForm(path, act);
  for (const page of modulePages) {
    addPage(`/${page.name}/:id`, async (request) => {
      await checkUser(page, request);
      return page.show(request);
    });
    addSubmission(`/${page.name}/:id`, async (request) => {
      await checkUser(page, request);
      return page.submit(request);
    });
  }
  addForm('/leave', async ({ ctx }) => {
    await sessions.end(ctx);
    return entry.leftPage;
  });
  router.all('/{*rest}', () => {
    throw noSuchPage();
  });
  return router;
}

/** Returns null if the request has no session. */
async function toRequest(
  ctx: RoutedContext,
  deps: UserPageDependencies,
  sessions: BrowserSessions,
): Promise<UserRequest | null> {
  const session = await sessions.find(ctx);
  const user = session === null ? undefined : await findUserById(deps.db, session.userId);
  const partner = user && (await findPartner(deps.db, user.partnerId));
  if (session === null || user === undefined || partner === undefined) return null;
  const query = new URLSearchParams(ctx.querystring);
  return {
    ctx,
    deps,
    user,
    partner,
    now: deps.now(),
    csrf: session.csrf,
    isFromPartner: session.facts.by === 'partner',
    // The databases reject NUL.
    param: (name) => (ctx.params[name] ?? '').replaceAll('\0', ''),
    query: (name) => query.get(name)?.replaceAll('\0', '') ?? null,
  };
}

/** Refuses a user whom a page is not for. @throws {PageError} 403. */
async function checkUser({ findUser }: UserPage, { user, param }: UserRequest): Promise<void> {
  const userId = await findUser(param('id'));
  if (userId === undefined || userId === user.id) return;
  throw new PageError(403, {
    title: 'This page is for someone else',
    text: 'This browser is signed in as another user than the one whom a client asks here. Nothing was changed.',
    advice: 'If you asked the client, open your page, leave it, and open this address again.',
  });
}

function answer({ ctx, partner }: UserRequest, outcome: Outcome): void {
  if ('redirect' in outcome) {
    sendTo(ctx, outcome.redirect);
    return;
  }
  const { title, content, status = 200 } = outcome;
  sendPage(ctx, status, { title, content, brand: partner, layout: USER_LAYOUT });
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
}

/** The databases reject NUL. */
function withoutNul(form: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...form].map(([name, value]) => [name, value.replaceAll('\0', '')]));
}

function noSuchPage(): PageError {
  return new PageError(404, {
    title: 'Page not found',
    text: 'Your page has no such part.',
    advice: html`<a href="${USER_PAGE_PATH}">Open your page</a>`,
  });
}

function foreignForm(): PageError {
  return new PageError(403, {
    title: 'This form is not from your page',
    text: 'It was opened before you came here, or by someone else. Nothing was changed.',
    advice: 'Open your page again, then try again.',
  });
}
