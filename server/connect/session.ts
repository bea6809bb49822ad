/** The connect session of a browser: its address, its cookie, and whether it may continue. */

import type { GatewayContext } from '../base/http/state.ts';
import { PageError } from '../base/pages/page-errors.ts';
import { digestOf, hashSecret } from '../base/principal/secrets.ts';
import {
  type ConnectSession,
  claimConnectSession,
  findConnectSession,
} from '../base/store/repositories/connect/connect-sessions.ts';
import { toConnectPage } from './answer.ts';
import { CONNECT_PAGE_TTL_SECONDS, type ConnectContext, type SessionCookieState } from './context.ts';

const TOKEN = /^utg_ct_[A-Za-z0-9_-]{43}$/;
const SESSION_ID = /^[0-9a-f-]{36}$/;

/**
 * Finds the session of a token, removes the token from the address at once, and redirects the browser to the page.
 *
 * This does not consume the token, so that a preview of the link does no harm: the page's first form consumes it.
 *
 * @param query.origin the site whose window receives the answer, one of the session's `allowed_origins`, or null if there is no popup.
 * @throws {PageError} 400 for a token that is unknown, expired or of another browser, and for another origin.
 */
export async function enterSession(
  ctx: GatewayContext,
  { token, origin }: { token: string; origin: string | null },
  deps: ConnectContext,
): Promise<void> {
  const session = await findByToken(ctx, token, deps);
  if (origin !== null && !session.allowedOrigins.includes(origin)) {
    throw new PageError(400, {
      title: 'This window cannot answer',
      text: 'It was opened by a site that the application did not name (allowed_origins).',
      advice: 'Close this window. If it happens again, tell the people who run the application.',
    });
  }
  const state = { sessionId: session.id, popupOrigin: origin };
  deps.sessionCookie(session.id).write(ctx, deps.sessionState.seal(ctx, state));
  toConnectPage(ctx, session.id);
}

/**
 * Finds the session of an address without consuming its token.
 *
 * @throws {PageError} 400 for a token that is unknown, expired or of another browser.
 */
export async function findByToken(ctx: GatewayContext, token: string, deps: ConnectContext): Promise<ConnectSession> {
  const key = TOKEN.test(token) ? { tokenHash: hashSecret(deps.db, token) } : null;
  return checkOpen(ctx, key === null ? undefined : await findConnectSession(deps.db, key), deps);
}

/**
 * Finds the session without consuming its token.
 *
 * @throws {PageError} 400 for a session that has expired, or is another browser's.
 */
export async function lookAtSession(ctx: GatewayContext, id: string, deps: ConnectContext): Promise<ConnectSession> {
  return checkOpen(ctx, await findConnectSession(deps.db, { id }), deps);
}

function checkOpen(
  ctx: GatewayContext,
  session: ConnectSession | undefined,
  { browserIds, now }: ConnectContext,
): ConnectSession {
  if (session === undefined || session.hasCode || session.expiresAt <= now()) throw sessionOver();
  const browserId = browserIds.read(ctx);
  const isOthers = session.browserHash !== null && (browserId === null || digestOf(browserId) !== session.browserHash);
  if (isOthers) throw sessionOver();
  return session;
}

/** Consumes the token for this browser, or for the frame. @throws {PageError} 400 as `lookAtSession`. */
export async function claimSession(
  ctx: GatewayContext,
  { sessionId: id, frame }: { readonly sessionId: string; readonly frame?: string | undefined },
  deps: ConnectContext,
): Promise<ConnectSession> {
  const browserId = frame ?? deps.browserIds.read(ctx);
  if (browserId === null) throw sessionOver();
  const now = deps.now();
  const claim = { id, browserHash: digestOf(browserId), now, expiresAt: now + CONNECT_PAGE_TTL_SECONDS * 1000 };
  const session = await claimConnectSession(deps.db, claim);
  if (session === undefined) throw sessionOver();
  return session;
}

/** The refusal of a session that cannot continue in this browser. */
export function sessionOver(): PageError {
  return new PageError(400, {
    title: 'This link cannot be used here',
    text: 'A link works once, for 15 minutes, in one browser. This one has expired, was used already, or was opened in another browser.',
    advice:
      'If you have just connected, you are done: close this page. Otherwise go back to the application and start again.',
  });
}

/** @returns null if the browser has no cookie of that session. @throws {PageError} 400 if it is too old, or of another browser. */
export function readSessionCookie(
  ctx: GatewayContext,
  id: string,
  { sessionCookie, sessionState }: ConnectContext,
): SessionCookieState | null {
  const value = SESSION_ID.test(id) ? sessionCookie(id).read(ctx) : null;
  const state = value === null ? null : sessionState.open(ctx, value);
  return state?.sessionId === id ? state : null;
}
