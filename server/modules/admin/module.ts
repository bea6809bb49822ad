/** The dashboard. */

import { defineModule } from '../../module.ts';
import { ADMIN_EVENTS } from './events.ts';
import { ADMIN_ROWS, toAdminSettings } from './settings.ts';

export const admin = defineModule({
  name: 'admin',
  summary: 'The dashboard at /admin, where operators see what happens and act.',
  events: ADMIN_EVENTS.texts,
  settings: ADMIN_ROWS,
  configure: toAdminSettings,
  commands: {
    'Run the gateway': {
      operator: {
        summary: 'manage who may sign in to the dashboard',
        after: 'partner',
        load: async (modules) => (await import('./command.ts')).createOperatorCommand(modules),
      },
    },
  },
  checks: async (context, settings) => (await import('./checks.ts')).checksOfAdmin(context, settings),
  open(core, { listen: address, url: publicUrl, ...signIn }) {
    const routes = async () => {
      const { createAdminRouter } = await import('./index.ts');
      const parts = core.modules.flatMap(({ dashboard }) => dashboard ?? []);
      const { baseUrls } = core.config;
      return [createAdminRouter({ ...core, ...signIn, db: core.store.db, publicUrl, baseUrls, parts })];
    };
    if (address === null) return { routes, toolPath: '/admin/tools' };
    const said = { line: 'listening for operators', facts: { ...address, dashboard: publicUrl } };
    return { listener: { setting: 'ADMIN_LISTEN', address, said, serve: { publicUrl, routes } } };
  },
});
