/** The cookie that a browser goes through the pages of a connect session with, once the token has left the address. */

import { z } from 'zod';
import type { GatewayContext } from '../../http/state.ts';
import type { PageStateRules, SealedForm } from '../../pages/sealed-form.ts';
import { CONNECT_PATH } from '../paths.ts';
import { CONNECT_PAGE_TTL_SECONDS } from '../visit/page-state.ts';

const SCHEMA = z.object({ sessionId: z.string(), popupOrigin: z.string().nullable() });

/** The session, and the one origin that a popup answers to. */
export type SessionCookieState = Readonly<z.output<typeof SCHEMA>>;

/** Sealed as the page's forms are, for the browser that opened the session's address. */
export const SESSION_COOKIE: PageStateRules<SessionCookieState> = {
  purpose: 'connect session',
  schema: SCHEMA,
  ttlSeconds: CONNECT_PAGE_TTL_SECONDS,
};

/** `Lax`: the partner's page, and an upstream's, lead here from another site. */
export function writeSessionCookie(
  ctx: GatewayContext,
  state: SessionCookieState,
  { sessionCookie, publicUrl }: { sessionCookie: SealedForm<SessionCookieState>; publicUrl: string },
): void {
  const secure = publicUrl.startsWith('https:');
  const value = sessionCookie.seal(ctx, state);
  const attributes = `Path=${CONNECT_PATH}; Max-Age=${CONNECT_PAGE_TTL_SECONDS}; HttpOnly; SameSite=Lax`;
  ctx.append('Set-Cookie', `${nameFor(secure)}=${value}; ${attributes}${secure ? '; Secure' : ''}`);
}

/** @returns null where the browser has none. @throws {PageError} 400 where it is too old, or another browser's. */
export function readSessionCookie(
  ctx: GatewayContext,
  { sessionCookie, publicUrl }: { sessionCookie: SealedForm<SessionCookieState>; publicUrl: string },
): SessionCookieState | null {
  const value = ctx.cookies.get(nameFor(publicUrl.startsWith('https:')));
  return value === undefined ? null : sessionCookie.open(ctx, value);
}

/** Browsers take a cookie of this prefix over https only (RFC 6265bis §4.1.3.1). */
function nameFor(secure: boolean): string {
  return `${secure ? '__Secure-' : ''}utg_connect`;
}
