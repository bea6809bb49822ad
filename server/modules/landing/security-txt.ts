/** `/.well-known/security.txt`: where to report a vulnerability in this gateway (RFC 9116). */

import Router from '@koa/router';
import type { RequestState } from '../../base/http/state.ts';

/** What the file needs. */
interface SecurityContact {
  /** URLs in order of preference: `mailto:`, `https:` or `tel:`. */
  readonly contacts: readonly string[];
  readonly publicUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const PATH = '/.well-known/security.txt';
/** RFC 9116 §2.5.5 recommends less than a year. */
const VALID_MS = 180 * 86_400_000;

/** Creates the route; without contacts there is none. */
export function createSecurityTxtRouter({ contacts, publicUrl, now }: SecurityContact): Router<RequestState> {
  const router = new Router<RequestState>();
  if (contacts.length === 0) return router;
  router.get(PATH, (ctx) => {
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${new Date(now() + VALID_MS).toISOString()}`,
      `Canonical: ${publicUrl}${PATH}`,
    ];
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = `${lines.join('\n')}\n`;
  });
  return router;
}
