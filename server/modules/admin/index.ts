/** The dashboard: all pages and actions, and the checks that each request must pass first. */

import Router from '@koa/router';
import { raw } from 'hono/html';
import {
  type Action,
  ADMIN_PATH,
  type CurrentSession,
  type ExtendedPages,
  type OperatorAction,
  type Outcome,
  type Page,
  type Question,
  type RenderedPage,
} from '../../base/dashboard/pages.ts';
import { success } from '../../base/dashboard/parts.ts';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import { readForm } from '../../base/http/exchange.ts';
import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayContext, RequestState } from '../../base/http/state.ts';
import { checkSameSite } from '../../base/pages/check-same-site.ts';
import { button, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PageError, pageErrors } from '../../base/pages/page-errors.ts';
import { sendTo } from '../../base/pages/redirect.ts';
import { type AdminAction, type AdminContext, type AdminRequest, queryOf, toText } from './context.ts';
import { ADMIN_EVENTS } from './events.ts';
import type { CallStreamLimits } from './live/call-streams.ts';
import { addLiveCalls } from './live/routes.ts';
import { CALL } from './pages/call.ts';
import { CALLS } from './pages/calls.ts';
import { CLIENT } from './pages/client.ts';
import { CLIENTS } from './pages/clients.ts';
import { CONNECTIONS } from './pages/connections.ts';
import { GRANTS } from './pages/grants.ts';
import { OPERATORS } from './pages/operators.ts';
import { OVERVIEW } from './pages/overview.ts';
import { PARTNER } from './pages/partner.ts';
import { PARTNERS } from './pages/partners.ts';
import { SEARCH } from './pages/search.ts';
import { TEAM } from './pages/teams/team.ts';
import { TOOL } from './pages/tools/tool.ts';
import { TOOLS } from './pages/tools/tools.ts';
import { UPSTREAMS } from './pages/upstreams.ts';
import { USER } from './pages/user.ts';
import { USERS } from './pages/users.ts';
import { WHY } from './pages/why.ts';
import { addOpenIdRoutes } from './sign-in/openid.ts';
import { createSignIn, SIGN_IN_PATH } from './sign-in/secret.ts';
import { createOperatorSessions, type OperatorSessions } from './sign-in/sessions.ts';
import { listOperators } from './stored-operators.ts';
import { USAGE_FILES } from './usage/files.ts';
import { USAGE } from './usage/page.ts';
import { toAdminLayout } from './view/layout.ts';

/** Requests of one IP address. */
const SIGN_IN_REQUESTS_PER_MINUTE = 120;

/** Far more than the longest arguments that someone types into the try-it form. */
const MAX_FORM_BYTES = 262_144;

/** Pages that are not about one subject, and to which no module adds actions. */
const PAGES = [SEARCH, CALLS, USAGE, PARTNERS, USERS, CONNECTIONS, TOOLS, UPSTREAMS, CLIENTS, GRANTS, OPERATORS];

type RoutedContext = GatewayContext & { params: Record<string, string | undefined> };

/** Adds pages and their actions to the router. */
class PageRoutes {
  readonly #router: Router<RequestState>;
  readonly #deps: AdminContext;
  readonly #sessions: OperatorSessions;

  constructor(router: Router<RequestState>, deps: AdminContext, sessions: OperatorSessions) {
    this.#router = router;
    this.#deps = deps;
    this.#sessions = sessions;
  }

  /** Adds a page for operators who are signed in, and its actions; everyone else is asked to sign in. */
  add<Subject>(page: Page<Subject, AdminContext>, moduleActions: readonly Action<Subject>[] = []): void {
    const { path, section = path } = page;
    const actions = [...(page.actions ?? []), ...moduleActions];
    const notices = new Map([page, ...actions].flatMap(({ done = {} }) => Object.entries(done)));
    this.addFile(path, async (request) => {
      const text = notices.get(request.query('done') ?? '');
      const notice = text === undefined ? null : success('Done', html`<p>${text}</p>`);
      answer(request, section, await page.show(request, await subjectOf(page, request), notice));
    });
    for (const action of actions) this.#addAction(page, action);
  }

  /** Adds an answer of any kind for operators who are signed in; everyone else is asked to sign in. */
  addFile(path: string, send: (request: AdminRequest) => Promise<void>): void {
    this.#router.get(path, async (routed) => {
      const ctx = routed as RoutedContext;
      const session = await this.#sessions.find(ctx);
      if (session === null) return sendTo(ctx, `${SIGN_IN_PATH}?next=${encodeURIComponent(ctx.url)}`);
      await send(toRequest(ctx, this.#deps, session));
    });
  }

  /**
   * Adds an action. Before it runs, the form must come from this site and session, and from an operator who may act. If something would be lost, the
   * first submission changes nothing and shows a page that names the loss.
   */
  #addAction<Subject>(page: Page<Subject, AdminContext>, action: Action<Subject, AdminContext>): void {
    const { path, section = path } = page;
    this.#router.post(path + action.path, async (routed) => {
      const ctx = routed as RoutedContext;
      const { session, form } = await this.readOwnForm(ctx);
      if (session.role !== 'act') throw insufficientRole();
      const request = toAction(ctx, this.#deps, session, form);
      const subject = await subjectOf(page, request);
      const back =
        ADMIN_PATH + path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(request.params[name] ?? ''));
      const anchor = action.anchor === undefined ? '' : `#${action.anchor}`;

      const question = request.field('sure') === 'yes' ? null : await action.ask?.(request, subject);
      if (question) return answer(request, section, confirmPage(request, { back: back + anchor, ...question }));

      const outcome = await action.run(request, subject);
      if (typeof outcome !== 'string') return answer(request, section, outcome);
      answer(request, section, { redirect: `${back}?done=${outcome}${anchor}` });
    });
  }

  /** Reads a form of this site and session. @throws {PageError} 401 and 403. */
  async readOwnForm(ctx: GatewayContext): Promise<{ session: CurrentSession; form: URLSearchParams }> {
    checkSameSite((header) => ctx.get(header), this.#deps.publicUrl);
    if ((await this.#sessions.findWithoutUse(ctx)) === null) throw signedOut();
    const form = await readForm(ctx.req, { maxBytes: MAX_FORM_BYTES });
    // The form may have been on its way for long, and its operator removed meanwhile.
    const session = await this.#sessions.find(ctx);
    if (session === null) throw signedOut();
    if (form.get('csrf') !== session.csrf) throw foreignForm();
    return { session, form };
  }
}

/** Creates the routes. They keep no state between requests but the open streams of calls. */
export function createAdminRouter(deps: AdminContext, streamLimits?: Partial<CallStreamLimits>): Router<RequestState> {
  const sessions = createOperatorSessions(deps);
  const signIn = createSignIn(deps, sessions);
  const router = new Router<RequestState>({ prefix: ADMIN_PATH });

  /** The dashboard exists once someone can sign in. */
  router.use(pageErrors(), async (_ctx, next) => {
    const { secret, openId, db } = deps;
    if (secret !== null || openId !== null || (await listOperators(db, 1)).length > 0) await next();
  });
  const routes = new PageRoutes(router, deps, sessions);
  const rule = { name: 'sign-in-page', points: SIGN_IN_REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limit = rateLimit(createAddressLimiter(deps.limits.exact, rule), (ctx) => ctx.ip);
  router.get('/sign-in', limit, (ctx) => signIn.show(ctx as GatewayContext));
  router.post('/sign-in', limit, (ctx) => signIn.submit(ctx as GatewayContext));
  if (deps.openId !== null) addOpenIdRoutes(router, { deps, sessions, provider: deps.openId });
  router.post('/sign-out', async (routed) => {
    const ctx = routed as GatewayContext;
    await routes.readOwnForm(ctx);
    await sessions.end(ctx);
    await ADMIN_EVENTS.emit(deps.db, { type: 'operator_signed_out', now: deps.now(), ...originOf(ctx) });
    sendTo(ctx, SIGN_IN_PATH);
  });

  addLiveCalls(router, deps, sessions, streamLimits);
  for (const { path, send } of USAGE_FILES) routes.addFile(path, send);
  routes.add(OVERVIEW, actionsOf(deps, 'overview'));
  routes.add(PARTNER, actionsOf(deps, 'partner'));
  routes.add(USER, actionsOf(deps, 'user'));
  routes.add(CALL);
  routes.add(CLIENT);
  routes.add(TEAM);
  routes.add(WHY);
  routes.add(TOOL);
  for (const page of PAGES) routes.add(page);
  for (const { pages = [] } of deps.parts) for (const page of pages) routes.add(page);
  router.all('/{*rest}', () => {
    throw pageNotFound();
  });
  return router;
}

/** Returns the actions that other modules add to a page. */
function actionsOf<Kind extends keyof ExtendedPages>(
  { parts }: AdminContext,
  kind: Kind,
): readonly Action<ExtendedPages[Kind]>[] {
  return parts.flatMap((part) => (part[kind]?.actions ?? []) as readonly Action<ExtendedPages[Kind]>[]);
}

async function subjectOf<Subject>(page: Page<Subject, AdminContext>, request: AdminRequest): Promise<Subject> {
  // A page that finds nothing has the subject `null`.
  return page.find === undefined ? (null as Subject) : page.find(request);
}

function toRequest(ctx: RoutedContext, deps: AdminContext, session: CurrentSession): AdminRequest {
  return {
    ctx,
    deps,
    now: deps.now(),
    session,
    mayAct: session.role === 'act',
    csrf: session.csrf,
    params: Object.fromEntries(Object.entries(ctx.params).map(([name, value]) => [name, toText(value) ?? undefined])),
    query: queryOf(ctx),
  };
}

function toAction(ctx: RoutedContext, deps: AdminContext, session: CurrentSession, form: URLSearchParams): AdminAction {
  const request = toRequest(ctx, deps, session);
  return {
    ...request,
    form,
    event: { now: request.now, ...originOf(ctx) },
    field: (name) => toText(form.get(name)),
    commit: (work) => deps.db.transaction().execute(work),
  };
}

/** Shows a page that names the loss, with the same form to submit again. */
function confirmPage({ ctx, form, csrf }: OperatorAction, question: Required<Question>): RenderedPage {
  const { title, losses, button: label, back } = question;
  const carriedFields = [...form].filter(([name]) => name !== 'csrf' && name !== 'sure');
  const content = html`<div class="narrow"><h1>${title}</h1>
<p>Nothing has changed yet.</p>
<ul>${losses.map((loss) => html`<li>${loss}</li>`)}</ul>
<form method="post" action="${ctx.path}">${hidden('csrf', csrf)}${carriedFields.map(([name, value]) => hidden(name, value))}${hidden('sure', 'yes')}
<div class="actions">${button(label, { kind: 'danger' })} <a href="${back}">Cancel</a></div></form></div>`;
  return { title, content };
}

function answer({ ctx, deps, session, mayAct }: AdminRequest, section: string, outcome: Outcome): void {
  if ('redirect' in outcome) {
    sendTo(ctx, outcome.redirect);
    return;
  }
  const { title, content, status = 200, script } = outcome;
  const visibleContent = mayAct ? content : withoutForms(content);
  sendPage(ctx, status, {
    title,
    content: visibleContent,
    layout: toAdminLayout({ section, session, parts: deps.parts, script }),
  });
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
}

/**
 * Removes the forms that act, with their contents. Search forms stay.
 *
 * Texts are escaped (`html`), so every form tag in them is one of the gateway's, and forms are not nested.
 */
function withoutForms(content: Html): Html {
  return raw(String(content).replace(/<form method="post"[\s\S]*?<\/form>/g, ''));
}

function pageNotFound(): PageError {
  return new PageError(404, {
    title: 'Page not found',
    text: 'The dashboard has no such page.',
    advice: 'Go back, or start at the overview.',
  });
}

function signedOut(): PageError {
  return new PageError(401, {
    title: 'You are signed out',
    text: 'Your session has ended, so nothing was changed.',
    advice: 'Sign in, then try again.',
  });
}

function insufficientRole(): PageError {
  return new PageError(403, {
    title: 'You may look, but not change things',
    text: 'Your role does not allow this, so nothing was changed.',
    advice: 'Ask an operator who may act, or ask the people who run this gateway for another role.',
  });
}

function foreignForm(): PageError {
  return new PageError(403, {
    title: 'This form is not from your session',
    text: 'It was opened before you signed in, or it comes from another site. Nothing was changed.',
    advice: 'Reload the page, then try again.',
  });
}
