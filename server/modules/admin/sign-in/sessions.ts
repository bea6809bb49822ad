/** Sessions of operators: valid until sign-out, for some time without a request, or until the end of a working day. */

import type { CurrentSession, OperatorRole, OperatorSession } from '../../../base/dashboard/pages.ts';
import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { createTokenCookie, csrfOf } from '../../../base/pages/cookie.ts';
import { hashSecret } from '../../../base/principal/secrets.ts';
import type { AdminContext } from '../context.ts';
import {
  endOperatorSessionByToken,
  findOperatorSession,
  insertOperatorSession,
  SESSION_SECONDS,
  useOperatorSession,
} from '../stored-operators.ts';

/** The operator who signed in, and the origin of the session: a secret in `operators`, the setting ADMIN_SECRET, or the OpenID provider. */
export interface SignedInOperator {
  readonly by: 'operator' | 'bootstrap' | 'openid';
  /** Row id of a named operator. */
  readonly operatorId: string | null;
  readonly name: string;
  readonly role: OperatorRole;
}

/** Sessions; every gateway with the same store and settings accepts them. */
export interface OperatorSessions {
  /** Finds the session of the request, records its use, and makes its operator the operator of the request. */
  find(ctx: GatewayContext): Promise<CurrentSession | null>;
  /** Finds the session of the request, for what a page asks for by itself: the session is not extended. */
  findWithoutUse(ctx: GatewayContext): Promise<OperatorSession | null>;
  /** Begins a session under a new random name, and ends the session of the request. */
  begin(ctx: GatewayContext, operator: SignedInOperator): Promise<void>;
  /** Ends the session of the request, and deletes its cookie. */
  end(ctx: GatewayContext): Promise<void>;
}

/**
 * Creates the sessions.
 *
 * A session's hash includes what the session depends on. So it ends when the operator is removed, or when ADMIN_SECRET or
 * any setting of the OpenID provider changes.
 */
export function createOperatorSessions(deps: AdminContext): OperatorSessions {
  const { db, secret, openId, idleSeconds } = deps;
  const cookie = createTokenCookie({
    name: 'utg_operator',
    path: '/',
    sameSite: 'Strict',
    ttlSeconds: SESSION_SECONDS,
    publicUrl: deps.publicUrl,
  });
  // The settings that a session depends on, by the way in which its operator signed in.
  const settingsBySignIn: Record<string, string> = { operator: '' };
  if (secret !== null) settingsBySignIn.bootstrap = secret;
  if (openId !== null) settingsBySignIn.openid = JSON.stringify(openId);
  const hashOf = (token: string, by: string) => hashSecret(db, [token, by, settingsBySignIn[by] ?? ''].join('\n'));
  const hashesOf = (token: string) => Object.keys(settingsBySignIn).map((by) => hashOf(token, by));
  const forget = async (ctx: GatewayContext): Promise<void> => {
    const token = cookie.read(ctx);
    if (token !== null) await endOperatorSessionByToken(db, hashesOf(token));
  };

  return {
    async find(ctx) {
      const token = cookie.read(ctx);
      if (token === null) return null;
      const now = deps.now();
      const times = { now, expiresAt: now + idleSeconds * 1000 };
      const session = await useOperatorSession(db, hashesOf(token), times);
      if (session === undefined) return null;
      ctx.state.operator = session.name;
      return { ...session, csrf: csrfOf(token) };
    },
    async findWithoutUse(ctx) {
      const token = cookie.read(ctx);
      const session = token === null ? undefined : await findOperatorSession(db, hashesOf(token), deps.now());
      if (session === undefined) return null;
      ctx.state.operator = session.name;
      return session;
    },
    async begin(ctx, { by, ...operator }) {
      await forget(ctx);
      const tokenHash = hashOf(cookie.issue(ctx), by);
      const { address } = originOf(ctx);
      const now = deps.now();
      await insertOperatorSession(db, { ...operator, tokenHash, address, now, expiresAt: now + idleSeconds * 1000 });
      ctx.state.operator = operator.name;
    },
    async end(ctx) {
      await forget(ctx);
      cookie.clear(ctx);
    },
  };
}
