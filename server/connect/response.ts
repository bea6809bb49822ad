/** Answers of the connect flow: what is sent to the partner, and where the browser goes next. */

import type { ErrorCode } from '../base/http/error-codes.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { sendRedirect, sendTo, withQuery } from '../base/pages/redirect.ts';
import { sendResultPage } from './page/result-page.ts';
import { CONNECT_PATH } from './paths.ts';
import type { PartnerTarget } from './visit/index.ts';

/**
 * Answers the partner with `code`, or with `error` and `error_description`, and the state: by a redirect, or, in a popup, by a page
 * that sends it to the window that opened it.
 */
export function answerPartner(
  ctx: Pick<GatewayContext, 'set' | 'status' | 'body' | 'type'>,
  target: PartnerTarget,
  answer: Readonly<Record<string, string>>,
): void {
  const parameters = new URLSearchParams(answer);
  if (target.state !== null) parameters.set('state', target.state);
  const address = withQuery(target.redirectUri, parameters);
  if (target.popupOrigin === null) sendRedirect(ctx, address);
  else sendResultPage(ctx, { origin: target.popupOrigin, answer: { ...answer, state: target.state }, address });
}

/** Answers the partner with a refusal. */
export function refusePartner(
  ctx: Pick<GatewayContext, 'set' | 'status' | 'body' | 'type'>,
  target: PartnerTarget,
  refusal: { readonly error: ErrorCode; readonly description: string },
): void {
  answerPartner(ctx, target, { error: refusal.error, error_description: refusal.description });
}

/** Sends the browser to the page of its connect session. A popup keeps its link to the window that opened it. */
export function toConnectPage(ctx: Pick<GatewayContext, 'set' | 'status' | 'body'>): void {
  sendTo(ctx, CONNECT_PATH);
  ctx.set('Cross-Origin-Opener-Policy', 'unsafe-none');
}
