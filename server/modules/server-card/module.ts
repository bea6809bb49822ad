/** Lets clients and registries find the server before they connect. */

import { setting } from '../../config/setting.ts';
import { parsedBy } from '../../config/values.ts';
import { defineModule } from '../../module.ts';

/** Form of a name that the schemas of server cards and of `server.json` require. */
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

export const serverCard = defineModule({
  name: 'server-card',
  summary: 'Describes the server to clients that have not connected yet, and to registries.',
  settings: {
    serverName: setting({
      variable: 'SERVER_CARD_NAME',
      group: 'Address',
      read: parsedBy((text) => {
        if (NAME.test(text) && text.length <= 200) return text;
        throw new Error('must be a domain of yours in reverse order, a slash and a name');
      }),
      defaultText: 'none: there is no card',
      type: 'reverse-DNS name',
      meaning:
        'Name of this server in catalogs and registries: a domain of yours in reverse order, a slash and a name. With it, everybody can read a server card, an AI catalog and a server.json; see docs/guides/clients.md.',
      example: 'com.example/tools',
    }),
  },
  open: ({ config: { publicUrl }, resource, callerLimits, serverIcons: icons }, { serverName: name }) => ({
    async routes() {
      if (name === null) return [];
      const { createCardRouter } = await import('./card.ts');
      return [createCardRouter({ name, publicUrl, endpoint: resource, icons, callerLimits })];
    },
  }),
});
