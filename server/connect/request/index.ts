/** The connect request: every rule that it must pass before the page is shown. */

import type { Partner } from '../../base/store/repositories/partners.ts';
import type { Connector } from '../../contract/index.ts';
import { checkDuplicates } from './check-duplicates.ts';
import { checkPartner, type FindPartner } from './check-partner.ts';
import { checkPlainLinks } from './check-plain-links.ts';
import { checkPartnerRedirectUri } from './check-redirect-uri.ts';
import { checkService, type FindConnector } from './check-service.ts';
import { checkState, readState } from './check-state.ts';
import { checkUserId } from './check-user-id.ts';
import { ConnectRefusal } from './parameters.ts';

/** A request that passed every rule. */
export interface ConnectRequest {
  readonly partner: Partner;
  readonly connector: Connector;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Byte for byte as sent. */
  readonly redirectUri: string;
  /** Null: a connect session without a state. */
  readonly state: string | null;
}

/** A request that is refused after partner and redirect URI were verified: the partner receives the refusal. */
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
 * @param service the one in the path.
 * @throws {PageError} for the first three rules: the person sees the error, and nothing is sent to the redirect URI.
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
