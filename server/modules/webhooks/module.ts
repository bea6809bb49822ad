/** Webhooks: tells partners' servers what happened to their users. */

import { defineModule } from '../../module.ts';
import { webhookParts } from './dashboard.ts';
import { createWebhookWorker } from './worker.ts';

export const webhooks = defineModule({
  name: 'webhooks',
  summary: 'Delivers events to the addresses that partners name, signed and at least once.',
  openTrusted({ store, vault, outgoing, userAgent, now, log }) {
    const worker = createWebhookWorker({
      db: store.db,
      vault,
      outgoing,
      userAgent,
      now,
      onError: (error) => log.error({ err: error }, 'webhooks could not be delivered'),
    });
    worker.start();
    return { dashboard: webhookParts(store.db), close: () => worker.stop() };
  },
});
