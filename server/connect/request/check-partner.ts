/** Rule: the partner is known and active. */

import { PageError } from '../../base/pages/page-errors.ts';
import { partnerSuspended } from '../../base/pages/partner-suspended.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import { readParameter } from './parameters.ts';

const MAX_CLIENT_ID_LENGTH = 100;

/** Finds a partner by its `client_id`. */
export type FindPartner = (clientId: string) => Promise<Partner | undefined>;

/** @throws {PageError} status 400: no known partner could receive the error; 403 for a suspended partner, which receives nothing. */
export async function checkPartner(parameters: URLSearchParams, findPartner: FindPartner): Promise<Partner> {
  const clientId = readParameter(parameters, 'client_id');
  const usable = clientId !== null && clientId.length <= MAX_CLIENT_ID_LENGTH && !clientId.includes('\0');
  const partner = usable ? await findPartner(clientId) : undefined;
  if (partner !== undefined && partner.suspendedAt !== null) throw partnerSuspended(partner);
  if (partner !== undefined) return partner;
  throw new PageError(400, {
    title: 'This application is not known here',
    text: 'The link that led here does not name an application of this gateway (client_id).',
    advice: 'Go back to the application and start again. If it happens again, tell the people who run it.',
  });
}
