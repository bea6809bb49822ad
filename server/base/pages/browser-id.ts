/** The cookie that shows that two requests came from the same browser, and nothing else. */

import { randomBytes } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';

/** With `__Host-`, browsers accept the cookie from this exact host only (RFC 6265bis §4.1.3.2); it needs https. */
const SECURE_NAME = '__Host-utg_browser';
const LOOPBACK_NAME = 'utg_browser';
const BROWSER_ID = /^[A-Za-z0-9_-]{43}$/;

/** Reads and sets the cookie of one gateway. */
export interface BrowserIds {
  /** The id in the request, or null. */
  read(ctx: Pick<GatewayContext, 'cookies'>): string | null;
  /** The id in the request, or a new one (256 random bits) that the answer sets. */
  ensure(ctx: Pick<GatewayContext, 'cookies' | 'append'>): string;
}

/** @param publicUrl the gateway's origin: the cookie is `Secure` if it begins with https. */
export function createBrowserIds(publicUrl: string): BrowserIds {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? SECURE_NAME : LOOPBACK_NAME;
  const read: BrowserIds['read'] = (ctx) => {
    const value = ctx.cookies.get(name);
    return value !== undefined && BROWSER_ID.test(value) ? value : null;
  };
  return {
    read,
    ensure(ctx) {
      const sent = read(ctx);
      if (sent !== null) return sent;
      const id = randomBytes(32).toString('base64url');
      // Not with ctx.cookies.set, which refuses Secure behind a proxy that terminates TLS.
      ctx.append('Set-Cookie', `${name}=${id}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`);
      return id;
    },
  };
}
