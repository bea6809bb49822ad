/** The cookies of pages: no script reads them, and over https browsers send them to this gateway only. */

import { randomBytes } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';
import { digestOf } from '../principal/secrets.ts';

/** One kind of cookie. */
export interface CookieRules {
  /** Name of the cookie, without the prefix for https. */
  readonly name: string;
  /** The cookie is sent to this path and to paths below it. */
  readonly path: `/${string}`;
  /** `Strict`: never with a request from another site. `Lax`: also when a link or redirect of another site leads here. */
  readonly sameSite: 'Lax' | 'Strict';
  /** Lifetime of the cookie. Default: until the browser is closed. */
  readonly ttlSeconds?: number;
  /** The gateway's origin. */
  readonly publicUrl: string;
}

/** Reads and writes one kind of cookie. */
export interface Cookie {
  /** The value in the request, or null. */
  read(ctx: GatewayContext): string | null;
  write(ctx: GatewayContext, value: string): void;
  /** Deletes the cookie. */
  clear(ctx: GatewayContext): void;
}

export function createCookie({ name, path, sameSite, ttlSeconds, publicUrl }: CookieRules): Cookie {
  const isSecure = publicUrl.startsWith('https:');
  const fullName = (isSecure ? prefixFor(path) : '') + name;
  const guards = `; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  // Not with ctx.cookies.set, which refuses Secure behind a proxy that terminates TLS.
  const write = (ctx: GatewayContext, value: string, maxAgeSeconds?: number) => {
    const lifetime = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
    ctx.append('Set-Cookie', `${fullName}=${value}; Path=${path}${lifetime}${guards}`);
  };
  return {
    read: (ctx) => ctx.cookies.get(fullName) ?? null,
    write: (ctx, value) => write(ctx, value, ttlSeconds),
    clear: (ctx) => write(ctx, '', 0),
  };
}

/** Browsers accept a cookie with one of these prefixes from this exact host only, or over https only (RFC 6265bis §4.1.3). */
function prefixFor(path: string): string {
  return path === '/' ? '__Host-' : '__Secure-';
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A cookie whose values are tokens of 256 random bits. */
interface TokenCookie {
  /** The token in the request, or null. */
  read(ctx: GatewayContext): string | null;
  /** Sets a new token. */
  issue(ctx: GatewayContext): string;
  /** Deletes the cookie. */
  clear(ctx: GatewayContext): void;
}

export function createTokenCookie(rules: CookieRules): TokenCookie {
  const cookie = createCookie(rules);
  return {
    ...cookie,
    read(ctx) {
      const token = cookie.read(ctx);
      return token !== null && TOKEN.test(token) ? token : null;
    },
    issue(ctx) {
      const token = randomBytes(32).toString('base64url');
      cookie.write(ctx, token);
      return token;
    },
  };
}

/** The `csrf` value of the forms of a session whose cookie has this token. Reveals nothing about the token. */
export function csrfOf(token: string): string {
  return digestOf(`${token}\ncsrf`);
}

/** Reads and sets the cookie that shows that two requests came from the same browser, and nothing else. */
export interface BrowserIds {
  /** The id in the request, or null. */
  read(ctx: GatewayContext): string | null;
  /** Returns the id in the request, or a new one that the answer sets. */
  ensure(ctx: GatewayContext): string;
}

/** @param publicUrl the gateway's origin. */
export function createBrowserIds(publicUrl: string): BrowserIds {
  const { read, issue } = createTokenCookie({ name: 'utg_browser', path: '/', sameSite: 'Lax', publicUrl });
  return { read, ensure: (ctx) => read(ctx) ?? issue(ctx) };
}
