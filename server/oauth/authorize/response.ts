/** Authorization responses: what travels to the client's redirect URI, in its query. */

import type { GatewayContext } from '../../http/state.ts';

/** Where an answer goes, and what every answer says. */
export interface ResponseTarget {
  /** Verified. */
  readonly redirectUri: string;
  readonly state: string | null;
  /** Tells the client who answers (RFC 9207). */
  readonly issuer: string;
}

/**
 * Writes the address that the browser is sent to. A query that the redirect URI has is kept (RFC 6749 §3.1.2).
 *
 * @param answer `code`, or `error` and `error_description`.
 * @returns ASCII, fit for a `Location` header.
 */
export function toResponseUrl(target: ResponseTarget, answer: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(answer);
  if (target.state !== null) parameters.set('state', target.state);
  parameters.set('iss', target.issuer);
  const { href } = new URL(target.redirectUri);
  const joint = !href.includes('?') ? '?' : /[?&]$/.test(href) ? '' : '&';
  return href + joint + parameters;
}

/** Sends the browser there. 303, so that a form's POST becomes a GET and the form does not travel along (RFC 9700 §4.12). */
export function redirectToClient(
  ctx: Pick<GatewayContext, 'set' | 'status' | 'body' | 'type'>,
  target: ResponseTarget,
  answer: Readonly<Record<string, string>>,
): void {
  ctx.set({
    Location: toResponseUrl(target, answer),
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'unsafe-none',
  });
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'Back to the application.\n';
  ctx.status = 303;
}
