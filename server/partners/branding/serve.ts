/** `GET /brand/{client id}/{hash}`: the logos that pages show, as images and as nothing else. */

import Router from '@koa/router';
import { RequestError } from '../../http/errors.ts';
import type { CallerLimits } from '../../http/limits/caller-limits.ts';
import type { RequestState } from '../../http/state.ts';
import { LOGO_PATH } from '../../pages/brand.ts';
import { findPartnerLogo } from '../../store/repositories/partners.ts';
import type { Executor } from '../../store/schema.ts';

/** Another image has another address, so a browser may keep this one for a year. */
const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Creates the route. 404 for every address but that of the logo that an active partner has now.
 *
 * Bytes that are an image and a page at once stay an image: the type is exact and not guessed, and a page would be sandboxed.
 */
export function createLogoRouter(deps: {
  readonly db: Executor;
  readonly callerLimits: Pick<CallerLimits, 'ofAddress'>;
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
  return router;
}
