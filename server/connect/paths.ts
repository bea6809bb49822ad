/** Where the connect flow is. */

/** Followed by the connector's name. */
export const CONNECT_PATH = '/connect';

/** Where a partner redeems the code of a connect flow. */
export const CONNECT_TOKEN_PATH = '/api/oauth/token';

/** The page of one service, as a router pattern. */
export const CONNECT_ROUTE = `${CONNECT_PATH}/:service`;
