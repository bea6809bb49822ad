/** The connect request: every rule that it must pass before the page is shown. */

import { PageError } from '../base/pages/page-errors.ts';
import { partnerSuspended } from '../base/pages/partner-suspended.ts';
import { liveClientId } from '../base/realm.ts';
import { findPartnerByClientId, mayOffer, type Partner } from '../base/store/repositories/partners.ts';
import type { Connector } from '../contract/index.ts';
import { isUserId, USER_ID_RULE } from '../identity/partners/user-id.ts';
import { OAuthError } from '../identity/protocol/error.ts';
import { checkDuplicates, readParameter, readState, refuse } from '../identity/protocol/parameters.ts';
import type { ConnectContext } from './context.ts';

/** A request that passed every rule. */
export interface ConnectRequest {
  readonly partner: Partner;
  readonly connector: Connector;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Byte for byte as sent. */
  readonly redirectUri: string;
  /** Null for a connect session without a state. */
  readonly state: string | null;
}

/** A request that is refused after partner and redirect URI were verified: the partner receives the refusal. */
interface RefusedConnectRequest {
  readonly refusal: OAuthError;
  readonly redirectUri: string;
  readonly state: string | null;
}

const ONCE = ['user_id', 'state'];
const MAX_CLIENT_ID_LENGTH = 100;
const MAX_STATE_LENGTH = 1024;

/**
 * Applies the rules, in this order.
 *
 * @param service the one in the path.
 * @throws {PageError} for the first three rules: the person sees the error, and nothing is sent to the redirect URI.
 */
export async function checkConnectRequest(
  service: string,
  parameters: URLSearchParams,
  deps: ConnectContext,
): Promise<ConnectRequest | RefusedConnectRequest> {
  const partner = await checkPartner(parameters, deps);
  checkPlainLinks(partner);
  const redirectUri = checkRedirectUri(parameters, partner);
  try {
    checkDuplicates(parameters, ONCE);
    const state = checkState(parameters);
    const connector = checkService(service, partner, deps);
    const externalUserId = checkUserId(parameters);
    return { partner, connector, externalUserId, redirectUri, state };
  } catch (error) {
    return { refusal: toRefusal(error), redirectUri, state: readState(parameters, MAX_STATE_LENGTH) };
  }
}

/** @throws the error itself, unless it is a refusal that the partner receives. */
export function toRefusal(error: unknown): OAuthError {
  if (error instanceof OAuthError && error.redirectable) return error;
  throw error;
}

/**
 * The partner is known and active.
 *
 * @throws {PageError} status 400: no known partner could receive the error; 403 for a suspended partner, which receives nothing.
 */
async function checkPartner(parameters: URLSearchParams, { db }: ConnectContext): Promise<Partner> {
  const clientId = readParameter(parameters, 'client_id');
  const usable = clientId !== null && liveClientId(clientId).length <= MAX_CLIENT_ID_LENGTH && !clientId.includes('\0');
  const partner = usable ? await findPartnerByClientId(db, clientId) : undefined;
  if (partner !== undefined && partner.suspendedAt !== null) throw partnerSuspended(partner);
  if (partner !== undefined) return partner;
  throw new PageError(400, {
    title: 'This application is not known here',
    text: 'The link that led here does not name an application of this gateway (client_id).',
    advice: 'Go back to the application and start again. If it happens again, tell the people who run it.',
  });
}

/**
 * The partner allows plain links.
 *
 * @throws {PageError} status 400: a partner that allows only connect sessions receives no answer to a plain link.
 */
function checkPlainLinks({ plainLinks }: Partner): void {
  if (plainLinks) return;
  throw new PageError(400, {
    title: 'This link cannot be used',
    text: 'The application does not accept links like this one. It sends its users here itself.',
    advice: 'Sign in to the application and connect the service there.',
  });
}

/**
 * The flow ends at a `redirect_uri` that the partner registered, byte for byte (RFC 9700 §2.1).
 *
 * Before this check, nothing is sent to the redirect URI, so the person sees the error.
 *
 * @throws {PageError} status 400.
 */
function checkRedirectUri(parameters: URLSearchParams, { redirectUris }: Partner): string {
  const redirectUri = readParameter(parameters, 'redirect_uri');
  if (redirectUri !== null && redirectUris.includes(redirectUri)) return redirectUri;
  throw new PageError(400, {
    title: 'This link has an unknown return address',
    text: 'The application has not registered the address that it wants you to return to (redirect_uri).',
    advice: 'Go back to the application and start again. If it happens again, tell the people who run it.',
  });
}

/**
 * Requires a `state` of 1 to 1,024 printable ASCII characters, so that it can be returned unchanged. By the state, the partner recognises the browser
 * that it sent.
 *
 * @throws {OAuthError} `invalid_request`, for the partner.
 */
function checkState(parameters: URLSearchParams): string {
  const state = readState(parameters, MAX_STATE_LENGTH);
  if (state !== null) return state;
  throw refuse('invalid_request', `state must be 1 to ${MAX_STATE_LENGTH} printable ASCII characters.`);
}

/**
 * Returns the connector of the partner's realm, if the service is served here and the partner may offer it.
 *
 * @throws {OAuthError} for the partner: `invalid_request` for an unknown service, `unauthorized_client` for a service that it may not offer.
 */
export function checkService(service: string, partner: Partner, { realms }: ConnectContext): Connector {
  const connector = realms.of(partner).findConnector(service);
  if (connector === undefined) throw refuse('invalid_request', 'There is no such service.');
  if (!mayOffer(partner, service)) throw refuse('unauthorized_client', 'The application may not offer this service.');
  return connector;
}

/**
 * The partner names the user who connects.
 *
 * @throws {OAuthError} `invalid_request`, for the partner, unless it is 1 to 512 characters without control characters.
 */
function checkUserId(parameters: URLSearchParams): string {
  const userId = readParameter(parameters, 'user_id');
  if (userId !== null && isUserId(userId)) return userId;
  throw refuse('invalid_request', `user_id ${USER_ID_RULE}.`);
}
