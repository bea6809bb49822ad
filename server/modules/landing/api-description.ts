/** `GET /api/openapi.yaml`: the HTTP API of this gateway as an OpenAPI document. */

import { readFile } from 'node:fs/promises';
import Router from '@koa/router';
import { cors } from '../../base/http/cors.ts';
import type { RequestState } from '../../base/http/state.ts';
import { type PublicText, sendPublicText, toPublicText } from '../../base/pages/etag.ts';

/** Path of the document. */
const PATH = '/api/openapi.yaml';

const FILE = new URL('../../../docs/reference/gateway-openapi.yaml', import.meta.url);

/** The `servers` entry in the file. */
const SERVER = 'url: http://127.0.0.1:3000\n';

/** Tools in browsers may read it from any origin. */
const READABLE = { methods: ['GET'], allowHeaders: ['If-None-Match'], exposeHeaders: ['ETag'] };

/**
 * Creates the route. The file is read on the first request, and the document names `publicUrl` as its server.
 *
 * It is public, and cached for five minutes; after that a client sends `If-None-Match` (RFC 9110 §13.1.2).
 */
export function createApiDescriptionRouter({ publicUrl }: { readonly publicUrl: string }): Router<RequestState> {
  const router = new Router<RequestState>();
  let loaded: Promise<PublicText> | undefined;
  router.use(PATH, cors(READABLE));
  router.get(PATH, async (ctx) => {
    loaded ??= loadDescription(publicUrl);
    sendPublicText(ctx, await loaded);
  });
  return router;
}

async function loadDescription(publicUrl: string): Promise<PublicText> {
  const file = await readFile(FILE, 'utf8');
  if (!file.includes(SERVER)) throw new Error(`${FILE.pathname} does not say where the gateway is`);
  const text = file.replace(SERVER, `url: ${JSON.stringify(publicUrl)}\n`);
  return toPublicText(text, 'application/yaml; charset=utf-8');
}
