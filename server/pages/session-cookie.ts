/** The cookie of a session: a random token that goes back to these pages alone, and never along with a request from another site. */

import { randomBytes } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';
import { hashSecret } from '../secrets.ts';

/** One kind of cookie. */
export interface SessionCookieRules {
  /** Name of the cookie, without the prefix that https allows. */
  readonly cookie: string;
  /** The pages that the cookie is sent to, and those below. */
  readonly path: `/${string}`;
  /** How long the browser keeps it. */
  readonly ttlSeconds: number;
  /** The gateway's origin. */
  readonly publicUrl: string;
}

/** Reads and writes one kind of cookie. */
export interface SessionCookie {
  /** The token that the request came with, or null. */
  read(ctx: Pick<GatewayContext, 'cookies'>): string | null;
  /** Gives the browser a new token, of 256 random bits. */
  issue(ctx: Pick<GatewayContext, 'append'>): string;
  /** Takes the cookie back. */
  clear(ctx: Pick<GatewayContext, 'append'>): void;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function createSessionCookie({ cookie, path, ttlSeconds, publicUrl }: SessionCookieRules): SessionCookie {
  const secure = publicUrl.startsWith('https:');
  const name = (secure ? prefixFor(path) : '') + cookie;
  // Not by ctx.cookies.set, which refuses Secure where a proxy ended TLS.
  const write = (ctx: Pick<GatewayContext, 'append'>, token: string, maxAgeSeconds: number) =>
    ctx.append(
      'Set-Cookie',
      `${name}=${token}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`,
    );
  return {
    read(ctx) {
      const token = ctx.cookies.get(name);
      return token !== undefined && TOKEN.test(token) ? token : null;
    },
    issue(ctx) {
      const token = randomBytes(32).toString('base64url');
      write(ctx, token, ttlSeconds);
      return token;
    },
    clear: (ctx) => write(ctx, '', 0),
  };
}

/** What forms of the session carry. Says nothing about the token. */
export function csrfOf(token: string): string {
  return hashSecret(`${token}\ncsrf`);
}

/** Browsers take a cookie of these names from this very host only, or from https only (RFC 6265bis §4.1.3). */
function prefixFor(path: string): string {
  return path === '/' ? '__Host-' : '__Secure-';
}
