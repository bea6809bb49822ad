/** The last page of a popup: hands the answer to the window that opened it, or goes to the partner's redirect URI itself. */

import type { GatewayContext } from '../../http/state.ts';
import { html } from '../../pages/html.ts';
import { CARD, type Layout, sendPage } from '../../pages/page.ts';

/** What the popup says. */
export interface PopupResult {
  /** The one origin that may hear it. */
  readonly origin: string;
  /** `code`, or `error` and `error_description`; and the state. */
  readonly answer: Readonly<Record<string, string | null>>;
  /** The partner's redirect URI with the same answer, for a window that no longer knows its opener. */
  readonly address: string;
}

/** Names the message among others that a window may get. */
export const POPUP_MESSAGE = 'unified-tool-gateway:connect';

/** An upstream's headers may have cut the window from its opener (`Cross-Origin-Opener-Policy`); then there is no one to tell. */
const SCRIPT = `
const { origin, message, address } = JSON.parse(document.getElementById('result').dataset.result);
if (window.opener === null) location.replace(address);
else {
  window.opener.postMessage(message, origin);
  window.close();
}
`;

const LAYOUT: Layout = { ...CARD, script: SCRIPT };

/** Answers with the page. `postMessage` gets an exact origin, so no other site hears the code, no matter which site opened the window. */
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
