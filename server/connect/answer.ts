/** Answers of the connect flow: what is sent to the partner, and where the browser goes next. */

import type { ErrorCode } from '../base/http/error-codes.ts';
import type { GatewayContext } from '../base/http/state.ts';
import type { Brand } from '../base/pages/brand.ts';
import { checkMark } from '../base/pages/components.ts';
import { MESSAGE, WINDOW_DONE } from '../base/pages/frame.ts';
import { html } from '../base/pages/html.ts';
import { CARD, type Layout, sendPage } from '../base/pages/page.ts';
import { sendRedirect, sendTo, withQuery } from '../base/pages/redirect.ts';
import { CONNECT_PATH } from './client-metadata.ts';

/** The receiver of an answer: the partner's redirect URI, the window that opened the popup, or the page around the frame. */
export interface PartnerTarget {
  readonly redirectUri: string;
  readonly state: string | null;
  /** The only origin that may receive the answer, or null if the page is neither a popup nor in a frame. */
  readonly popupOrigin: string | null;
  /** The partner that the last page is about. Default: none. */
  readonly brand?: Brand;
  /** Titles of the services that are connected now. Default: none. */
  readonly connected?: readonly string[];
}

/** Time for which a popup shows what is connected, after its opener knows it, in milliseconds. */
const SHOWN_MS = 1200;

/**
 * The script that sends the answer to the opener. An upstream's `Cross-Origin-Opener-Policy` may have cut the window from its opener, which then
 * cannot receive it.
 */
const SCRIPT = `
const { origin, message, address } = JSON.parse(document.getElementById('result').dataset.result);
const receiver = parent === window ? opener : parent;
if (receiver === null) location.replace(address);
else {
  receiver.postMessage(message, origin);
  setTimeout(() => window.close(), message.event === 'completed' ? ${SHOWN_MS} : 0);
}
`;

/** Script of a window that a frame has opened. Only pages of the gateway receive its message. */
const DONE_SCRIPT = `
opener?.postMessage('${WINDOW_DONE}', location.origin);
window.close();
`;

const LAYOUT: Layout = { ...CARD, script: SCRIPT };
const LIST = new Intl.ListFormat('en', { type: 'conjunction' });

/**
 * Answers the partner with `code`, or with `error` and `error_description`, and the state: by a redirect, or, in a popup or frame, by a
 * page that sends it to the window that opened it or the page around it.
 */
export function answerPartner(
  ctx: GatewayContext,
  target: PartnerTarget,
  answer: Readonly<Record<string, string>>,
): void {
  const { redirectUri, state, popupOrigin } = target;
  const parameters = new URLSearchParams(answer);
  if (state !== null) parameters.set('state', state);
  const address = withQuery(redirectUri, parameters);
  if (popupOrigin === null) sendRedirect(ctx, address);
  else {
    const event = 'code' in answer ? 'completed' : 'error';
    sendResultPage(ctx, target, { origin: popupOrigin, message: { ...MESSAGE, event, ...answer, state }, address });
  }
}

/** Answers the partner with a refusal. */
export function refusePartner(
  ctx: GatewayContext,
  target: PartnerTarget,
  { code, description }: { readonly code: ErrorCode; readonly description: string },
): void {
  answerPartner(ctx, target, { error: code, error_description: description });
}

/** Ends a window in which the person signed in at an upstream: the frame that opened it continues. */
export function sendWindowDone(ctx: GatewayContext): void {
  const title = 'Back to the application';
  const content = html`<h1>${title}</h1><p>Close this window, and choose Continue in the application.</p>`;
  sendPage(ctx, 200, { title, content, layout: { ...CARD, script: DONE_SCRIPT } });
}

/**
 * The last page of a popup or frame: sends the message to the page that opened it. `postMessage` gets an exact origin, so no other site
 * receives the code, whichever opened it.
 *
 * @param result.address the partner's redirect URI with the same answer, for a popup that has lost its opener.
 */
function sendResultPage(
  ctx: GatewayContext,
  { brand, connected = [] }: PartnerTarget,
  result: { origin: string; message: Readonly<Record<string, string | number | null>>; address: string },
): void {
  const are = connected.length === 1 ? 'is' : 'are';
  const title = connected.length === 0 ? 'Back to the application' : `${LIST.format(connected)} ${are} connected`;
  const content = html`<header>${connected.length === 0 ? null : checkMark()}<h1>${title}</h1>
<p id="result" data-result="${JSON.stringify(result)}" role="status">This window closes by itself.</p>
${connected.length === 0 ? null : html`<p class="quiet">If an open chat does not show the new tools, start a new chat.</p>`}
<p><a href="${result.address}">Continue here instead</a></p></header>`;
  sendPage(ctx, 200, { title, content, layout: LAYOUT, brand });
}

/** Sends the browser to the page of its connect session. A popup keeps its link to the window that opened it. */
export function toConnectPage(ctx: GatewayContext, sessionId: string): void {
  sendTo(ctx, `${CONNECT_PATH}?session=${sessionId}`);
  ctx.set('Cross-Origin-Opener-Policy', 'unsafe-none');
}
