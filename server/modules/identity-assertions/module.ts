/** Identity assertions: a company's identity provider vouches for users of its partner. */

import { defineModule } from '../../module.ts';
import { issuerParts } from './dashboard.ts';
import { IDENTITY_ASSERTION } from './exchange.ts';
import { ISSUER_EVENTS } from './issuers.ts';
import { IDENTITY_ASSERTIONS_TABLES } from './stored-issuers.ts';

export const identityAssertions = defineModule({
  name: 'identity-assertions',
  summary:
    "Gives clients tokens for assertions of a partner's identity provider (ID-JAG), and lets partners register those for an operator to approve.",
  events: { texts: ISSUER_EVENTS.texts },
  storage: { tables: IDENTITY_ASSERTIONS_TABLES },
  operations: async () => (await import('./operations.ts')).ISSUER_OPERATIONS,
  open: ({ config: { publicUrl }, store: { db }, callerLimits, now }) => ({
    dashboard: issuerParts(db),
    grantTypes: [IDENTITY_ASSERTION],
    async routes() {
      const [{ ISSUER_OPERATIONS }, { toRouter }] = await Promise.all([
        import('./operations.ts'),
        import('../../partners/operation.ts'),
      ]);
      return [toRouter(ISSUER_OPERATIONS, { db, callerLimits, publicUrl, now })];
    },
  }),
});
