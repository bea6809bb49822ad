/** Sessions of people at pages: a random cookie that the store knows by hash. */

import { randomBytes } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';
import { hashSecret } from '../secrets.ts';
import {
  consumeSingleUseCode,
  extendSingleUseCode,
  insertSingleUseCode,
} from '../store/repositories/single-use-codes.ts';
import type { Executor } from '../store/schema.ts';

/** One kind of session. */
export interface SessionRules {
  /** What the store calls it; a session of one kind is never taken for another. */
  readonly purpose: string;
  /** Name of the cookie, without the prefix that https allows. */
  readonly cookie: string;
  /** The pages that the cookie is sent to, and those below. */
  readonly path: `/${string}`;
  /** How long a session lasts at most, whatever is done with it. */
  readonly ttlSeconds: number;
  /** How long it lasts without a request. */
  readonly idleSeconds: number;
  /** Goes into the hash, so that changing it ends every session. */
  readonly secret: string;
}

/** A session that is valid now. */
export interface BrowserSession {
  /** What forms of this session carry. Says nothing about the cookie. */
  readonly csrf: string;
  /** Row id of the user whose session it is; null where it is no user's. Removing the user ends it. */
  readonly userId: string | null;
}

/** Sessions of one kind; every gateway with the same store and the same secret takes them. */
export interface BrowserSessions {
  /** The session that the request came with, which counts as used now. */
  find(ctx: Pick<GatewayContext, 'cookies'>): Promise<BrowserSession | null>;
  /** Begins a session under a new random name, and ends the one that the request came with. */
  begin(ctx: Pick<GatewayContext, 'cookies' | 'append'>, userId: string | null): Promise<void>;
  /** Ends the session that the request came with, and takes its cookie back. */
  end(ctx: Pick<GatewayContext, 'cookies' | 'append'>): Promise<void>;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @param options.publicUrl the gateway's origin. @param options.now milliseconds since 1970. */
export function createBrowserSessions(
  options: SessionRules & { db: Executor; publicUrl: string; now: () => number },
): BrowserSessions {
  const { db, purpose, path, ttlSeconds, idleSeconds, secret } = options;
  const secure = options.publicUrl.startsWith('https:');
  const name = (secure ? prefixFor(path) : '') + options.cookie;
  const toKey = (token: string) => ({ codeHash: hashSecret(`${token}\n${secret}`), purpose, now: options.now() });
  const read = (ctx: Pick<GatewayContext, 'cookies'>): string | null => {
    const token = ctx.cookies.get(name);
    return token !== undefined && TOKEN.test(token) ? token : null;
  };
  // Not by ctx.cookies.set, which refuses Secure where a proxy ended TLS.
  const write = (ctx: Pick<GatewayContext, 'append'>, token: string, maxAgeSeconds: number) =>
    ctx.append(
      'Set-Cookie',
      `${name}=${token}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`,
    );
  const forget = async (ctx: Pick<GatewayContext, 'cookies'>): Promise<void> => {
    const token = read(ctx);
    if (token !== null) await consumeSingleUseCode(db, toKey(token));
  };

  return {
    async find(ctx) {
      const token = read(ctx);
      if (token === null) return null;
      const key = toKey(token);
      const until = { expiresAt: key.now + idleSeconds * 1000, madeAfter: key.now - ttlSeconds * 1000 };
      const found = await extendSingleUseCode(db, key, until);
      return found === undefined ? null : { csrf: hashSecret(`${token}\ncsrf`), userId: found.userId };
    },
    async begin(ctx, userId) {
      await forget(ctx);
      const token = randomBytes(32).toString('base64url');
      const key = toKey(token);
      await insertSingleUseCode(db, { ...key, userId, payload: {}, expiresAt: key.now + idleSeconds * 1000 });
      write(ctx, token, ttlSeconds);
    },
    async end(ctx) {
      await forget(ctx);
      write(ctx, '', 0);
    },
  };
}

/** Browsers take a cookie of these names from this very host only, or from https only (RFC 6265bis §4.1.3). */
function prefixFor(path: string): string {
  return path === '/' ? '__Host-' : '__Secure-';
}
