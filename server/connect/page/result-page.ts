/** The last page of a popup: sends the answer to the window that opened it, or goes to the partner's redirect URI itself. */

import type { GatewayContext } from '../../base/http/state.ts';
import { html } from '../../base/pages/html.ts';
import { CARD, type Layout, sendPage } from '../../base/pages/page.ts';

/** The popup's answer. */
export interface PopupResult {
  /** The one origin that may receive it. */
  readonly origin: string;
  /** `code`, or `error` and `error_description`; and `state`. */
  readonly answer: Readonly<Record<string, string | null>>;
  /** The partner's redirect URI with the same answer, for a popup that has lost its opener. */
  readonly address: string;
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

/** Answers with the page. `postMessage` gets an exact origin, so no other site receives the code, whichever opened the window. */
export function sendResultPage(
  ctx: Pick<GatewayContext, 'set' | 'status' | 'type' | 'body'>,
  { origin, answer, address }: PopupResult,
): void {
  const result = JSON.stringify({ origin, message: { type: POPUP_MESSAGE, ...answer }, address });
  const title = 'Back to the application';
  const content = html`<h1>${title}</h1>
<p id="result" data-result="${result}">This window closes by itself.</p>
<p><a href="${address}">Continue here instead</a></p>`;
  sendPage(ctx, 200, { title, content, layout: LAYOUT });
}
