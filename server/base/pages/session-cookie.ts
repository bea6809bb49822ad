/** The cookie of a session: a random token that is sent to these pages only, and never with a request from another site. */

import { randomBytes } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';
import { hashSecret } from '../principal/secrets.ts';

/** One kind of cookie. */
export interface SessionCookieRules {
  /** Name of the cookie, without the prefix for https. */
  readonly cookie: string;
  /** The cookie is sent to this path and to paths below it. */
  readonly path: `/${string}`;
  /** How long the browser keeps the cookie. */
  readonly ttlSeconds: number;
  /** The gateway's origin. */
  readonly publicUrl: string;
}

/** Reads and writes one kind of cookie. */
interface SessionCookie {
  /** The token in the request, or null. */
  read(ctx: Pick<GatewayContext, 'cookies'>): string | null;
  /** Sets a new token of 256 random bits. */
  issue(ctx: Pick<GatewayContext, 'append'>): string;
  /** Deletes the cookie. */
  clear(ctx: Pick<GatewayContext, 'append'>): void;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function createSessionCookie({ cookie, path, ttlSeconds, publicUrl }: SessionCookieRules): SessionCookie {
  const secure = publicUrl.startsWith('https:');
  const name = (secure ? prefixFor(path) : '') + cookie;
  // Not with ctx.cookies.set, which refuses Secure behind a proxy that terminates TLS.
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

/** The `csrf` value of the session's forms. Reveals nothing about the token. */
export function csrfOf(token: string): string {
  return hashSecret(`${token}\ncsrf`);
}

/** Browsers accept a cookie with one of these prefixes from this exact host only, or over https only (RFC 6265bis §4.1.3). */
function prefixFor(path: string): string {
  return path === '/' ? '__Host-' : '__Secure-';
}
