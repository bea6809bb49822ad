/** Sessions of operators: a random cookie that the store knows by hash, valid until sign-out or the end of a working day. */

import { randomBytes } from 'node:crypto';
import type { GatewayContext } from '../http/state.ts';
import { hashSecret } from '../secrets.ts';
import {
  consumeSingleUseCode,
  insertSingleUseCode,
  peekSingleUseCode,
} from '../store/repositories/single-use-codes.ts';
import type { AdminDependencies } from './request.ts';

/** How long a session lasts, whatever is done with it. */
export const SESSION_TTL_SECONDS = 12 * 3600;

const PURPOSE = 'operator-session';
/** `__Host-` makes browsers take the cookie from this very host only (RFC 6265bis §4.1.3.2); it needs https. */
const SECURE_NAME = '__Host-utg_operator';
const LOOPBACK_NAME = 'utg_operator';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A session that is valid now. */
export interface OperatorSession {
  /** What forms of this session carry. Says nothing about the cookie. */
  readonly csrf: string;
}

/**
 * Sessions of one gateway; every gateway with the same store and the same secret takes them.
 *
 * The hash covers the operator's secret, so changing the secret ends every session.
 */
export interface OperatorSessions {
  find(ctx: Pick<GatewayContext, 'cookies'>): Promise<OperatorSession | null>;
  /** Begins a session under a new random name, and ends the one that the request came with. */
  begin(ctx: Pick<GatewayContext, 'cookies' | 'append'>): Promise<void>;
  /** Ends the session that the request came with, and takes its cookie back. */
  end(ctx: Pick<GatewayContext, 'cookies' | 'append'>): Promise<void>;
}

export function createOperatorSessions(deps: AdminDependencies): OperatorSessions {
  const secure = deps.publicUrl.startsWith('https:');
  const name = secure ? SECURE_NAME : LOOPBACK_NAME;
  const toKey = (token: string) => ({
    codeHash: hashSecret(`${token}\n${deps.secret}`),
    purpose: PURPOSE,
    now: deps.now(),
  });
  const read = (ctx: Pick<GatewayContext, 'cookies'>): string | null => {
    const token = ctx.cookies.get(name);
    return token !== undefined && TOKEN.test(token) ? token : null;
  };
  // Not by ctx.cookies.set, which refuses Secure where a proxy ended TLS.
  const write = (ctx: Pick<GatewayContext, 'append'>, token: string, maxAgeSeconds: number) =>
    ctx.append(
      'Set-Cookie',
      `${name}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`,
    );
  const forget = async (ctx: Pick<GatewayContext, 'cookies'>): Promise<void> => {
    const token = read(ctx);
    if (token !== null) await consumeSingleUseCode(deps.db, toKey(token));
  };

  return {
    async find(ctx) {
      const token = read(ctx);
      if (token === null || (await peekSingleUseCode(deps.db, toKey(token))) === undefined) return null;
      return { csrf: hashSecret(`${token}\ncsrf`) };
    },
    async begin(ctx) {
      await forget(ctx);
      const token = randomBytes(32).toString('base64url');
      const expiresAt = deps.now() + SESSION_TTL_SECONDS * 1000;
      await insertSingleUseCode(deps.db, { ...toKey(token), userId: null, payload: {}, expiresAt });
      write(ctx, token, SESSION_TTL_SECONDS);
    },
    async end(ctx) {
      await forget(ctx);
      write(ctx, '', 0);
    },
  };
}
