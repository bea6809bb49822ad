/** `GET /brand/{client id}/{hash}`, `GET /brand/{hash}` and `GET /services/{service}/logo/{hash}`: serves the logos that pages and clients show, only as images. */

import Router from '@koa/router';
import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import type { RequestState } from '../../base/http/state.ts';
import { LOGO_PATH, SERVICE_LOGO_PATH } from '../../base/pages/brand.ts';
import { findPartnerLogo, type PartnerLogo } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';

/** Another image has another URL, so browsers may cache this one for a year. */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Icons are shown in clients, which may be pages of any origin. */
const FOR_CLIENTS = { ...HEADERS, 'Cross-Origin-Resource-Policy': 'cross-origin' };

/**
 * Creates the routes. 404 for every URL except that of the current logo of an active partner, a service or the gateway.
 *
 * Bytes that are both a valid image and a page stay an image: the type is exact and never guessed, and a page would be
 * sandboxed.
 */
export function createLogoRouter(deps: {
  readonly db: Executor;
  readonly callerLimits: CallerLimits;
  readonly findConnector: Catalogue['findConnector'];
  readonly serverIcon: PartnerLogo | null;
}): Router<RequestState> {
  const router = new Router<RequestState>();
  router.get(`${LOGO_PATH}/:client_id/:hash`, deps.callerLimits.ofAddress, async (ctx) => {
    const { client_id: clientId = '', hash = '' } = ctx.params;
    const isAddress = /^[A-Za-z0-9._-]{3,100}$/.test(clientId) && /^[0-9a-f]{32}$/.test(hash);
    const logo = isAddress ? await findPartnerLogo(deps.db, { clientId, hash }) : undefined;
    if (logo === undefined) throw new RequestError(404, 'not_found', 'There is no such logo.');
    ctx.set(HEADERS);
    ctx.type = logo.type;
    ctx.body = logo.bytes;
  });
  router.get(`${LOGO_PATH}/:hash`, deps.callerLimits.ofAddress, (ctx) => {
    const { serverIcon } = deps;
    if (serverIcon?.hash !== ctx.params.hash) throw new RequestError(404, 'not_found', 'There is no such logo.');
    ctx.set(FOR_CLIENTS);
    ctx.type = serverIcon?.type ?? '';
    ctx.body = serverIcon?.bytes;
  });
  router.get(`${SERVICE_LOGO_PATH}/:service/logo/:hash`, deps.callerLimits.ofAddress, (ctx) => {
    const logo = deps.findConnector(ctx.params.service ?? '')?.logo;
    if (logo === undefined || logo.hash !== ctx.params.hash) {
      throw new RequestError(404, 'not_found', 'There is no such logo.');
    }
    ctx.set(FOR_CLIENTS);
    ctx.type = logo.type;
    ctx.body = Buffer.from(logo.base64, 'base64');
  });
  return router;
}
