/** Renews the credentials of connections that are not used, so that they do not expire. */

import { defineModule } from '../../module.ts';
import { startIdleRenewal } from './renewal.ts';

export const idleRenewal = defineModule({
  name: 'idle-renewal',
  summary: 'Renews connections that nobody uses before their refresh tokens expire.',
  open: ({ store, connectors, leases, now, log }) => ({
    close: startIdleRenewal({
      db: store.db,
      connectors,
      renewIdle: leases.renewIdle,
      now,
      onRenewed: (count) => log.info({ count }, 'connections that nobody used were renewed'),
      onError: (error) => log.error({ err: error }, 'connections that nobody used could not be renewed'),
    }),
  }),
});
