/** Which partner sends a request, by its credentials in the `Authorization` header or in the body. */

import { invalidClient, readClientCredentials } from '../oauth-protocol/client-credentials.ts';
import type { Form } from '../oauth-protocol/form.ts';
import type { Partner } from '../store/repositories/partners.ts';
import type { Executor } from '../store/schema.ts';
import { authenticatePartner } from './secrets.ts';

/**
 * Finds the partner and verifies its secret.
 *
 * @param form the body, or null where there is none.
 * @throws {OAuthError} `invalid_client` (401), `invalid_request` (400) for credentials in both places, `partner_suspended`
 * (403).
 */
export async function requirePartner(executor: Executor, authorization: string, form: Form | null): Promise<Partner> {
  const credentials = readClientCredentials(authorization, {
    clientId: form?.get('client_id'),
    clientSecret: form?.get('client_secret'),
  });
  const { clientId, clientSecret } = credentials;
  if (clientId === undefined || clientSecret === undefined) throw invalidClient(credentials);
  const partner = await authenticatePartner(executor, { clientId, clientSecret });
  if (partner === undefined) throw invalidClient(credentials);
  return partner;
}
