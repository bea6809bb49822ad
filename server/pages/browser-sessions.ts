/** Sessions of people at pages: a random cookie that the store knows by hash. */

import type { GatewayContext } from '../http/state.ts';
import { hashSecret } from '../secrets.ts';
import {
  consumeSingleUseCode,
  extendSingleUseCode,
  insertSingleUseCode,
} from '../store/repositories/single-use-codes.ts';
import type { Executor } from '../store/schema.ts';
import { createSessionCookie, csrfOf, type SessionCookieRules } from './session-cookie.ts';

/** One kind of session; it lasts `ttlSeconds` at most, whatever is done with it. */
export interface SessionRules extends SessionCookieRules {
  /** What the store calls it; a session of one kind is never taken for another. */
  readonly purpose: string;
  /** How long it lasts without a request. */
  readonly idleSeconds: number;
}

/** A session that is valid now. */
export interface BrowserSession {
  /** What forms of this session carry. Says nothing about the cookie. */
  readonly csrf: string;
  /** Row id of the user whose session it is. Removing the user ends it. */
  readonly userId: string;
}

/** Sessions of one kind; every gateway with the same store takes them. */
export interface BrowserSessions {
  /** The session that the request came with, which counts as used now. */
  find(ctx: Pick<GatewayContext, 'cookies'>): Promise<BrowserSession | null>;
  /** Begins a session under a new random name, and ends the one that the request came with. */
  begin(ctx: Pick<GatewayContext, 'cookies' | 'append'>, userId: string): Promise<void>;
  /** Ends the session that the request came with, and takes its cookie back. */
  end(ctx: Pick<GatewayContext, 'cookies' | 'append'>): Promise<void>;
}

/** @param options.now milliseconds since 1970. */
export function createBrowserSessions(options: SessionRules & { db: Executor; now: () => number }): BrowserSessions {
  const { db, purpose, ttlSeconds, idleSeconds } = options;
  const cookie = createSessionCookie(options);
  const toKey = (token: string) => ({ codeHash: hashSecret(token), purpose, now: options.now() });
  const forget = async (ctx: Pick<GatewayContext, 'cookies'>): Promise<void> => {
    const token = cookie.read(ctx);
    if (token !== null) await consumeSingleUseCode(db, toKey(token));
  };

  return {
    async find(ctx) {
      const token = cookie.read(ctx);
      if (token === null) return null;
      const key = toKey(token);
      const until = { expiresAt: key.now + idleSeconds * 1000, madeAfter: key.now - ttlSeconds * 1000 };
      const found = await extendSingleUseCode(db, key, until);
      return found === undefined || found.userId === null ? null : { csrf: csrfOf(token), userId: found.userId };
    },
    async begin(ctx, userId) {
      await forget(ctx);
      const key = toKey(cookie.issue(ctx));
      await insertSingleUseCode(db, { ...key, userId, payload: {}, expiresAt: key.now + idleSeconds * 1000 });
    },
    async end(ctx) {
      await forget(ctx);
      cookie.clear(ctx);
    },
  };
}
