/** Cross-origin rules (Fetch standard): who may read answers from a web page. */

import type { GatewayMiddleware } from './state.ts';

/** What a route lets pages of other origins do. Credentials are never allowed. */
export interface CorsRules {
  readonly methods: readonly string[];
  /** Request headers beyond the safelisted ones. */
  readonly allowHeaders: readonly string[];
  /** Response headers that a page may read. */
  readonly exposeHeaders: readonly string[];
}

/** How long a browser keeps the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** What pages may do with the MCP endpoint: the request headers of both eras, and what a client has to read. */
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

/** Headers of every answer to a page that may read it. `origin`: as the request names it, or `*`. */
export function corsHeaders(rules: CorsRules, origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    ...(rules.exposeHeaders.length === 0 ? {} : { 'Access-Control-Expose-Headers': rules.exposeHeaders.join(', ') }),
  };
}

/** Further headers of the answer to a preflight, which is 204 without a body. */
export function preflightHeaders(rules: CorsRules): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': rules.methods.join(', '),
    'Access-Control-Allow-Headers': rules.allowHeaders.join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
  };
}

/**
 * Lets pages of any origin read the answers, and answers preflights without going further: they carry no credentials.
 *
 * Every answer says so, whether or not a page asked: a shared cache gives pages what it got for others.
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
