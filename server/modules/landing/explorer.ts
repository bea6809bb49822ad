/**
 * `/docs/api`: the HTTP API in Scalar's viewer, which the gateway serves itself. Its script is in `viewer/`, and is read when someone opens the page.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, createGunzip, gzip } from 'node:zlib';
import Router from '@koa/router';
import { raw } from 'hono/html';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import type { GatewayContext, RequestState } from '../../base/http/state.ts';
import type { Limits } from '../../base/limits/index.ts';
import { type PublicText, sendPublicText, toPublicText } from '../../base/pages/etag.ts';
import { html } from '../../base/pages/html.ts';
import { hashSource } from '../../base/pages/style.ts';
import { API_PATH, EXPLORER_PATH } from './documents.ts';

/** `dist/browser/standalone.js` of `@scalar/api-reference`, compressed with Brotli. */
const VIEWER = new URL('./viewer/scalar.js.br', import.meta.url);

/** Requests of one address per minute, for the page and its script together. */
const REQUESTS_PER_MINUTE = 120;

const decompress = promisify(brotliDecompress);
const compress = promisify(gzip);

/** Creates the routes. They are public, like the description that the page shows. */
export function createExplorerRouter(limits: Limits): Router<RequestState> {
  const rule = { name: 'api-explorer', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limit = rateLimit(createAddressLimiter(limits.reconciled, rule), (ctx) => ctx.ip);
  const viewer = createViewer();
  const router = new Router<RequestState>({ prefix: EXPLORER_PATH });
  let page: PublicText | undefined;

  router.get('/', limit, async (ctx) => {
    page ??= explorerPage(await viewer.version());
    sendPublicText(ctx as GatewayContext, page);
  });

  router.get('/viewer-:version.js', limit, async (ctx) => {
    if (ctx.params.version !== (await viewer.version())) {
      throw new RequestError(404, 'not_found', 'There is no such script. Load the page again.');
    }
    ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' });
    ctx.type = 'text/javascript; charset=utf-8';
    const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
    if (encoding === 'br' || encoding === 'gzip') ctx.set('Content-Encoding', encoding);
    ctx.body = encoding === 'br' ? createReadStream(VIEWER) : await viewer.withoutBrotli(encoding === 'gzip');
  });
  return router;
}

/** Reads the script of the viewer on first use. */
function createViewer() {
  let version: Promise<string> | undefined;
  let gzipped: Promise<Buffer> | undefined;
  return {
    /** Returns a digest of the script: another script has another path, so that browsers keep this one for good. */
    version(): Promise<string> {
      version ??= readFile(VIEWER).then(digestOf);
      return version;
    },
    /** Returns the script for clients that do not read Brotli. It is compressed once, and kept: 1.4 MB. */
    async withoutBrotli(asGzip: boolean) {
      gzipped ??= readFile(VIEWER)
        .then((bytes) => decompress(bytes))
        .then((script) => compress(script));
      const bytes = await gzipped;
      return asGzip ? bytes : createGunzip().end(bytes);
    },
  };
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** Colours with a contrast of at least 4.5 on each ground that the viewer puts them on, and the fonts of the reader's machine. */
const STYLE = `
:root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }
.light-mode { --scalar-color-2: #4b4b4b; --scalar-color-3: #5c5c5c; --scalar-color-green: #00693f; --scalar-color-blue: #0b5cad; --scalar-color-orange: #8a4b00; --scalar-color-red: #b3261e; --scalar-color-purple: #6b3fa0; --scalar-color-yellow: #7a5b00; }
.dark-mode { --scalar-color-2: #c9c9c9; --scalar-color-3: #b3b3b3; --scalar-color-red: #ff9b94; }
`;

/**
 * Starts the viewer. All that would leave the gateway is off. Requests go to the origin of the page, without its cookies, so a request has only the
 * credentials that the reader typed; these are in the memory of the page alone.
 */
const SCRIPT = `
Scalar.createApiReference('#explorer', {
  url: '${API_PATH}',
  servers: [{ url: location.origin, description: 'This gateway' }],
  customFetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
  customCss: ${JSON.stringify(STYLE)},
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'client' },
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
});
`;

/** The viewer writes style elements, so inline styles are allowed. Nothing may be loaded from, or sent to, another origin. */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' ${hashSource(SCRIPT)}`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

function explorerPage(version: string): PublicText {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>HTTP API · Unified Tool Gateway</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="explorer"></div>
<noscript><p>This page needs JavaScript. The same description is at <a href="${API_PATH}">${API_PATH}</a>.</p></noscript>
<script src="${EXPLORER_PATH}/viewer-${version}.js"></script>
<script>${raw(SCRIPT)}</script>
</body>
</html>
`;
  return toPublicText(String(page), 'text/html; charset=utf-8', {
    'Content-Security-Policy': POLICY,
    'X-Robots-Tag': 'noindex',
  });
}
