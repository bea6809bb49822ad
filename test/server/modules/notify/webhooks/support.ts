/** Workers on one clock, and a store with a partner whose events it gets. */

import { createCredentialVault } from '../../../../../server/base/credentials/index.ts';
import { LOOPBACK_NETWORKS } from '../../../../../server/base/guarded-fetch/networks.ts';
import { createOutgoing } from '../../../../../server/base/guarded-fetch/outgoing.ts';
import { emit } from '../../../../../server/base/store/events.ts';
import type { Store } from '../../../../../server/base/store/index.ts';
import { ensureUser } from '../../../../../server/base/store/repositories/users.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../../../../../server/modules/notify/delivery/worker.ts';
import { addEndpoint } from '../../../../../server/modules/notify/webhooks/endpoints.ts';
import { createWebhookQueue } from '../../../../../server/modules/notify/webhooks/queue.ts';
import { keyBytes } from '../../../../support/keys.ts';

export const vault = createCredentialVault({ keys: [{ id: 'test', key: keyBytes(1) }] });

/** Workers on one clock, which tests set. */
export interface Workers {
  now: number;
  readonly errors: unknown[];
  /** A worker like that of another node. */
  open(store: Store, options?: { timeoutMs?: number; networks?: readonly string[] }): DeliveryWorker;
  close(): Promise<void>;
}

export function createWorkers(): Workers {
  const ending: (() => Promise<void>)[] = [];
  const workers: Workers = {
    now: 1_000_000,
    errors: [],
    open(store, { timeoutMs = 5000, networks = LOOPBACK_NETWORKS } = {}) {
      const outgoing = createOutgoing({ networks });
      const worker = createDeliveryWorker({
        db: store.db,
        queue: createWebhookQueue(vault),
        outgoing,
        userAgent: 'gateway-test/1.0',
        now: () => workers.now,
        onError: (error) => workers.errors.push(error),
        timeoutMs,
      });
      ending.push(async () => {
        await worker.stop();
        await outgoing.destroy();
      });
      return worker;
    },
    async close() {
      for (const end of ending.splice(0)) await end();
    },
  };
  return workers;
}

/** @returns the endpoint's row id and its secret. */
export async function addReceiver(
  store: Store,
  endpoint: { partnerId: string; url: string; types?: readonly string[] },
): Promise<{ id: string; secret: string }> {
  const wanted = { types: null, ...endpoint };
  const added = await store.db
    .transaction()
    .execute((transaction) => addEndpoint(transaction, vault, wanted, { now: 1 }));
  if (added === undefined) throw new Error('the partner has too many endpoints');
  return { id: added.endpoint.id, secret: added.secret };
}

/** Appends an event of a user, who is created if there is none. */
export async function happen(
  store: Store,
  event: { partnerId: string; user: string; grant: string; now: number; type?: 'grant.created' | 'grant.revoked' },
): Promise<void> {
  const { partnerId, user, grant, now, type = 'grant.created' } = event;
  await store.db.transaction().execute(async (transaction) => {
    const { id: userId } = await ensureUser(transaction, { partnerId, externalUserId: user, now });
    const of = { userId, grantId: grant, clientId: null, now };
    if (type === 'grant.created') await emit(transaction, { type: 'grant_given', ...of });
    else await emit(transaction, { type: 'grant_ended', ...of, reason: 'revoked-by-user' });
  });
}
