/** Rule: the service is served here, and the partner may offer it. */

import { mayOffer, type Partner } from '../../base/store/repositories/partners.ts';
import type { Connector } from '../../contract/index.ts';
import { ConnectRefusal } from './parameters.ts';

/** Finds a connector by its name. */
export type FindConnector = (service: string) => Connector | undefined;

/** @throws {ConnectRefusal} `invalid_request` for an unknown service, `unauthorized_client` for one that is not offered. */
export function checkService(
  service: string,
  partner: Pick<Partner, 'services'>,
  findConnector: FindConnector,
): Connector {
  const connector = findConnector(service);
  if (connector === undefined) throw new ConnectRefusal('invalid_request', 'There is no such service.');
  if (!mayOffer(partner, service)) {
    throw new ConnectRefusal('unauthorized_client', 'The application may not offer this service.');
  }
  return connector;
}
