/** Rows for the tests of the authorization server's store. */

import type { Store } from '../../../../server/base/store/index.ts';
import { insertClient, type NewOAuthClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';

export const CLIENT: NewOAuthClient = {
  clientId: 'client-1',
  clientName: 'Inspector',
  redirectUris: ['http://127.0.0.1/cb'],
  applicationType: 'native',
  authenticationMethod: 'none',
  secretHash: null,
  now: 5,
};

/** A partner, its user, a client, and the grant of the user to the client. */
export async function givenGrant(given: { store: Store }, changes: Partial<Parameters<typeof insertGrant>[1]> = {}) {
  const { partner, user } = await insertPartnerAndUser(given.store);
  await insertClient(given.store.db, CLIENT);
  const grantId = await insertGrant(given.store.db, {
    clientId: 'client-1',
    userId: user.id,
    scopes: ['tools:read', 'tools:write'],
    services: null,
    resource: 'https://gateway.example.com/api/mcp/unified',
    now: 10,
    expiresAt: 20,
    ...changes,
  });
  return { partner, user, grantId };
}
