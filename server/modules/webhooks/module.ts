/** Webhooks: sends events of users to the servers of their partners. */

import { createDeliveryWorker } from '../../base/deliveries/worker.ts';
import { defineModule, modulesOf } from '../../module.ts';
import { webhookParts } from './dashboard.ts';
import { SEALED_SECRETS } from './endpoints.ts';
import { PARTNER_EVENTS, WEBHOOK_EVENTS } from './event-types.ts';
import { appendEvents, skipEventNumbers } from './outbox.ts';
import { createWebhookQueue } from './queue.ts';
import { WEBHOOKS_TABLES } from './tables.ts';
import { sealUserNames } from './user-names.ts';

const KEEP_MS = 30 * 86_400_000;

export const webhooks = defineModule({
  name: 'webhooks',
  summary: 'Delivers events to the addresses that partners name, signed and at least once.',
  events: {
    texts: WEBHOOK_EVENTS.texts,
    toPartners: PARTNER_EVENTS,
    onEvents: appendEvents,
    async prepare({ db, findKeys }) {
      const keys = findKeys();
      if (keys !== null) sealUserNames(db, keys);
    },
  },
  operations: async () => (await import('./operations.ts')).WEBHOOK_OPERATIONS,
  storage: {
    tables: WEBHOOKS_TABLES,
    sealed: [SEALED_SECRETS],
    restored: { words: {}, count: async () => ({}), end: skipEventNumbers },
    retention: () => [
      {
        table: 'webhook_deliveries',
        key: 'id',
        column: 'created_at',
        keepMs: KEEP_MS,
        why: 'a delivery can be repeated for as long as its event is there',
      },
      {
        table: 'partner_events',
        key: 'id',
        column: 'created_at',
        keepMs: KEEP_MS,
        why: 'a partner whose application was away for weeks can catch up',
      },
    ],
  },
  openTrusted({ config, store, vault, outgoing, userAgent, callerLimits, now, log }) {
    const worker = createDeliveryWorker({
      db: store.db,
      queue: createWebhookQueue(vault),
      outgoing,
      userAgent,
      now,
      onError: (error) => log.error({ err: error }, 'webhooks could not be delivered'),
    });
    worker.start();
    return {
      dashboard: webhookParts(store.db),
      async routes() {
        const [{ WEBHOOK_OPERATIONS }, { toRouter }] = await Promise.all([
          import('./operations.ts'),
          import('../../partners/operation.ts'),
        ]);
        const types = modulesOf(config).flatMap(({ events }) => Object.keys(events?.toPartners ?? {}));
        const networks = config.outgoingNetworks;
        return [toRouter(WEBHOOK_OPERATIONS, { db: store.db, vault, callerLimits, types, networks, now })];
      },
      close: () => worker.stop(),
    };
  },
});
