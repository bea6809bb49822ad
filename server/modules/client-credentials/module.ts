/** Client credentials: programs of a partner that act for one user without that user being present. */

import { ON_OFF, setting } from '../../config/setting.ts';
import { defineModule } from '../../module.ts';
import { CLIENT_CREDENTIALS } from './exchange.ts';
import { USER_CLIENT_EVENTS, USER_CLIENT_TABLES } from './user-clients.ts';

export const clientCredentials = defineModule({
  name: 'client-credentials',
  summary:
    'Lets partners register clients for one user each, which get tokens without that user within what the user allowed.',
  settings: {
    isOn: setting({
      variable: 'CLIENT_CREDENTIALS',
      group: 'Clients and grants',
      read: ON_OFF,
      default: false,
      meaning:
        'Whether partners may register clients that get tokens with the grant type client_credentials, each for one user who allowed it; see docs/guides/partner-users.md.',
      example: 'on',
    }),
  },
  events: { texts: USER_CLIENT_EVENTS.texts },
  storage: { tables: USER_CLIENT_TABLES },
  operations: async () => (await import('./operations.ts')).USER_CLIENT_OPERATIONS,
  open: ({ config: { privateUseSchemes }, store: { db }, callerLimits, now }, { isOn }) => ({
    grantTypes: isOn ? [CLIENT_CREDENTIALS] : [],
    async routes() {
      if (!isOn) return [];
      const [{ USER_CLIENT_OPERATIONS }, { toRouter }] = await Promise.all([
        import('./operations.ts'),
        import('../../partners/operation.ts'),
      ]);
      return [toRouter(USER_CLIENT_OPERATIONS, { db, callerLimits, privateUseSchemes, now })];
    },
  }),
});
