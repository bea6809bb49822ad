/** Authorization responses: what travels to the client's redirect URI, in its query. */

import { askedOrigin } from '../../http/loopback.ts';
import type { GatewayContext } from '../../http/state.ts';
import { sendRedirect, withQuery } from '../../pages/redirect.ts';

/** Where an answer goes, and what every answer says. */
interface ResponseTarget {
  /** Verified. */
  readonly redirectUri: string;
  readonly state: string | null;
  /** Tells the client who answers (RFC 9207), under the name by which it was asked. */
  readonly issuer: string;
}

/**
 * Writes the address that the browser is sent to. A query that the redirect URI has is kept (RFC 6749 §3.1.2).
 *
 * @param answer `code`, or `error` and `error_description`.
 * @returns ASCII, fit for a `Location` header.
 */
function toResponseUrl(target: ResponseTarget, answer: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(answer);
  if (target.state !== null) parameters.set('state', target.state);
  parameters.set('iss', target.issuer);
  return withQuery(target.redirectUri, parameters);
}

/** Sends the browser to the client. */
export function redirectToClient(
  ctx: Pick<GatewayContext, 'set' | 'status' | 'body' | 'type' | 'host'>,
  target: ResponseTarget,
  answer: Readonly<Record<string, string>>,
): void {
  sendRedirect(ctx, toResponseUrl({ ...target, issuer: askedOrigin(target.issuer, ctx.host) }, answer));
}
