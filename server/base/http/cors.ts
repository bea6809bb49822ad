/** Cross-origin rules (Fetch standard): which web pages may read answers. */

import type { GatewayMiddleware } from './state.ts';

/** What a route allows pages of other origins to do. Credentials are never allowed. */
interface CorsRules {
  readonly methods: readonly string[];
  /** Request headers in addition to the safelisted ones. */
  readonly allowHeaders: readonly string[];
  /** Response headers that a page may read. */
  readonly exposeHeaders: readonly string[];
}

/** How long a browser caches the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** What pages may do with the MCP endpoint: the request headers of both protocol eras, and the headers that clients read. */
export const MCP_CORS: CorsRules = {
  methods: ['POST'],
  allowHeaders: [
    'Authorization',
    'Content-Type',
    'MCP-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
    'Mcp-Session-Id',
    'Last-Event-ID',
  ],
  exposeHeaders: ['WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
};

/** Headers of every answer that a page may read. `origin`: as the request names it, or `*`. */
export function corsHeaders(rules: CorsRules, origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    ...(rules.exposeHeaders.length === 0 ? {} : { 'Access-Control-Expose-Headers': rules.exposeHeaders.join(', ') }),
  };
}

/** More headers for the answer to a preflight, which is 204 without a body. */
export function preflightHeaders(rules: CorsRules): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': rules.methods.join(', '),
    'Access-Control-Allow-Headers': rules.allowHeaders.join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
  };
}

/**
 * Lets pages of any origin read the answers, and answers preflights itself: they carry no credentials.
 *
 * Every answer has the headers, whether or not a page asked: a shared cache may give a page the answer to another client.
 */
export function cors(rules: CorsRules): GatewayMiddleware {
  return async (ctx, next) => {
    ctx.set(corsHeaders(rules, '*'));
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.set(preflightHeaders(rules));
      ctx.status = 204;
      return;
    }
    await next();
  };
}
