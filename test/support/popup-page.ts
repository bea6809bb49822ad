/** A partner's page with `connect.js`, with a button that opens the popup or frame, and its result. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** A partner's site, at its own origin. */
export interface PopupSite {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Serves the page at every path; below `/cut`, it severs a popup from its opener. A path that ends in `authorize` is the sign-in of an
 * upstream, which refuses to be framed.
 *
 * @param gateway the gateway's origin.
 * @param host `localhost` is another site than that of the gateway.
 */
export async function servePopupPage(
  gateway: () => string,
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<PopupSite> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/cut') === true) response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.endsWith('authorize')) {
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code: 'upstream-code', state: searchParams.get('state') ?? '' }));
      response.setHeader('X-Frame-Options', 'DENY');
      response.end(`<!doctype html><title>sign in</title><a href="${back.href.replaceAll('&', '&amp;')}">Allow</a>`);
      return;
    }
    const script = `<script src="${gateway()}/connect.js"></script>`;
    response.end(
      `<!doctype html><html lang="en"><title>partner</title><main><h1>Partner</h1>${script}<button id="go">Go</button></main>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the button call `connect` with this address, which arrives shortly after the click, as from a server. */
export async function preparePopup(
  page: Page,
  url: string,
  options: object = { state: 'state-1' },
  method: 'connect' | 'connectInFrame' = 'connect',
): Promise<void> {
  await page.evaluate(
    ([address, given, name]) => {
      const scope = window as unknown as {
        UnifiedToolGateway: Record<string, (url: Promise<string>, options: object) => Promise<unknown>>;
        result: unknown;
      };
      document.getElementById('go')?.addEventListener('click', () => {
        const later = new Promise<string>((resolve) => setTimeout(() => resolve(address), 50));
        scope.UnifiedToolGateway[name]?.(later, given).then(
          (value) => {
            scope.result = value;
          },
          (error: { code: string }) => {
            scope.result = { rejected: error.code };
          },
        );
      });
    },
    [url, options, method] as const,
  );
}

/** Waits for the result of `connect`; `{ rejected: code }` if it was rejected. */
export async function popupResult(page: Page): Promise<unknown> {
  return (await page.waitForFunction(() => (window as unknown as { result: unknown }).result)).jsonValue();
}
