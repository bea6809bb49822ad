/** The style sheet of all pages: readable at phone width, in light and dark mode, with larger text and forced colors. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type Router from '@koa/router';
import type { RequestState } from '../http/state.ts';

/** Backgrounds of text and controls, as the style sheet has them. */
export const GROUNDS = {
  light: { page: '#f6f7f9', card: '#ffffff' },
  dark: { page: '#0d0f14', card: '#161920' },
} as const;

/** `style.css` without comments and needless spaces. */
export const STYLE = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8')
  .replaceAll(/\/\*[^*]*\*\//g, '')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,]) ?/g, '$1')
  .replaceAll(': ', ':')
  .trim();

const VERSION = createHash('sha256').update(STYLE, 'utf8').digest('hex').slice(0, 16);

/** Path of the style sheet. Another content has another path, so browsers cache it for good. */
export const STYLE_PATH = `/api/mcp/style-${VERSION}.css`;

/**
 * Adds the route of the style sheet. While an update rolls over several nodes, a page of one version may ask a node of another version for its
 * style sheet. It then gets that node's style sheet, and the browser does not cache it.
 */
export function addStyleRoute(router: Router<RequestState>): Router<RequestState> {
  const compressed = new Map<string, Buffer>();
  const compress = { br: brotliCompressSync, gzip: gzipSync } as const;
  router.get('/api/mcp/style-:version.css', (ctx) => {
    const isCurrent = ctx.params.version === VERSION;
    ctx.set({
      'Cache-Control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
      Vary: 'Accept-Encoding',
    });
    ctx.type = 'text/css; charset=utf-8';
    const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
    if (encoding !== 'br' && encoding !== 'gzip') {
      ctx.body = STYLE;
      return;
    }
    const bytes = compressed.get(encoding) ?? compress[encoding](STYLE);
    compressed.set(encoding, bytes);
    ctx.set('Content-Encoding', encoding);
    ctx.body = bytes;
  });
  return router;
}

/** An inline sheet or script as a source expression of a Content Security Policy (CSP Level 3 §6.7.2.2), including quotes. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
