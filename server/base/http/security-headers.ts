/** Headers that limit what browsers do with an answer. */

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

/** Sets the headers before the route runs, so that the route can replace them. */
export function securityHeaders(options: { publicUrl: string }): GatewayMiddleware {
  const headers = securityHeadersFor(options);
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
