/** Logos of partners and services on pages. */

import { defineModule } from '../../module.ts';

export const branding = defineModule({
  name: 'branding',
  summary: 'Lets partners set the logo and colour of pages, and serves the logos of partners and services.',
  open: ({ config: { publicUrl }, store: { db }, callerLimits, catalogue: { findConnector }, now }) => ({
    routes: async () => {
      const [{ createLogoRouter }, { createBrandingRouter }] = await Promise.all([
        import('./serve.ts'),
        import('./routes.ts'),
      ]);
      return [
        createLogoRouter({ db, callerLimits, findConnector }),
        createBrandingRouter({ db, callerLimits, publicUrl, now }),
      ];
    },
  }),
});
