/** Discovery documents: public, the same for everyone, and readable by pages of any origin. */

import { cors } from './cors.ts';
import type { GatewayMiddleware } from './state.ts';

export const WELL_KNOWN_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Without these headers, a page sees a 404 that means "try the next address" as a network failure. */
export function readableAnywhere(): GatewayMiddleware {
  return cors({
    methods: ['GET'],
    allowHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
    exposeHeaders: [],
  });
}

/**
 * Answers with a document that may be cached for an hour, and OPTIONS with the allowed methods (RFC 9110 §9.3.7).
 *
 * @param toDocument the document for a host as the client named it.
 */
export function serveDocument(toDocument: (asked: { readonly host: string }) => object): GatewayMiddleware {
  return async (ctx) => {
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', WELL_KNOWN_METHODS.join(', '));
      ctx.status = 204;
      return;
    }
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.body = toDocument(ctx);
  };
}
