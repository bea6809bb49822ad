/** Pages for everybody: a description of this gateway, and its tools. */

import { ON_OFF, setting } from '../../config/setting.ts';
import { defineModule } from '../../module.ts';

export const landing = defineModule({
  name: 'landing',
  summary:
    'Pages for everybody: how to add this gateway to a client, its tools, llms.txt and the description of the HTTP API.',
  settings: {
    toolPages: setting({
      variable: 'TOOL_PAGES',
      group: 'Tools and results',
      read: ON_OFF,
      default: true,
      meaning: 'Whether everybody may read at /tools which tools there are and what each takes.',
      example: 'off',
    }),
    apiExplorer: setting({
      variable: 'API_EXPLORER',
      group: 'Other modules',
      read: ON_OFF,
      default: true,
      meaning:
        'Whether everybody may read the HTTP API at /docs/api, and try its requests with credentials of their own.',
      example: 'off',
    }),
  },
  open: ({ config, catalogue, limits, challenges, resource: endpoint }, { toolPages, apiExplorer }) => ({
    async routes(modules) {
      const { createLandingRoutes } = await import('./index.ts');
      const { publicUrl } = config;
      const tryPath = modules.find(({ toolPath }) => toolPath !== undefined)?.toolPath ?? null;
      const facts = { publicUrl, endpoint, catalogue, hasToolPages: toolPages, hasExplorer: apiExplorer, tryPath };
      const routers = createLandingRoutes({ ...facts, limits, challenge: (host) => challenges(host).missing() });
      if (apiExplorer) routers.push((await import('./explorer.ts')).createExplorerRouter(limits));
      return routers;
    },
  }),
});
