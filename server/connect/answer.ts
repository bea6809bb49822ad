/** Answers of the connect flow: what is sent to the partner, and where the browser goes next. */

import type { ErrorCode } from '../base/http/error-codes.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { html } from '../base/pages/html.ts';
import { CARD, type Layout, sendPage } from '../base/pages/page.ts';
import { sendRedirect, sendTo, withQuery } from '../base/pages/redirect.ts';
import { CONNECT_PATH } from './context.ts';

type AnswerContext = Pick<GatewayContext, 'set' | 'status' | 'body' | 'type'>;

/** Where an answer goes: the partner's redirect URI, or the window that opened the popup. */
export interface PartnerTarget {
  readonly redirectUri: string;
  readonly state: string | null;
  /** The only origin that may receive the answer; null: it is no popup. */
  readonly popupOrigin: string | null;
}

/** Identifies the message among others that a window may receive. */
export const POPUP_MESSAGE = 'unified-tool-gateway:connect';

/** An upstream's `Cross-Origin-Opener-Policy` may have cut the window from its opener; then no one can receive the message. */
const SCRIPT = `
const { origin, message, address } = JSON.parse(document.getElementById('result').dataset.result);
if (window.opener === null) location.replace(address);
else {
  window.opener.postMessage(message, origin);
  window.close();
}
`;

const LAYOUT: Layout = { ...CARD, script: SCRIPT };

/**
 * Answers the partner with `code`, or with `error` and `error_description`, and the state: by a redirect, or, in a popup, by a page
 * that sends it to the window that opened it.
 */
export function answerPartner(
  ctx: AnswerContext,
  { redirectUri, state, popupOrigin }: PartnerTarget,
  answer: Readonly<Record<string, string>>,
): void {
  const parameters = new URLSearchParams(answer);
  if (state !== null) parameters.set('state', state);
  const address = withQuery(redirectUri, parameters);
  if (popupOrigin === null) sendRedirect(ctx, address);
  else sendResultPage(ctx, { origin: popupOrigin, message: { type: POPUP_MESSAGE, ...answer, state }, address });
}

/** Answers the partner with a refusal. */
export function refusePartner(
  ctx: AnswerContext,
  target: PartnerTarget,
  { code, description }: { readonly code: ErrorCode; readonly description: string },
): void {
  answerPartner(ctx, target, { error: code, error_description: description });
}

/**
 * The last page of a popup: sends the message to the window that opened it. `postMessage` gets an exact origin, so no other site receives
 * the code, whichever opened the window.
 *
 * @param result.address the partner's redirect URI with the same answer, for a popup that has lost its opener.
 */
function sendResultPage(
  ctx: AnswerContext,
  result: { origin: string; message: Readonly<Record<string, string | null>>; address: string },
): void {
  const title = 'Back to the application';
  const content = html`<h1>${title}</h1>
<p id="result" data-result="${JSON.stringify(result)}">This window closes by itself.</p>
<p><a href="${result.address}">Continue here instead</a></p>`;
  sendPage(ctx, 200, { title, content, layout: LAYOUT });
}

/** Sends the browser to the page of its connect session. A popup keeps its link to the window that opened it. */
export function toConnectPage(ctx: AnswerContext, sessionId: string): void {
  sendTo(ctx, `${CONNECT_PATH}?session=${sessionId}`);
  ctx.set('Cross-Origin-Opener-Policy', 'unsafe-none');
}
