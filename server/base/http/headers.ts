/** Headers of answers: what browsers may do with them, who may read them (Fetch standard), and how long they are kept. */

import type { GatewayMiddleware } from './state.ts';

/** For answers that are data. Pages replace the policy. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** A year, in seconds. */
const HSTS = 'max-age=31536000';

/** The headers of every answer that is data. HSTS is sent with https only. */
export function securityHeadersFor(options: { publicUrl: string }): Readonly<Record<string, string>> {
  return options.publicUrl.startsWith('https:') ? { ...HEADERS, 'Strict-Transport-Security': HSTS } : HEADERS;
}

/** Requests that a route accepts from pages of other origins. Credentials are never allowed. */
interface CorsRules {
  readonly methods: readonly string[];
  /** Request headers in addition to the safelisted ones. */
  readonly allowHeaders: readonly string[];
  /** Response headers that a page may read. */
  readonly exposeHeaders: readonly string[];
}

/** Time for which a browser caches the answer to a preflight, in seconds. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** The CORS rules of the MCP endpoint: the request headers of both protocol eras, and the headers that clients read. */
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
  const headers: Record<string, string> = { 'Access-Control-Allow-Origin': origin };
  if (rules.exposeHeaders.length > 0) headers['Access-Control-Expose-Headers'] = rules.exposeHeaders.join(', ');
  return headers;
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

/** Stops caches from storing answers and refusals (RFC 6749 §5.1). */
export const noStore: GatewayMiddleware = async (ctx, next) => {
  ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  await next();
};

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
