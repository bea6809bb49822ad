/** Paths of the authorization server's endpoints, below the issuer. */

export const AUTHORIZE_PATH = '/api/mcp/oauth/authorize';
/** Shows the step of the consent page in the query. */
export const CONSENT_PATH = '/api/mcp/oauth/consent';
export const TOKEN_PATH = '/api/mcp/oauth/token';
export const REGISTER_PATH = '/api/mcp/oauth/register';
export const REVOKE_PATH = '/api/mcp/oauth/revoke';
export const SESSIONS_PATH = '/api/mcp/oauth/sessions';
