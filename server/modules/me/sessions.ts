/** Sessions of users at their own page: short, because the browser may be anyone's. */

import { type BrowserSessions, createBrowserSessions } from '../../base/pages/browser-sessions.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import type { UserPageDependencies } from './request.ts';

/** How long a session lasts without a request. */
export const USER_SESSION_IDLE_SECONDS = 900;

/** The maximum length of a session. */
export const USER_SESSION_TTL_SECONDS = 8 * 3600;

export function createUserSessions(deps: UserPageDependencies): BrowserSessions {
  return createBrowserSessions({
    ...deps,
    purpose: 'user-session',
    cookie: 'utg_me',
    path: USER_PAGE_PATH,
    ttlSeconds: USER_SESSION_TTL_SECONDS,
    idleSeconds: USER_SESSION_IDLE_SECONDS,
  });
}
