/** Rule: revoking a token of a confidential client or partner needs its credentials; for other tokens, possession is enough. */

import { invalidClient } from '../../protocol/client-credentials.ts';
import { OAuthError } from '../../protocol/error.ts';
import type { AuthenticateSender, Sender, SentCredentials } from '../client-authentication.ts';
import type { FoundToken } from './find-token.ts';

/**
 * Checks credentials of an OAuth client or of a partner (RFC 7009 §2.1).
 *
 * A public client has none, so anyone who holds its token may revoke it. The same is true of tokens that an operator
 * issued. Credentials that are sent must still match.
 *
 * @param known the sender, when it has already authenticated.
 * @returns the sender, or undefined when no one authenticated.
 * @throws {OAuthError} `invalid_client` (401) for unknown or missing credentials, `invalid_grant` (400) for a token that
 * was issued to someone else.
 */
export async function checkOwner(
  authenticate: AuthenticateSender,
  credentials: SentCredentials,
  token: FoundToken | undefined,
  known: Sender | undefined,
): Promise<Sender | undefined> {
  if (
    known === undefined &&
    credentials.clientId === undefined &&
    credentials.clientSecret === undefined &&
    credentials.assertion === undefined
  ) {
    if (token?.isConfidential === true) throw invalidClient(credentials);
    return undefined;
  }
  const sender = known ?? (await authenticate(credentials));
  const { clientId } = 'client' in sender ? sender.client : sender.partner;
  if (token !== undefined && token.issuedTo !== clientId) {
    throw new OAuthError(400, 'invalid_grant', 'The token was issued to another client.');
  }
  return sender;
}
