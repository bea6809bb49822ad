/** Answers of the connect flow: what travels to the partner's redirect URI. */

import type { GatewayContext } from '../http/state.ts';
import { sendRedirect, withQuery } from '../pages/redirect.ts';

/** Sends the browser to the partner with `code`, or with `error` and `error_description`, and the state. */
export function redirectToPartner(
  ctx: Pick<GatewayContext, 'set' | 'status' | 'body' | 'type'>,
  target: { readonly redirectUri: string; readonly state: string | null },
  answer: Readonly<Record<string, string>>,
): void {
  const parameters = new URLSearchParams(answer);
  if (target.state !== null) parameters.set('state', target.state);
  sendRedirect(ctx, withQuery(target.redirectUri, parameters));
}
