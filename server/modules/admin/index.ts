/** The dashboard: all of its pages and forms, in one list. */

import Router from '@koa/router';
import { readForm } from '../../base/http/body.ts';
import { originOf } from '../../base/http/request-origin.ts';
import type { GatewayContext, GatewayMiddleware, RequestState } from '../../base/http/state.ts';
import { checkSameSite } from '../../base/pages/check-same-site.ts';
import { sendPage } from '../../base/pages/page.ts';
import { PageError, pageErrors } from '../../base/pages/page-errors.ts';
import { sendTo } from '../../base/pages/redirect.ts';
import { recordAuditEvent } from '../../base/store/repositories/audit-events.ts';
import { listOperators } from '../../base/store/repositories/operators/operators.ts';
import { showAuditTrail } from './audit.ts';
import { showCall } from './calls/call.ts';
import { showCalls } from './calls/calls.ts';
import { CALLS_PATH } from './calls/search.ts';
import { askToRemoveClient, removeClient, showClients } from './clients.ts';
import { showConnections } from './connections.ts';
import { askToRevokeGrants, revokeGrants, showGrants } from './grants.ts';
import { addOpenIdRoutes } from './openid/sign-in.ts';
import {
  askToEndOtherSessions,
  askToEndSession,
  endOtherSessions,
  endSession,
  showOperators,
} from './operators/operators.ts';
import { showOverview } from './overview.ts';
import { addSecret, askToAddSecret, askToRevokeSecret, changePartner, revokeSecret, showPartner } from './partner.ts';
import {
  askToRemovePartner,
  askToSuspendPartner,
  removePartner,
  resumePartner,
  suspendPartner,
} from './partner-actions.ts';
import { createPartner, showPartners } from './partners.ts';
import {
  ADMIN_PATH,
  type AdminDependencies,
  type OperatorAction,
  type OperatorRequest,
  type Outcome,
} from './request.ts';
import { type CurrentSession, createOperatorSessions } from './sessions.ts';
import { createSignIn, SIGN_IN_PATH } from './sign-in.ts';
import { ALIASES_PATH, showAliases } from './tools/aliases.ts';
import { DRIFT_PATH, showDrift } from './tools/drift.ts';
import { showTool, tryTool } from './tools/tool.ts';
import { showTools } from './tools/tools.ts';
import { showUpstreams } from './upstreams.ts';
import { showUser } from './users/user.ts';
import {
  askToEndGrant,
  askToRemoveConnection,
  askToRemoveUser,
  endGrant,
  endToken,
  mintToken,
  removeConnection,
  removeUser,
} from './users/user-actions.ts';
import { showUsers } from './users/users.ts';
import { confirmPage, type Question } from './view/confirm.ts';
import { toAdminLayout } from './view/layout.ts';
import { withoutForms } from './view/without-forms.ts';
import { askToSwitchWebhook, repeatDelivery, switchWebhook, testWebhook } from './webhooks.ts';

/** Far more than the longest arguments that someone types into the try-it form. */
const MAX_FORM_BYTES = 262_144;

type Show = (request: OperatorRequest) => Promise<Outcome>;
type Take = (action: OperatorAction) => Promise<Outcome>;

/** What a form would remove; null: nothing. */
type Ask = (action: OperatorAction) => Promise<Question | null>;

/** Creates the routes. They keep no state between requests. */
export function createAdminRouter(deps: AdminDependencies): Router<RequestState> {
  const sessions = createOperatorSessions(deps);
  const signIn = createSignIn(deps, sessions);
  const { openId: provider } = deps;
  const router = new Router<RequestState>({ prefix: ADMIN_PATH });

  /** The dashboard exists once someone can sign in. */
  router.use(pageErrors(), async (_ctx, next) => {
    if (deps.secret !== null || provider !== null || (await listOperators(deps.db, 1)).length > 0) await next();
  });

  /** Adds a page for operators who are signed in; everyone else is asked to sign in. */
  const page = (path: string, show: Show): void => {
    router.get(path, async (ctx) => {
      const session = await sessions.find(ctx as GatewayContext);
      if (session === null) return sendTo(ctx as GatewayContext, `${SIGN_IN_PATH}?next=${encodeURIComponent(ctx.url)}`);
      await answer(ctx as GatewayContext, session, show(toRequest(ctx as RoutedContext, deps, session)));
    });
  };

  /** Adds a form. Before its handler runs, the form must come from this site and session, and from an operator who may act. */
  const form = (path: string, take: Take): void => {
    router.post(path, async (ctx) => {
      const { session, fields } = await readOwnForm(ctx as GatewayContext);
      if (session.role !== 'act') throw mayOnlyLook();
      const field = (name: string) => toText(fields.get(name));
      const action = { ...toRequest(ctx as RoutedContext, deps, session), form: fields, field };
      await answer(ctx as GatewayContext, session, take(action));
    });
  };

  /** Adds a form that can remove something. The first submission changes nothing, and shows what would be removed. */
  const removal = (path: string, ask: Ask, take: Take): void => {
    form(path, async (action) => {
      const question = action.field('sure') === 'yes' ? null : await ask(action);
      return question === null ? take(action) : confirmPage(action, question);
    });
  };

  const readOwnForm = async (ctx: GatewayContext) => {
    checkSameSite((header) => ctx.get(header), deps.publicUrl);
    const session = await sessions.find(ctx);
    if (session === null) throw signedOut();
    const fields = await readForm(ctx.req, { maxBytes: MAX_FORM_BYTES });
    if (fields.get('csrf') !== session.csrf) throw foreignForm();
    return { session, fields };
  };

  router.get('/sign-in', (ctx) => signIn.show(ctx as GatewayContext));
  router.post('/sign-in', (ctx) => signIn.take(ctx as GatewayContext));
  if (provider !== null) addOpenIdRoutes(router, { deps, sessions, provider });
  router.post('/sign-out', async (ctx) => {
    await readOwnForm(ctx as GatewayContext);
    await sessions.end(ctx as GatewayContext);
    const event = { type: 'operator_signed_out', now: deps.now(), ...originOf(ctx as GatewayContext) } as const;
    await recordAuditEvent(deps.db, event);
    sendTo(ctx as GatewayContext, SIGN_IN_PATH);
  });

  page('/', showOverview);
  page(CALLS_PATH, showCalls);
  page(`${CALLS_PATH}/:id`, showCall);
  page('/partners', showPartners);
  form('/partners', createPartner);
  page('/partners/:id', showPartner);
  form('/partners/:id', changePartner);
  removal('/partners/:id/secrets', askToAddSecret, addSecret);
  removal('/partners/:id/secrets/:secret/revoke', askToRevokeSecret, revokeSecret);
  removal('/partners/:id/suspend', askToSuspendPartner, suspendPartner);
  form('/partners/:id/resume', resumePartner);
  removal('/partners/:id/remove', askToRemovePartner, removePartner);
  form('/partners/:id/webhooks/:endpoint/test', testWebhook);
  removal('/partners/:id/webhooks/:endpoint/switch', askToSwitchWebhook, switchWebhook);
  form('/partners/:id/webhooks/:endpoint/deliveries/:delivery/repeat', repeatDelivery);
  page('/users', showUsers);
  page('/users/:id', showUser);
  form('/users/:id/tokens', mintToken);
  form('/users/:id/tokens/:token/revoke', endToken);
  removal('/users/:id/grants/:grant/revoke', askToEndGrant, endGrant);
  removal('/users/:id/connections/:service/remove', askToRemoveConnection, removeConnection);
  removal('/users/:id/remove', askToRemoveUser, removeUser);
  page('/connections', showConnections);
  page('/tools', showTools);
  page('/tools/:name', showTool);
  form('/tools/:name', tryTool);
  page(ALIASES_PATH, showAliases);
  page(DRIFT_PATH, showDrift);
  page('/upstreams', showUpstreams);
  page('/clients', showClients);
  removal('/clients/:id/remove', askToRemoveClient, removeClient);
  page('/grants', showGrants);
  removal('/grants/revoke', askToRevokeGrants, revokeGrants);
  page('/audit', showAuditTrail);
  page('/operators', showOperators);
  removal('/operators/sessions/end-others', askToEndOtherSessions, endOtherSessions);
  removal('/operators/sessions/:session/end', askToEndSession, endSession);
  router.all('/{*rest}', nothingHere);
  return router;
}

type RoutedContext = GatewayContext & { params: Record<string, string | undefined> };

function toRequest(ctx: RoutedContext, deps: AdminDependencies, session: CurrentSession): OperatorRequest {
  const query = new URLSearchParams(ctx.querystring);
  return {
    ctx,
    deps,
    now: deps.now(),
    session,
    mayAct: session.role === 'act',
    csrf: session.csrf,
    params: Object.fromEntries(Object.entries(ctx.params).map(([name, value]) => [name, toText(value) ?? undefined])),
    query: (name) => toText(query.get(name)),
  };
}

/** The databases store no NUL. */
function toText(value: string | null | undefined): string | null {
  const text = value?.replaceAll('\0', '').trim() ?? '';
  return text === '' ? null : text;
}

async function answer(ctx: GatewayContext, session: CurrentSession, outcome: Promise<Outcome>): Promise<void> {
  const ending = await outcome;
  if ('redirect' in ending) return sendTo(ctx, ending.redirect);
  const { title, section, content, status = 200 } = ending;
  const shown = session.role === 'act' ? content : withoutForms(content);
  sendPage(ctx, status, { title, content: shown, layout: toAdminLayout({ section, session }) });
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
}

const nothingHere: GatewayMiddleware = () => {
  throw new PageError(404, {
    title: 'Page not found',
    text: 'The dashboard has no such page.',
    advice: 'Go back, or start at the overview.',
  });
};

function signedOut(): PageError {
  return new PageError(401, {
    title: 'You are signed out',
    text: 'Your session has ended, so nothing was changed.',
    advice: 'Sign in, then try again.',
  });
}

function mayOnlyLook(): PageError {
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
