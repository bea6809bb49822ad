/** Who sends a request to the token endpoint: a public client by its id, a confidential one or a partner by its secret. */

import { type ClientCredentials, invalidClient } from '../oauth-protocol/client-credentials.ts';
import { authenticatePartner } from '../partners/secrets.ts';
import { matchesHash } from '../secrets.ts';
import { findClient, type OAuthClient } from '../store/repositories/oauth-clients.ts';
import type { Partner } from '../store/repositories/partners.ts';
import type { Executor } from '../store/schema.ts';

/** A client or a partner that has proved who it is. */
export type Sender = { readonly client: OAuthClient } | { readonly partner: Partner };

/**
 * Finds the client or partner and verifies that it is the one: a public client by its id alone, others by their secret.
 *
 * The secret is accepted in the header and in the body, whichever of the two the client registered.
 *
 * @throws {OAuthError} `invalid_client`, status 401, which makes MCP clients register again.
 */
export async function authenticateSender(executor: Executor, credentials: ClientCredentials): Promise<Sender> {
  const { clientId, clientSecret } = credentials;
  if (clientId === undefined) throw invalidClient(credentials);
  const client = await findClient(executor, clientId);
  if (client !== undefined) {
    if (!isVerified(client, clientSecret)) throw invalidClient(credentials);
    return { client };
  }
  const partner =
    clientSecret === undefined ? undefined : await authenticatePartner(executor, { clientId, clientSecret });
  if (partner === undefined) throw invalidClient(credentials);
  return { partner };
}

function isVerified({ secretHash }: OAuthClient, clientSecret: string | undefined): boolean {
  if (secretHash === null || clientSecret === undefined) return secretHash === null && clientSecret === undefined;
  return matchesHash(clientSecret, secretHash);
}
