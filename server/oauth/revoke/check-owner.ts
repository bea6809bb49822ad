/** Rule: credentials that come with a revocation are real, and they are of whom the token was issued to. */

import { type ClientCredentials, invalidClient } from '../../oauth-protocol/client-credentials.ts';
import { OAuthError } from '../../oauth-protocol/error.ts';
import { authenticatePartner } from '../../partners/secrets.ts';
import { matchesHash } from '../../secrets.ts';
import { findClient } from '../../store/repositories/oauth-clients.ts';
import { findPartnerByClientId } from '../../store/repositories/partners.ts';
import type { Executor } from '../../store/schema.ts';
import type { FoundToken } from './find-token.ts';

/**
 * Checks credentials of an OAuth client or of a partner (RFC 7009 §2.1).
 *
 * Who has a token may revoke it, so no credentials are fine, and so is a `client_id` alone. What is sent must fit.
 *
 * @throws {OAuthError} `invalid_client` (401) for credentials that are nobody's, `invalid_grant` (400) for a token that was
 * issued to somebody else.
 */
export async function checkOwner(
  executor: Executor,
  credentials: ClientCredentials,
  token: FoundToken | undefined,
): Promise<void> {
  const { clientId, clientSecret } = credentials;
  if (clientId === undefined && clientSecret === undefined) return;
  if (clientId === undefined || !(await isReal(executor, clientId, clientSecret))) throw invalidClient(credentials);
  if (token !== undefined && token.issuedTo !== clientId) {
    throw new OAuthError(400, 'invalid_grant', 'The token was issued to another client.');
  }
}

async function isReal(executor: Executor, clientId: string, clientSecret: string | undefined): Promise<boolean> {
  const client = await findClient(executor, clientId);
  if (client !== undefined) {
    if (clientSecret === undefined) return true;
    return client.secretHash !== null && matchesHash(clientSecret, client.secretHash);
  }
  if (clientSecret === undefined) return (await findPartnerByClientId(executor, clientId)) !== undefined;
  return (await authenticatePartner(executor, { clientId, clientSecret })) !== undefined;
}
