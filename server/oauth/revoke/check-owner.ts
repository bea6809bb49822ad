/** Rule: a token of a confidential client or of a partner is revoked with its credentials only, others by possession. */

import { invalidClient } from '../../oauth-protocol/client-credentials.ts';
import { OAuthError } from '../../oauth-protocol/error.ts';
import type { AuthenticateSender, Sender, SentCredentials } from '../client-authentication.ts';
import type { FoundToken } from './find-token.ts';

/**
 * Checks credentials of an OAuth client or of a partner (RFC 7009 §2.1).
 *
 * A public client has none, so who has its token may revoke it; so it is with tokens that an operator minted. What is sent
 * must fit nevertheless.
 *
 * @param known the sender, where it has authenticated before.
 * @returns the sender, or undefined where no one authenticated.
 * @throws {OAuthError} `invalid_client` (401) for credentials that are no one's, or missing, `invalid_grant` (400) for a
 * token that was issued to someone else.
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
