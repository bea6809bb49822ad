/** A partner's page with `connect.js`, with a button that opens the popup, and the popup's result. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** A partner's site, at its own origin. */
export interface PopupSite {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the page at every path; below `/cut`, it severs a popup from its opener. @param gateway the gateway's origin. */
export async function servePopupPage(gateway: () => string): Promise<PopupSite> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/cut') === true) response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const script = `<script src="${gateway()}/connect.js"></script>`;
    response.end(`<!doctype html><title>partner</title><h1>Partner</h1>${script}<button id="go">Go</button>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the button call `connect` with this address, which arrives shortly after the click, as from a server. */
export async function preparePopup(page: Page, url: string, options: object = { state: 'state-1' }): Promise<void> {
  await page.evaluate(
    ([address, given]) => {
      const scope = window as unknown as {
        UnifiedToolGateway: { connect(url: Promise<string>, options: object): Promise<unknown> };
        result: unknown;
      };
      document.getElementById('go')?.addEventListener('click', () => {
        const later = new Promise<string>((resolve) => setTimeout(() => resolve(address), 50));
        scope.UnifiedToolGateway.connect(later, given).then(
          (value) => {
            scope.result = value;
          },
          (error: { code: string }) => {
            scope.result = { rejected: error.code };
          },
        );
      });
    },
    [url, options] as const,
  );
}

/** Waits for the result of `connect`; `{ rejected: code }` if it was rejected. */
export async function popupResult(page: Page): Promise<unknown> {
  return (await page.waitForFunction(() => (window as unknown as { result: unknown }).result)).jsonValue();
}
