/** Logos of partners and services on pages. */

import { defineModule } from '../../module.ts';

export const branding = defineModule({
  name: 'branding',
  summary: 'Lets partners set the logo and colour of pages, and serves the logos of partners and services.',
  operations: async () => (await import('./operations.ts')).BRANDING_OPERATIONS,
  open: ({ config: { publicUrl }, store: { db }, callerLimits, catalogue: { findConnector }, now }) => ({
    routes: async () => {
      const [{ createLogoRouter }, { BRANDING_OPERATIONS }, { toRouter }] = await Promise.all([
        import('./serve.ts'),
        import('./operations.ts'),
        import('../../partners/operation.ts'),
      ]);
      return [
        createLogoRouter({ db, callerLimits, findConnector }),
        toRouter(BRANDING_OPERATIONS, { db, callerLimits, publicUrl, now }),
      ];
    },
  }),
});
