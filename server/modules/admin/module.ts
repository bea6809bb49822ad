/** The dashboard. */

import { defineModule } from '../../module.ts';
import { ADMIN_ROWS, toAdminSettings } from './settings.ts';

export const admin = defineModule({
  name: 'admin',
  summary: 'The dashboard at /admin, where operators see what happens and act.',
  settings: ADMIN_ROWS,
  configure: toAdminSettings,
  open(core, { listen: address, url: publicUrl, ...signIn }) {
    const routes = async () => {
      const { createAdminRouter } = await import('./index.ts');
      const { config, store, keys, resource, now } = core;
      const { catalogue, revocations, tools, outgoing, limits, circuits } = core;
      const parts = { catalogue, revocations, tools, outgoing, limits, circuits, baseUrls: config.baseUrls };
      return [createAdminRouter({ db: store.db, publicUrl, resource, keys, ...signIn, ...parts, now })];
    };
    if (address === null) return { routes, toolPath: '/admin/tools' };
    const said = { line: 'listening for operators', facts: { ...address, dashboard: publicUrl } };
    return { listener: { setting: 'ADMIN_LISTEN', address, said, serve: { publicUrl, routes } } };
  },
});
