/** Redirects a browser: to a verified redirect URI with an answer in its query, or to another page of the gateway. */

import type { GatewayContext } from '../http/state.ts';

/**
 * Adds parameters to an address. Its own query is kept (RFC 6749 §3.1.2).
 *
 * @returns ASCII, valid in a `Location` header.
 */
export function withQuery(address: string, parameters: URLSearchParams): string {
  const { href } = new URL(address);
  if (!href.includes('?')) return `${href}?${parameters}`;
  return /[?&]$/.test(href) ? href + parameters : `${href}&${parameters}`;
}

/** Redirects with 303, so that a form's POST becomes a GET and the form is not sent along (RFC 9700 §4.12). */
export function sendRedirect(ctx: GatewayContext, location: string): void {
  ctx.set({ Location: location, 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'unsafe-none' });
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'Back to the application.\n';
  ctx.status = 303;
}

/** Redirects to another page of the gateway with 303, so that a reload does not send the form again (RFC 9110 §15.4.4). */
export function sendTo(ctx: GatewayContext, path: string): void {
  ctx.status = 303;
  ctx.set({ Location: path, 'Cache-Control': 'no-store' });
  ctx.body = '';
}
