/** Finds the access token in a request (RFC 6750 §2). */

/** The credentials of a request. `reason` is a sentence for the caller. */
type BearerCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'malformed'; readonly reason: string };

/** `b64token` of RFC 6750 §2.1. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Reads the `Authorization` header. Another scheme, or `Bearer` without a token, counts as no credentials.
 *
 * A token in the query string is malformed even when the header has one: URLs end up in logs and histories
 * (RFC 6750 §2.3, MCP authorization, Access Token Usage).
 */
export function readBearer(authorization: string, query: string): BearerCredentials {
  if (query !== '' && new URLSearchParams(query).has('access_token')) {
    return { kind: 'malformed', reason: 'Send the access token in the Authorization header, not in the query string.' };
  }
  const [scheme = '', ...rest] = authorization.split(' ');
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'none' };
  const token = rest.join(' ').trim();
  if (token === '') return { kind: 'none' };
  return TOKEN.test(token)
    ? { kind: 'token', token }
    : { kind: 'malformed', reason: 'The Authorization header is not of the form "Bearer <token>".' };
}
