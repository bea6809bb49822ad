/** Paths of the connect flow. */

/** Page of a connect session; with a connector's name after it, the page of a plain link. */
export const CONNECT_PATH = '/connect';

/** Where a partner redeems the code of a connect flow. */
export const CONNECT_TOKEN_PATH = '/api/oauth/token';

/** Script with which partners' pages open the connect page. */
export const CONNECT_SCRIPT_PATH = '/connect.js';

/** Page of one service, as a router pattern. */
export const CONNECT_ROUTE = `${CONNECT_PATH}/:service`;

/** Where an upstream's authorization server redirects the browser to, as a router pattern: one callback per connector. */
export const CALLBACK_ROUTE = `${CONNECT_ROUTE}/callback`;

/** The connector's own redirect URI. @param publicUrl the gateway's origin. */
export function callbackOf(publicUrl: string, service: string): string {
  return `${publicUrl}${CONNECT_PATH}/${service}/callback`;
}
