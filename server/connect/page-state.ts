/** What the connect page's form carries, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { PageStateRules } from '../pages/sealed-form.ts';
import type { ConnectRequest } from './request/index.ts';

/** How long the page may stay open: enough to make an API key at the upstream. */
export const CONNECT_PAGE_TTL_SECONDS = 3600;

const SCHEMA = z.object({
  id: z.string(),
  clientId: z.string(),
  service: z.string(),
  externalUserId: z.string(),
  redirectUri: z.string(),
  state: z.string(),
});

/** One connect request on its way through the page. `id` is random and names the page where refused credentials are counted. */
export type ConnectPageState = Readonly<z.output<typeof SCHEMA>>;

/** What the connect page's form carries. */
export const CONNECT_PAGE: PageStateRules<ConnectPageState> = {
  purpose: 'connect request',
  schema: SCHEMA,
  ttlSeconds: CONNECT_PAGE_TTL_SECONDS,
};

/** What the page carries for a request that passed every check. */
export function toPageState(request: ConnectRequest): ConnectPageState {
  return {
    id: randomBytes(16).toString('base64url'),
    clientId: request.partner.clientId,
    service: request.connector.name,
    externalUserId: request.externalUserId,
    redirectUri: request.redirectUri,
    state: request.state,
  };
}

/** The request again, as it was sent, so that it passes the same rules once more. */
export function toParameters(pageState: ConnectPageState): URLSearchParams {
  return new URLSearchParams({
    client_id: pageState.clientId,
    user_id: pageState.externalUserId,
    redirect_uri: pageState.redirectUri,
    state: pageState.state,
  });
}
