/** The cookie that identifies a connect session after its token was removed from the address. */

import { z } from 'zod';
import type { GatewayContext } from '../../base/http/state.ts';
import type { PageStateRules, SealedForm } from '../../base/pages/sealed-form.ts';
import { CONNECT_PATH } from '../paths.ts';
import { CONNECT_PAGE_TTL_SECONDS } from '../visit/page-state.ts';

const SCHEMA = z.object({ sessionId: z.string(), popupOrigin: z.string().nullable() });

/** The session, and the only origin that a popup answers. */
export type SessionCookieState = Readonly<z.output<typeof SCHEMA>>;

/** Sealed like the page's forms, for the browser that opened the session's address. */
export const SESSION_COOKIE: PageStateRules<SessionCookieState> = {
  purpose: 'connect session',
  schema: SCHEMA,
  ttlSeconds: CONNECT_PAGE_TTL_SECONDS,
};

/** `Lax`, because the partner's page and an upstream's lead here from another site. */
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

/** @returns null if the browser has no cookie. @throws {PageError} 400 if it is too old, or of another browser. */
export function readSessionCookie(
  ctx: GatewayContext,
  { sessionCookie, publicUrl }: { sessionCookie: SealedForm<SessionCookieState>; publicUrl: string },
): SessionCookieState | null {
  const value = ctx.cookies.get(nameFor(publicUrl.startsWith('https:')));
  return value === undefined ? null : sessionCookie.open(ctx, value);
}

/** Browsers accept a cookie with this prefix over https only (RFC 6265bis §4.1.3.1). */
function nameFor(secure: boolean): string {
  return `${secure ? '__Secure-' : ''}utg_connect`;
}
