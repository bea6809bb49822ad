/** Rows for the store's tests. */

import type { Store } from '../../../../server/base/store/index.ts';
import type { NewAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import {
  type ConnectionAttempt,
  insertConnectionAttempt,
} from '../../../../server/base/store/repositories/connection-attempts.ts';
import {
  listAccounts,
  markConnectionRefused,
  putConnection,
} from '../../../../server/base/store/repositories/connections.ts';
import { insertPartner, type Partner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser, type User } from '../../../../server/base/store/repositories/users.ts';
import type { ConnectionStatus, Executor } from '../../../../server/base/store/schema.ts';

export async function insertPartnerAndUser(store: Store): Promise<{ partner: Partner; user: User }> {
  const partner = await insertPartner(store.db, { clientId: 'acme', name: 'Acme', now: 1 });
  const user = await ensureUser(store.db, { partnerId: partner.id, externalUserId: 'alice', now: 2 });
  return { partner, user };
}

/** The user's first account of a service. */
export async function findConnection(executor: Executor, userId: string, service: string) {
  return (await listAccounts(executor, userId, service))[0];
}

/** Connects the user to an open service. @returns the connection's row id. */
export async function connect(
  store: Store,
  connection: { userId: string; service: string; now?: number; status?: ConnectionStatus },
): Promise<string> {
  const { now = 1, status = 'active', ...of } = connection;
  const id = await putConnection(store.db, { ...of, now, seal: () => null });
  if (status === 'attention') await markConnectionRefused(store.db, { id, updatedAt: now, now });
  return id;
}

export async function insertAttempt(
  store: Store,
  attempt: Pick<ConnectionAttempt, 'id' | 'partnerId'> &
    Partial<ConnectionAttempt> & { codeHash?: string; madeFrom?: string | null },
): Promise<void> {
  await insertConnectionAttempt(store.db, {
    codeHash: `hash of ${attempt.id}`,
    externalUserId: 'alice',
    service: 'retrieval',
    sessionId: null,
    redirectUri: 'https://acme.example/back',
    sealedCredential: 'sealed',
    now: 0,
    expiresAt: 20,
    ...attempt,
  });
}

export function tokenFor(userId: string, changes: Partial<NewAccessToken> = {}): NewAccessToken {
  return {
    tokenHash: 'hash',
    userId,
    scopes: ['tools:read', 'tools:write'],
    services: null,
    resource: 'http://127.0.0.1:3000/api/mcp/unified',
    now: 10,
    expiresAt: 20,
    ...changes,
  };
}
