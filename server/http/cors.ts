/** Cross-origin rules (Fetch standard): who may read answers from a web page. */

import type { GatewayMiddleware } from './state.ts';

/** What a route lets pages of other origins do. */
interface CorsRules {
  /** True for an origin whose pages may read the answers; `*` for those of any. Credentials are never allowed. */
  readonly origins: '*' | ((origin: string) => boolean);
  readonly methods: readonly string[];
  /** Request headers beyond the safelisted ones. */
  readonly allowHeaders: readonly string[];
  /** Response headers that a page may read. */
  readonly exposeHeaders: readonly string[];
}

/** How long a browser keeps the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Request headers of MCP clients, both eras. */
export const MCP_REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
] as const;

/** Adds the CORS headers, and answers preflights (204) without going further: they carry no credentials. */
export function cors(rules: CorsRules): GatewayMiddleware {
  return async (ctx, next) => {
    if (rules.origins !== '*') ctx.vary('Origin');
    const origin = ctx.get('Origin');
    if (origin === '' || (rules.origins !== '*' && !rules.origins(origin))) return next();

    const headers = {
      'Access-Control-Allow-Origin': rules.origins === '*' ? '*' : origin,
      'Access-Control-Expose-Headers': rules.exposeHeaders.join(', '),
    };
    ctx.set(headers);
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.set('Access-Control-Allow-Methods', rules.methods.join(', '));
      ctx.set('Access-Control-Allow-Headers', rules.allowHeaders.join(', '));
      ctx.set('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS));
      ctx.status = 204;
      return;
    }
    await next();
  };
}
