/** The first display of the connect page: by a plain link, or in a connect session. */

import type { GatewayContext } from '../../base/http/state.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { showConnectPage } from '../page/connect-page.ts';
import { checkConnectRequest } from '../request/index.ts';
import { refusePartner } from '../response.ts';
import { readSessionCookie } from '../session/cookie.ts';
import { enterSession, sessionOver } from '../session/entry.ts';
import { lookAtSession, visitOf } from '../session/visit.ts';
import { newPageId, toPageState } from './page-state.ts';

/** Shows the page of a plain link. @throws {PageError} as `checkConnectRequest`. */
export async function beginPlainVisit(ctx: GatewayContext, service: string, deps: ConnectDependencies): Promise<void> {
  const request = await checkConnectRequest(service, new URLSearchParams(ctx.querystring), deps);
  if ('refusal' in request) return refusePartner(ctx, { ...request, popupOrigin: null }, request.refusal);
  const visit = { request, pageId: newPageId(), session: null };
  showConnectPage(ctx, visit, { sealed: deps.sealedForm.seal(ctx, toPageState(visit)) });
}

/** Removes the token from the address, or shows where the session stands. Consumes nothing. @throws {PageError} 400. */
export async function showSession(ctx: GatewayContext, deps: ConnectDependencies): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const token = query.get('token');
  if (token !== null) return enterSession(ctx, { token, origin: query.get('origin') }, deps);
  const cookie = readSessionCookie(ctx, deps);
  if (cookie === null) throw sessionOver();
  const row = await lookAtSession(ctx, cookie.sessionId, deps);
  const visit = await visitOf(row, cookie, deps);
  if ('refusal' in visit) return refusePartner(ctx, visit, visit.refusal);
  showConnectPage(ctx, visit, { sealed: deps.sealedForm.seal(ctx, toPageState(visit)) });
}
