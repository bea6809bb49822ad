/** The state of the connect page's forms, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { PageStateRules } from '../../base/pages/sealed-form.ts';
import type { ConnectVisit } from './index.ts';

/** How long the page may stay open: enough to create an API key at the upstream. */
export const CONNECT_PAGE_TTL_SECONDS = 3600;

const PLAIN = z.object({
  id: z.string(),
  clientId: z.string(),
  service: z.string(),
  externalUserId: z.string(),
  redirectUri: z.string(),
  state: z.string(),
});

const IN_SESSION = z.object({
  id: z.string(),
  sessionId: z.string(),
  service: z.string(),
  popupOrigin: z.string().nullable(),
});

export const PAGE_STATE = z.union([IN_SESSION, PLAIN]);

/** One page of one service. `id` is random and identifies the page when refused credentials are counted. */
export type ConnectPageState = Readonly<z.output<typeof PAGE_STATE>>;

/** State of a page that a plain link opened. */
export type PlainPageState = Readonly<z.output<typeof PLAIN>>;

/** State of a page in a connect session. */
export type SessionPageState = Readonly<z.output<typeof IN_SESSION>>;

/** Rules for the state of the connect page. */
export const CONNECT_PAGE: PageStateRules<ConnectPageState> = {
  purpose: 'connect request',
  schema: PAGE_STATE,
  ttlSeconds: CONNECT_PAGE_TTL_SECONDS,
};

/** Creates the id of a page that is shown for the first time. */
export function newPageId(): string {
  return randomBytes(16).toString('base64url');
}

/** The page state of a visit. */
export function toPageState({ pageId: id, request, session }: ConnectVisit): ConnectPageState {
  const service = request.connector.name;
  if (session !== null) return { id, sessionId: session.row.id, service, popupOrigin: session.popupOrigin };
  const { partner, externalUserId, redirectUri, state } = request;
  return { id, clientId: partner.clientId, service, externalUserId, redirectUri, state: state ?? '' };
}

/** The parameters of a plain link as they were sent, so that they are checked by the same rules again. */
export function toParameters(pageState: PlainPageState): URLSearchParams {
  return new URLSearchParams({
    client_id: pageState.clientId,
    user_id: pageState.externalUserId,
    redirect_uri: pageState.redirectUri,
    state: pageState.state,
  });
}
