/** Authorization responses: the query added to the client's redirect URI. */

import { askedOrigin } from '../../../base/http/loopback.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { sendRedirect, withQuery } from '../../../base/pages/redirect.ts';

/** Where a response goes, and what every response contains. */
interface ResponseTarget {
  /** Verified. */
  readonly redirectUri: string;
  readonly state: string | null;
  /** The `iss` of the response (RFC 9207): the issuer that the client addressed. */
  readonly issuer: string;
}

/**
 * Writes the URL that the browser is sent to. An existing query of the redirect URI is kept (RFC 6749 §3.1.2).
 *
 * @param answer `code`, or `error` and `error_description`.
 * @returns ASCII, for a `Location` header.
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
