/** The connect request: every rule that it must pass before a person is asked anything. */

import type { Connector } from '../../contract/index.ts';
import type { Partner } from '../../store/repositories/partners.ts';
import { checkDuplicates } from './check-duplicates.ts';
import { checkPartner, type FindPartner } from './check-partner.ts';
import { checkPlainLinks } from './check-plain-links.ts';
import { checkPartnerRedirectUri } from './check-redirect-uri.ts';
import { checkService, type FindConnector } from './check-service.ts';
import { checkState, readState } from './check-state.ts';
import { checkUserId } from './check-user-id.ts';
import { ConnectRefusal } from './parameters.ts';

/** A request that a person can be asked about. */
export interface ConnectRequest {
  readonly partner: Partner;
  readonly connector: Connector;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** As it was sent, byte for byte. */
  readonly redirectUri: string;
  /** Null: a connect session without one. */
  readonly state: string | null;
}

/** A request that was refused after partner and redirect URI were verified: the refusal goes to the partner. */
export interface RefusedConnectRequest {
  readonly refusal: ConnectRefusal;
  readonly redirectUri: string;
  readonly state: string | null;
}

export interface CheckDependencies {
  readonly findPartner: FindPartner;
  readonly findConnector: FindConnector;
}

/**
 * Applies the rules, in this order.
 *
 * @param service as the path names it.
 * @throws {PageError} of the first three rules: they are shown to the person, and nothing travels to the redirect URI.
 */
export async function checkConnectRequest(
  service: string,
  parameters: URLSearchParams,
  deps: CheckDependencies,
): Promise<ConnectRequest | RefusedConnectRequest> {
  const partner = await checkPartner(parameters, deps.findPartner);
  checkPlainLinks(partner);
  const redirectUri = checkPartnerRedirectUri(parameters, partner);
  try {
    checkDuplicates(parameters);
    const state = checkState(parameters);
    const connector = checkService(service, partner, deps.findConnector);
    const externalUserId = checkUserId(parameters);
    return { partner, connector, externalUserId, redirectUri, state };
  } catch (refusal) {
    if (!(refusal instanceof ConnectRefusal)) throw refusal;
    return { refusal, redirectUri, state: readState(parameters) };
  }
}
