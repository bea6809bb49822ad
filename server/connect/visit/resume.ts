/** Resumes a visit from the page's form. */

import type { GatewayContext } from '../../base/http/state.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { checkConnectRequest } from '../request/index.ts';
import type { ConnectRefusal } from '../request/parameters.ts';
import { claimSession, visitOf } from '../session/visit.ts';
import type { ConnectVisit, PartnerTarget } from './index.ts';
import { type ConnectPageState, toParameters } from './page-state.ts';

/**
 * Applies every rule again. In a connect session, this consumes the token for the browser.
 *
 * The visit may be about another service than the form, if the session has continued meanwhile.
 *
 * @throws {PageError} as `checkConnectRequest`, and 400 for a session that has expired or is another browser's.
 */
export async function resumeVisit(
  ctx: GatewayContext,
  pageState: ConnectPageState,
  deps: ConnectDependencies,
): Promise<ConnectVisit | (PartnerTarget & { readonly refusal: ConnectRefusal })> {
  if ('sessionId' in pageState) {
    const row = await claimSession(ctx, pageState.sessionId, deps);
    return visitOf(row, { popupOrigin: pageState.popupOrigin, pageId: pageState.id }, deps);
  }
  const request = await checkConnectRequest(pageState.service, toParameters(pageState), deps);
  if ('refusal' in request) return { ...request, popupOrigin: null };
  return { request, pageId: pageState.id, session: null };
}
