/** `PUT /api/uploads/{address}` takes the bytes of a file. */

import Router from '@koa/router';
import { createAddressLimiter, rateLimit } from '../../base/http/caller-limits.ts';
import { RequestError } from '../../base/http/errors.ts';
import { readBytes } from '../../base/http/exchange.ts';
import type { GatewayContext, RequestState } from '../../base/http/state.ts';
import type { Limits } from '../../base/limits/index.ts';
import { essenceOf, isMediaType } from '../../call/upstream/serialize-files.ts';
import { FORM } from './form.ts';
import { PUT_PATH } from './paths.ts';
import type { SentFile, Uploads } from './uploads.ts';

/** Requests of one IP address per minute. */
const REQUESTS_PER_MINUTE = 120;
/** Types that programs send for any bytes. They say nothing about the file. */
const GENERIC = ['application/octet-stream', 'application/x-www-form-urlencoded'];

/** Creates the route. It is stateless, so each request may reach another gateway of the same store. */
export function createUploadRouter(uploads: Uploads, limits: Limits): Router<RequestState> {
  const router = new Router<RequestState>();
  const rule = { name: 'uploads', points: REQUESTS_PER_MINUTE, durationSeconds: 60 };
  const limit = rateLimit(createAddressLimiter(limits.reconciled, rule), (ctx) => ctx.ip);
  router.put(`${PUT_PATH}/:address`, limit, async (ctx) => {
    const address = (ctx.params.address ?? '').slice(0, 128);
    const { mediaType, bytes, name } = await uploads.receive({ address }, lengthOf(ctx), (maxBytes) =>
      readFile(ctx as GatewayContext, maxBytes),
    );
    ctx.set('Cache-Control', 'no-store');
    ctx.status = 201;
    ctx.body = { name, media_type: mediaType, bytes };
  });
  return router;
}

/** Returns the announced length of the body. Undefined if there is none that a body can have. */
function lengthOf({ req }: GatewayContext): number | undefined {
  const length = Number(req.headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

/** Reads a body that is a file. Any media type is read here, and checked against the request afterwards. */
async function readFile(ctx: GatewayContext, maxBytes: number): Promise<SentFile> {
  const contentType = ctx.req.headers['content-type'] ?? '';
  const bytes = await readBytes(ctx.req, { maxBytes, mediaTypes: [contentType] });
  return { bytes, mediaType: toMediaType(contentType), guessedType: null, name: null };
}

/** Returns a media type without parameters, or null if it says nothing. @throws {RequestError} if it is none. */
function toMediaType(contentType: string): string | null {
  if (contentType === '') return null;
  const mediaType = essenceOf(contentType);
  if (mediaType === FORM) {
    throw new RequestError(415, 'unsupported_media_type', 'The body must be the bytes of the file alone, not a form.');
  }
  if (!isMediaType(contentType))
    throw new RequestError(415, 'unsupported_media_type', 'The Content-Type is not valid.');
  return GENERIC.includes(mediaType) ? null : mediaType;
}
