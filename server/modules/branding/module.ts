/** Logos of partners and services on pages. */

import { defineModule } from '../../module.ts';

export const branding = defineModule({
  name: 'branding',
  summary: 'Serves the logos of partners and services that pages show.',
  open: ({ store, callerLimits, catalogue: { findConnector } }) => ({
    routes: async () => {
      const { createLogoRouter } = await import('./serve.ts');
      return [createLogoRouter({ db: store.db, callerLimits, findConnector })];
    },
  }),
});
