/** Sessions of people on pages: a random cookie, of which the store has the hash. */

import { z } from 'zod';
import type { GatewayContext } from '../http/state.ts';
import { hashSecret } from '../principal/secrets.ts';
import {
  consumeSingleUseCode,
  extendSingleUseCode,
  insertSingleUseCode,
} from '../store/repositories/single-use-codes.ts';
import type { Executor } from '../store/schema.ts';
import { type CookieRules, createTokenCookie, csrfOf } from './cookie.ts';

const FACTS = z.record(z.string(), z.string());

/** One kind of session; it ends after `ttlSeconds`, even if it is in use. */
interface SessionRules extends Required<CookieRules> {
  /** Name of the kind in the store; sessions of different kinds are never confused. */
  readonly purpose: string;
  /** Time that a session lasts without a request. */
  readonly idleSeconds: number;
}

/** A session that is valid now. */
export interface BrowserSession {
  /** The `csrf` value of this session's forms. Reveals nothing about the cookie. */
  readonly csrf: string;
  /** Row id of the session's user. Removing the user ends the session. */
  readonly userId: string;
  /** Facts about the session that were stored when it began. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Sessions of one kind; every gateway with the same store accepts them. */
export interface BrowserSessions {
  /** Finds the session of the request, and counts it as used now. */
  find(ctx: GatewayContext): Promise<BrowserSession | null>;
  /** Begins a session under a new random name, and ends the session of the request. */
  begin(ctx: GatewayContext, userId: string, facts: BrowserSession['facts']): Promise<void>;
  /** Ends the session of the request, and deletes its cookie. */
  end(ctx: GatewayContext): Promise<void>;
}

/** @param options.now milliseconds since 1970. */
export function createBrowserSessions(options: SessionRules & { db: Executor; now: () => number }): BrowserSessions {
  const { db, purpose, ttlSeconds, idleSeconds } = options;
  const cookie = createTokenCookie(options);
  const toKey = (token: string) => ({ codeHash: hashSecret(db, token), purpose, now: options.now() });
  const forget = async (ctx: GatewayContext): Promise<void> => {
    const token = cookie.read(ctx);
    if (token !== null) await consumeSingleUseCode(db, toKey(token));
  };

  return {
    async find(ctx) {
      const token = cookie.read(ctx);
      if (token === null) return null;
      const key = toKey(token);
      const until = { expiresAt: key.now + idleSeconds * 1000, madeAfter: key.now - ttlSeconds * 1000 };
      const session = await extendSingleUseCode(db, key, until);
      if (session === undefined || session.userId === null) return null;
      return { csrf: csrfOf(token), userId: session.userId, facts: FACTS.parse(session.payload) };
    },
    async begin(ctx, userId, facts) {
      await forget(ctx);
      const key = toKey(cookie.issue(ctx));
      await insertSingleUseCode(db, { ...key, userId, payload: facts, expiresAt: key.now + idleSeconds * 1000 });
    },
    async end(ctx) {
      await forget(ctx);
      cookie.clear(ctx);
    },
  };
}
