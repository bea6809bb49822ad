/** Who sends a request to the token endpoint: a public client by its id, a confidential one by its secret. */

import { type ClientCredentials, invalidClient } from '../oauth-protocol/client-credentials.ts';
import { matchesHash } from '../secrets.ts';
import { findClient, type OAuthClient } from '../store/repositories/oauth-clients.ts';
import type { Executor } from '../store/schema.ts';

/**
 * Finds the client and verifies that it is the one: a public client by its id alone, a confidential one by its secret.
 *
 * The secret is accepted in the header and in the body, whichever of the two the client registered.
 *
 * @throws {OAuthError} `invalid_client`, status 401, which makes MCP clients register again.
 */
export async function authenticateClient(executor: Executor, credentials: ClientCredentials): Promise<OAuthClient> {
  const { clientId, clientSecret } = credentials;
  const client = clientId === undefined ? undefined : await findClient(executor, clientId);
  if (client === undefined) throw invalidClient(credentials);
  const verified =
    client.secretHash === null
      ? clientSecret === undefined
      : clientSecret !== undefined && matchesHash(clientSecret, client.secretHash);
  if (!verified) throw invalidClient(credentials);
  return client;
}
