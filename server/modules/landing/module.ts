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
  },
  open: ({ config, catalogue, limits, challenges, resource: endpoint }, { toolPages }) => ({
    async routes(modules) {
      const { createLandingRoutes } = await import('./index.ts');
      const { publicUrl } = config;
      const tryPath = modules.find(({ toolPath }) => toolPath !== undefined)?.toolPath ?? null;
      const facts = { publicUrl, endpoint, catalogue, hasToolPages: toolPages, tryPath };
      return createLandingRoutes({ ...facts, limits, challenge: (host) => challenges(host).missing() });
    },
  }),
});
