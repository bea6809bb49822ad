/** Routes of the partner API for the partner's branding of pages. */

import Router from '@koa/router';
import type { Context } from 'koa';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import { readBytes } from '../../base/http/exchange.ts';
import { noStore } from '../../base/http/headers.ts';
import { originOf } from '../../base/http/request-origin.ts';
import type { RequestState } from '../../base/http/state.ts';
import { logoPathOf } from '../../base/pages/brand.ts';
import { findPartner, type Partner } from '../../base/store/repositories/partners.ts';
import type { Database } from '../../base/store/schema.ts';
import { changePartner } from '../../identity/partners/manage.ts';
import { requirePartner } from '../../identity/partners/require-partner.ts';
import { PartnerSettingsError, parsePartnerSettings } from '../../identity/partners/settings.ts';
import { readOAuthJson } from '../../identity/protocol/form.ts';
import { changeLogo, LOGO_TYPES, LogoError, MAX_LOGO_BYTES, parseLogo } from './logo.ts';

const PATH = '/api/partner/branding';
const LOGO_PATH = `${PATH}/logo`;

const BODY = z.strictObject({ accent_color: z.string().min(1).nullable() });

interface BrandingRoutesDependencies {
  readonly db: Kysely<Database>;
  readonly callerLimits: CallerLimits;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Creates the routes. A logo is checked by its bytes. Every route needs the partner's credentials in the `Authorization` header, which
 * are checked before a body is read.
 */
export function createBrandingRouter(deps: BrandingRoutesDependencies): Router<RequestState> {
  const { db, publicUrl, now } = deps;
  const router = new Router<RequestState>();
  router.use('/api/partner', deps.callerLimits.ofAddress);
  const partnerOf = (ctx: Context) => requirePartner(deps, ctx.get('Authorization'));
  const eventOf = (ctx: Context) => ({ now: now(), ...originOf(ctx) });
  const show = async (ctx: Context, { id }: Partner): Promise<void> => {
    const partner = await findPartner(db, id);
    if (partner !== undefined) ctx.body = toWire(partner, publicUrl);
  };

  router.get(PATH, noStore, async (ctx) => show(ctx, await partnerOf(ctx)));

  router.put(PATH, noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    const changes = readChanges(await readOAuthJson(ctx.req));
    await db.transaction().execute((transaction) => changePartner(transaction, partner.id, changes, eventOf(ctx)));
    await show(ctx, partner);
  });

  router.put(LOGO_PATH, noStore, async (ctx) => {
    const partner = await partnerOf(ctx);
    const bytes = await readBytes(ctx.req, { maxBytes: MAX_LOGO_BYTES, mediaTypes: LOGO_TYPES });
    const logo = readLogo(bytes, ctx.request.type.toLowerCase());
    await db.transaction().execute((transaction) => changeLogo(transaction, partner.id, logo, eventOf(ctx)));
    await show(ctx, partner);
  });

  router.delete(LOGO_PATH, noStore, async (ctx) => {
    const { id, logoHash } = await partnerOf(ctx);
    if (logoHash === null) throw new RequestError(404, 'not_found', 'You have no logo.');
    await db.transaction().execute((transaction) => changeLogo(transaction, id, null, eventOf(ctx)));
    ctx.status = 204;
  });
  return router;
}

function readChanges(body: unknown) {
  const parsed = BODY.safeParse(body);
  const description = 'accent_color must be a colour such as #0a66c2, or null, in a JSON object that has nothing else.';
  if (!parsed.success) throw new RequestError(400, 'invalid_request', description);
  try {
    return parsePartnerSettings({ accentColor: parsed.data.accent_color ?? '' }, []);
  } catch (error) {
    if (!(error instanceof PartnerSettingsError)) throw error;
    throw new RequestError(400, 'invalid_request', description, { cause: error });
  }
}

function readLogo(bytes: Buffer, declared: string) {
  try {
    return parseLogo(bytes, declared);
  } catch (error) {
    if (!(error instanceof LogoError)) throw error;
    throw new RequestError(400, 'invalid_request', error.message, { cause: error });
  }
}

function toWire(partner: Partner, publicUrl: string) {
  const path = logoPathOf(partner);
  return {
    name: partner.name,
    logo_text: partner.logoText,
    logo_url: path === null ? null : publicUrl + path,
    accent_color: partner.accentColor,
  };
}
