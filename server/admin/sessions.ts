/** Sessions of operators: valid until sign-out or the end of a working day. */

import { type BrowserSessions, createBrowserSessions } from '../pages/browser-sessions.ts';
import type { AdminDependencies } from './request.ts';

/** How long a session lasts, whatever is done with it. */
export const SESSION_TTL_SECONDS = 12 * 3600;

/** The sessions. Changing the operator's secret ends every one. */
export function createOperatorSessions(deps: AdminDependencies): BrowserSessions {
  return createBrowserSessions({
    ...deps,
    purpose: 'operator-session',
    cookie: 'utg_operator',
    path: '/',
    ttlSeconds: SESSION_TTL_SECONDS,
    idleSeconds: SESSION_TTL_SECONDS,
  });
}
