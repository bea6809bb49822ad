/** One visit to the connect page: which partner asks which user for which service, by a plain link or in a connect session. */

import { randomBytes } from 'node:crypto';
import { takesUpstreamClient } from '../base/credentials/kinds.ts';
import type { GatewayContext } from '../base/http/state.ts';
import { isHostSource } from '../base/pages/page.ts';
import { PageError } from '../base/pages/page-errors.ts';
import { partnerSuspended } from '../base/pages/partner-suspended.ts';
import { findAccount } from '../base/store/repositories/account-names.ts';
import type { ConnectSession } from '../base/store/repositories/connect/connect-sessions.ts';
import { listAttemptsOfSession } from '../base/store/repositories/connection-attempts.ts';
import { type Connection, listAccounts } from '../base/store/repositories/connections.ts';
import { findPartner, type Partner } from '../base/store/repositories/partners.ts';
import { findUser } from '../base/store/repositories/users.ts';
import type { OAuthError } from '../identity/protocol/error.ts';
import type { PartnerTarget } from './answer.ts';
import type { ConnectContext, ConnectPageState, PlainPageState } from './context.ts';
import { type ConnectRequest, checkConnectRequest, checkService, toRefusal } from './request.ts';
import { claimSession, findByToken, lookAtSession, readSessionCookie, sessionOver } from './session.ts';

/** A service that a person is asked about. */
export interface ConnectVisit {
  readonly request: ConnectRequest;
  /** Identifies the page when refused credentials are counted. */
  readonly pageId: string;
  /** Null if the page was opened by a plain link. */
  readonly session: SessionVisit | null;
  /** Label of the extra that the page was opened to add to a connection, or null. */
  readonly extra: string | null;
  /** True if the gateway is registered at the service's authorization server, so that a person can sign in there. */
  readonly canSignIn: boolean;
}

/** Progress of a connect session. */
export interface SessionVisit {
  readonly row: ConnectSession;
  /** Services that the user has completed in it. */
  readonly connected: readonly string[];
  /** The only origin that gets the answer of a popup or a frame, or null for a page that is neither. */
  readonly popupOrigin: string | null;
  /** Null if the page is in no frame, and was not opened by one. */
  readonly frame: FrameVisit | null;
  /** The user's connection to the service, or null. It is replaced by the same account, or by any account if the partner wants that. */
  readonly replaces: Connection | null;
}

/** A visit that began in a frame. */
interface FrameVisit {
  /** Random. */
  readonly id: string;
  /** False in the window where the person signs in at an upstream. */
  readonly isInside: boolean;
}

/** A visit, or a refusal that the partner receives. */
export type FoundVisit = ConnectVisit | (PartnerTarget & { readonly refusal: OAuthError });

/** Finds where a session of the browser stands. Consumes nothing. @throws {PageError} 400 as `lookAtSession`. */
export async function findSessionVisit(ctx: GatewayContext, id: string, deps: ConnectContext): Promise<FoundVisit> {
  const cookie = readSessionCookie(ctx, id, deps);
  if (cookie === null) throw sessionOver();
  const row = await lookAtSession(ctx, cookie.sessionId, deps);
  return toSessionVisit(ctx, row, { id: newPageId(), popupOrigin: cookie.popupOrigin }, deps);
}

/**
 * Finds the session of an address that a page of the partner opens in a frame. Consumes nothing.
 *
 * @throws {PageError} 400 as `findByToken`, outside a frame, and for a site that may not frame it.
 */
export async function findFramedVisit(
  ctx: GatewayContext,
  { token, origin }: { readonly token: string; readonly origin: string },
  deps: ConnectContext,
): Promise<FoundVisit> {
  if (ctx.get('Sec-Fetch-Dest') !== 'iframe') throw cannotBeFramed();
  const row = await findByToken(ctx, token, deps);
  return toSessionVisit(ctx, row, { id: newPageId(), popupOrigin: origin, frame: newPageId() }, deps);
}

/** Returns the next step of a session in a frame, after the person completed or skipped a service of it. */
export async function findNextInFrame(
  ctx: GatewayContext,
  { row, popupOrigin }: SessionVisit,
  frame: FrameVisit,
  deps: ConnectContext,
): Promise<FoundVisit> {
  const claimed = await claimSession(ctx, { sessionId: row.id, frame: frame.id }, deps);
  return toSessionVisit(ctx, claimed, { id: newPageId(), popupOrigin, frame: frame.id }, deps);
}

/**
 * Lets the page around show this answer: one of the session's `allowed_origins`, at which the partner has a redirect URI too.
 *
 * @throws {PageError} 400 for any other.
 */
function allowFrame(
  ctx: GatewayContext,
  { allowedOrigins }: ConnectSession,
  { redirectUris }: Partner,
  origin: string,
) {
  const isRegistered = redirectUris.some((uri) => new URL(uri).origin === origin);
  if (!isRegistered || !allowedOrigins.includes(origin) || !isHostSource(origin)) throw cannotBeFramed();
  ctx.state.framedBy = origin;
}

function cannotBeFramed(): PageError {
  return new PageError(400, {
    title: 'This page cannot be shown here',
    text: 'The application has registered no redirect URI at the site around it, or did not name that site (allowed_origins).',
    advice: 'Close this. If it happens again, tell the people who run the application.',
  });
}

/**
 * Resumes a visit from the page's form. Applies every rule again. In a connect session, this consumes the token for the browser.
 *
 * The visit may be about another service than the form, if the session has continued meanwhile.
 *
 * @throws {PageError} as `checkConnectRequest`, and 400 for a session that has expired or is another browser's.
 */
export async function resumeVisit(
  ctx: GatewayContext,
  pageState: ConnectPageState,
  deps: ConnectContext,
): Promise<FoundVisit> {
  if ('sessionId' in pageState) {
    return toSessionVisit(ctx, await claimSession(ctx, pageState, deps), pageState, deps);
  }
  return findPlainVisit(pageState.service, toParameters(pageState), deps, pageState.id);
}

/** Finds the visit of a plain link. @throws {PageError} as `checkConnectRequest`. */
export async function findPlainVisit(
  service: string,
  parameters: URLSearchParams,
  deps: ConnectContext,
  pageId = newPageId(),
): Promise<FoundVisit> {
  const request = await checkConnectRequest(service, parameters, deps);
  return 'refusal' in request
    ? { ...request, popupOrigin: null }
    : {
        request,
        pageId,
        session: null,
        extra: parameters.get('extra'),
        canSignIn: await canSignInAt(request, deps),
      };
}

async function canSignInAt({ partner, connector }: ConnectRequest, { realms }: ConnectContext): Promise<boolean> {
  if (!takesUpstreamClient(connector.credential)) return false;
  return realms.of(partner).clients.isRegistered(partner.id, connector.name);
}

/** The page that a session is shown on. */
interface SessionPage {
  /** Identifies the page for counting wrong codes. */
  readonly id: string;
  /** The origin of the window that opened the page. Null if it is not a popup. */
  readonly popupOrigin: string | null;
  /** Id of the frame. Undefined outside a frame. */
  readonly frame?: string | undefined;
}

/**
 * The next service of a session; in a frame, the last one once none is left, because the window of a sign-in may have completed it.
 *
 * @throws {PageError} 403 if the partner is suspended, and as `allowFrame`.
 */
async function toSessionVisit(
  ctx: GatewayContext,
  row: ConnectSession,
  { id: pageId, popupOrigin, frame: frameId }: SessionPage,
  deps: ConnectContext,
): Promise<FoundVisit> {
  const { db } = deps;
  const { externalUserId, redirectUri, state } = row;
  const partner = await findPartner(db, row.partnerId);
  if (partner === undefined) throw sessionOver();
  const frame = frameId === undefined ? null : { id: frameId, isInside: ctx.get('Sec-Fetch-Dest') === 'iframe' };
  if (frame?.isInside === true) allowFrame(ctx, row, partner, popupOrigin ?? '');
  if (partner.suspendedAt !== null) throw partnerSuspended(partner);
  const connected = (await listAttemptsOfSession(db, row.id)).map(({ service }) => service);
  const service = nextService(row, connected) ?? (frame === null ? undefined : row.services.at(-1));
  if (service === undefined) throw sessionOver();
  try {
    const connector = checkService(service, partner, deps);
    const request = { partner, connector, externalUserId, redirectUri, state };
    const replaced = row.account?.mode === 'add' ? undefined : await accountsOf(request, deps);
    const replaces = findAccount(replaced ?? [], row.account?.name) ?? null;
    const session = { row, connected, popupOrigin, frame, replaces };
    const canSignIn = await canSignInAt(request, deps);
    return { request, pageId, session, extra: row.account?.extra ?? null, canSignIn };
  } catch (error) {
    return { refusal: toRefusal(error), redirectUri, state, popupOrigin };
  }
}

/** The user's accounts of the service, the oldest first. */
export async function accountsOf(
  { partner, externalUserId, connector }: ConnectRequest,
  { db }: ConnectContext,
): Promise<readonly Connection[]> {
  const user = await findUser(db, { partnerId: partner.id, externalUserId });
  return user === undefined ? [] : listAccounts(db, user.id, connector.name);
}

/** The page state of a visit. */
export function toPageState({ pageId: id, request, session }: ConnectVisit): ConnectPageState {
  const service = request.connector.name;
  if (session !== null) {
    const { row, popupOrigin, frame } = session;
    const state = { id, sessionId: row.id, service, popupOrigin };
    return frame === null ? state : { ...state, frame: frame.id };
  }
  const { partner, externalUserId, redirectUri, state } = request;
  return { id, clientId: partner.clientId, service, externalUserId, redirectUri, state: state ?? '' };
}

/** The parameters of a plain link as they were sent, so that they are checked by the same rules again. */
function toParameters(pageState: PlainPageState): URLSearchParams {
  return new URLSearchParams({
    client_id: pageState.clientId,
    user_id: pageState.externalUserId,
    redirect_uri: pageState.redirectUri,
    state: pageState.state,
  });
}

/** Returns true if the service refused the credential that is replaced. */
export function isReconnect({ session }: ConnectVisit): boolean {
  return session?.replaces?.status === 'attention';
}

export function targetOf({ request, session }: ConnectVisit): PartnerTarget {
  const { redirectUri, state, partner } = request;
  return { redirectUri, state, popupOrigin: session?.popupOrigin ?? null, brand: partner };
}

/** Returns the first service of a session that is neither completed nor skipped, or undefined if there is none. */
export function nextService(row: ConnectSession, connected: readonly string[]): string | undefined {
  return row.services.find((service) => !connected.includes(service) && !row.skipped.includes(service));
}

/** The id of a page that is shown for the first time. */
function newPageId(): string {
  return randomBytes(16).toString('base64url');
}
