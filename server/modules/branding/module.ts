/** Logos of partners, services and the gateway itself: on pages, and as icons in clients. */

import { readFileSync } from 'node:fs';
import { LOGO_PATH, serviceLogoPathOf } from '../../base/pages/brand.ts';
import { ON_OFF, setting } from '../../config/setting.ts';
import { parsedBy } from '../../config/values.ts';
import { defineModule } from '../../module.ts';
import { LOGO_TYPES, LogoError, parseLogo } from './logo.ts';

export const branding = defineModule({
  name: 'branding',
  summary:
    'Lets partners set the logo and colour of pages, serves the logos of partners and services, and shows icons in clients.',
  settings: {
    serverIcon: setting({
      variable: 'SERVER_ICON',
      group: 'Address',
      read: parsedBy(loadIcon),
      type: 'path',
      meaning:
        'An image that clients show next to the name of this server: a PNG, JPEG or WebP file of at most 65,536 bytes and 1024 x 1024 pixels.',
      example: '/etc/gateway/icon.png',
    }),
    toolIcons: setting({
      variable: 'TOOL_ICONS',
      group: 'Tools and results',
      read: ON_OFF,
      default: false,
      meaning:
        'Whether lists of tools have the logo of each service that has one, as an address of about 100 bytes for each tool.',
      example: 'on',
    }),
  },
  operations: async () => (await import('./operations.ts')).BRANDING_OPERATIONS,
  provide: ({ config: { publicUrl } }, { serverIcon, toolIcons }) => ({
    icons: {
      ofServer:
        serverIcon === null ? [] : [{ src: `${publicUrl}${LOGO_PATH}/${serverIcon.hash}`, mimeType: serverIcon.type }],
      ofTools(connector) {
        const path = serviceLogoPathOf(connector);
        const type = LOGO_TYPES.find((each) => each === connector.logo?.type);
        return toolIcons && path !== null && type ? { src: publicUrl + path, mimeType: type } : undefined;
      },
    },
  }),
  open: (
    { config: { publicUrl }, store: { db }, callerLimits, catalogue: { findConnector }, now },
    { serverIcon },
  ) => ({
    routes: async () => {
      const [{ createLogoRouter }, { BRANDING_OPERATIONS }, { toRouter }] = await Promise.all([
        import('./serve.ts'),
        import('./operations.ts'),
        import('../../partners/operation.ts'),
      ]);
      return [
        createLogoRouter({ db, callerLimits, findConnector, serverIcon }),
        toRouter(BRANDING_OPERATIONS, { db, callerLimits, publicUrl, now }),
      ];
    },
  }),
});

/** @throws {Error} whose message follows the variable's name. */
function loadIcon(path: string) {
  try {
    return parseLogo(readFileSync(path));
  } catch (error) {
    const why = error instanceof LogoError ? error.message : 'The file cannot be read.';
    throw new Error(`must name an image. ${why}`);
  }
}
