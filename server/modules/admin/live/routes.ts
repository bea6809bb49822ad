/** The address at which the page of calls follows them. */

import type Router from '@koa/router';
import { parametersOf } from '../../../base/dashboard/list.ts';
import { STREAM_HEADERS } from '../../../base/http/exchange.ts';
import type { GatewayContext, RequestState } from '../../../base/http/state.ts';
import { searchCalls } from '../../../base/store/reports/call-search.ts';
import { type AdminContext, queryOf } from '../context.ts';
import { callTable, PAGE_SIZE, toSearch } from '../pages/calls.ts';
import { CALL_PARAMETERS, LIVE_CALLS_PATH } from '../pages/links.ts';
import type { OperatorSessions } from '../sign-in/sessions.ts';
import { type CallStreamLimits, CallStreams } from './call-streams.ts';

/**
 * Adds the route, before the one of a single call, whose address is like it. It has the filters of the page as parameters. The first event shows
 * the calls that the page would show now.
 */
export function addLiveCalls(
  router: Router<RequestState>,
  deps: AdminContext,
  sessions: OperatorSessions,
  limits?: Partial<CallStreamLimits>,
): void {
  const streams = new CallStreams(deps, (calls) => String(callTable(calls, true, null)), limits);
  router.get(LIVE_CALLS_PATH, async (routed) => {
    const ctx = routed as GatewayContext;
    // Not a use of the session, which would never expire while a page is open.
    const session = await sessions.findWithoutUse(ctx);
    if (session === null) {
      // Not a page: a browser that follows calls connects again after anything but a refusal.
      ctx.status = 401;
      ctx.body = { error: 'invalid_request', error_description: 'Sign in to the dashboard first.' };
      return;
    }
    ctx.status = 200;
    ctx.set(STREAM_HEADERS);
    if (ctx.method === 'HEAD') return;
    const search = toSearch(parametersOf(queryOf(ctx), CALL_PARAMETERS), deps.now());
    const send = streams.open({ response: ctx.res, log: ctx.state.log, sessionId: session.id, search });
    ctx.respond = false;
    const page = await searchCalls(deps.db, { ...search, place: {}, limit: PAGE_SIZE });
    send(page.rows);
  });
}
