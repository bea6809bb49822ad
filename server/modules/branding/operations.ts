/** Operations of the partner API for the partner's branding of pages. */

import type { Kysely } from 'kysely';
import { z } from 'zod';
import { readBytes } from '../../base/http/exchange.ts';
import { logoPathOf } from '../../base/pages/brand.ts';
import { findPartner, type Partner } from '../../base/store/repositories/partners.ts';
import type { Database } from '../../base/store/schema.ts';
import { changePartner } from '../../identity/partners/manage.ts';
import { SettingError } from '../../identity/partners/setting-error.ts';
import { parsePartnerSettings, type TypedPartnerSettings } from '../../identity/partners/settings.ts';
import { invalid, missing, operationsOf } from '../../partners/operation.ts';
import { changeLogo, LOGO_TYPES, LogoError, MAX_LOGO_BYTES, parseLogo } from './logo.ts';

const branding = z
  .object({
    name: z.string(),
    logo_text: z.string().nullable().meta({
      description: 'One to three characters that stand for you where there is no logo. The operator sets them.',
    }),
    logo_url: z.string().nullable().meta({
      format: 'uri',
      description: 'Your logo. Another image has another address. Null when you have none.',
    }),
    accent_color: z
      .string()
      .nullable()
      .meta({ description: '`#rrggbb` in lower case. Null: pages have their own colours.' }),
    footer: z.boolean().meta({ description: 'Whether your pages name the gateway below.' }),
  })
  .meta({ id: 'Branding' });

const changes = z.strictObject({
  accent_color: z.string().min(1).nullable().meta({
    pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$',
    description:
      'A colour such as `#0a66c2`. Text on it is black or white, and edges are darkened or lightened where they need it.',
  }),
  footer: z.boolean().optional().meta({
    description: 'False: pages do not name the gateway, neither below nor in their title. Default: unchanged.',
  }),
});

const PROBLEM =
  'accent_color must be a colour such as #0a66c2, or null, in a JSON object that may have footer, true or false, and nothing else.';

interface Branding {
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
}

const operation = operationsOf<Branding>();

/** Every operation takes the partner's credentials in the header, which are checked before a body is read. */
export const BRANDING_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/branding',
      id: 'getBranding',
      summary: 'How pages show you: your name, logo and accent colour.',
      credentials: 'header',
      answers: { 200: 'How pages show you now.' },
      answer: branding,
    },
    async ({ partner }, { publicUrl }) => describeBranding(partner, publicUrl),
  ),
  operation(
    {
      method: 'put',
      path: '/branding',
      id: 'putBranding',
      isLiveOnly: true,
      summary: 'Sets the accent colour of the pages, or takes it away, and whether they have a footer.',
      credentials: 'header',
      body: { schema: changes, explain: () => PROBLEM },
      answers: { 200: 'How pages show you now.' },
      answer: branding,
      refusals: [413, 415],
    },
    async (call, { db, publicUrl }) => {
      const { accent_color: color, footer } = await call.body();
      const settings = readSettings({ accentColor: color ?? '', footer });
      await db
        .transaction()
        .execute((transaction) => changePartner(transaction, call.partner.id, settings, call.event()));
      return show(db, call.partner, publicUrl);
    },
  ),
  operation(
    {
      method: 'put',
      path: '/branding/logo',
      id: 'putLogo',
      isLiveOnly: true,
      summary: 'Uploads your logo, or replaces it. It stands next to your name.',
      credentials: 'header',
      file: {
        types: LOGO_TYPES,
        description:
          'An image that does not move, of at most 65,536 bytes and 1024 x 1024 pixels. Pages show it in a square.',
      },
      answers: { 200: 'How pages show you now.' },
      answer: branding,
      refusals: [413, 415],
    },
    async (call, { db, publicUrl }) => {
      const bytes = await readBytes(call.ctx.req, { maxBytes: MAX_LOGO_BYTES, mediaTypes: LOGO_TYPES });
      const logo = readLogo(bytes, call.ctx.request.type.toLowerCase());
      await db.transaction().execute((transaction) => changeLogo(transaction, call.partner.id, logo, call.event()));
      return show(db, call.partner, publicUrl);
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/branding/logo',
      id: 'removeLogo',
      isLiveOnly: true,
      summary: 'Removes your logo.',
      credentials: 'header',
      answers: { 204: 'The logo is removed.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const { id, logoHash } = call.partner;
      if (logoHash === null) throw missing('You have no logo.');
      await db.transaction().execute((transaction) => changeLogo(transaction, id, null, call.event()));
    },
  ),
];

async function show(db: Kysely<Database>, partner: Partner, publicUrl: string) {
  return describeBranding((await findPartner(db, partner.id)) ?? partner, publicUrl);
}

function readSettings(typed: TypedPartnerSettings) {
  try {
    return parsePartnerSettings(typed, []);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw invalid(PROBLEM, { cause: error });
  }
}

function readLogo(bytes: Buffer, declared: string) {
  try {
    return parseLogo(bytes, declared);
  } catch (error) {
    if (!(error instanceof LogoError)) throw error;
    throw invalid(error.message, { cause: error });
  }
}

function describeBranding(partner: Partner, publicUrl: string) {
  const path = logoPathOf(partner);
  return { ...partner, logoUrl: path === null ? null : publicUrl + path };
}
