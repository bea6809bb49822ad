/** The address of a connect session: looks the token up, and removes it from the address at once. */

import type { GatewayContext } from '../../base/http/state.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { hashSecret } from '../../base/secrets.ts';
import { findConnectSession } from '../../base/store/repositories/connect/connect-sessions.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { toConnectPage } from '../response.ts';
import { writeSessionCookie } from './cookie.ts';

const TOKEN = /^utg_ct_[A-Za-z0-9_-]{43}$/;

/**
 * Redirects the browser to the page. The token is not consumed: a preview of the link does no harm, and the page's first form consumes it.
 *
 * @param query.origin the site whose window receives the answer, one of the session's `allowed_origins`; null: no popup.
 * @throws {PageError} 400 for a token that is unknown, expired or of another browser, and for another origin.
 */
export async function enterSession(
  ctx: GatewayContext,
  query: { token: string; origin: string | null },
  deps: ConnectDependencies,
): Promise<void> {
  const { token, origin } = query;
  const session = TOKEN.test(token) ? await findConnectSession(deps.db, { tokenHash: hashSecret(token) }) : undefined;
  if (session === undefined || session.expiresAt <= deps.now() || session.hasCode) throw sessionOver();
  const browserId = deps.browserIds.read(ctx);
  if (session.browserHash !== null && (browserId === null || hashSecret(browserId) !== session.browserHash)) {
    throw sessionOver();
  }
  if (origin !== null && !session.allowedOrigins.includes(origin)) {
    throw new PageError(400, {
      title: 'This window cannot answer',
      text: 'It was opened by a site that the application did not name (allowed_origins).',
      advice: 'Close this window. If it happens again, tell the people who run the application.',
    });
  }
  writeSessionCookie(ctx, { sessionId: session.id, popupOrigin: origin }, deps);
  toConnectPage(ctx);
}

/** The refusal of a session that cannot continue in this browser. */
export function sessionOver(): PageError {
  return new PageError(400, {
    title: 'This link has expired',
    text: 'It works once, for 15 minutes, in one browser. Nothing was saved.',
    advice: 'Go back to the application and start again.',
  });
}
