/** A gateway with `CONSENT=need`, and a library whose tools read, write and delete. */

import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { mintConnectionCode } from '../../server/identity/oauth/connection-codes.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { WHOLE_LIMITS } from '../support/whole-limits.ts';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
export const READ = { name: 'library_list_books', arguments: {} };
export const WRITE = { name: 'library_add_book', arguments: {} };
export const DESTROY = { name: 'library_remove_book', arguments: {} };
export const WRITE_TOO = { name: 'library_shelve_book', arguments: {} };

export function startConsentByNeed(upstreamOrigin: string): Promise<RunningGateway> {
  const tools = [
    fakeTool({ name: READ.name }),
    fakeTool({ name: WRITE.name, method: 'POST' }),
    fakeTool({ name: WRITE_TOO.name, method: 'POST', path: '/shelves' }),
    fakeTool({ name: DESTROY.name, method: 'DELETE', more: { annotations: DESTROYS } }),
  ];
  return startGateway({
    connectors: [fakeConnector({ tools })],
    secretOf: () => 'secret',
    env: {
      CONSENT: 'need',
      LIBRARY_BASE_URL: upstreamOrigin,
    },
  });
}

/** Mints a connection code of the user. */
export async function mintCode({ store }: RunningGateway): Promise<string> {
  const [user] = await findUsersByExternalId(store.db, 'ada');
  return mintConnectionCode(store.db, { userId: user!.id, limits: WHOLE_LIMITS, now: Date.now() });
}
