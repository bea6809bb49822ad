/** Partner secrets, with which a partner authenticates to the gateway. */

import { createSecret, hashSecret, isOfKind, isSameHash } from '../../base/principal/secrets.ts';
import { testClientId } from '../../base/realm.ts';
import { insertPartnerSecret, listLivePartnerSecrets } from '../../base/store/repositories/partner-secrets.ts';
import { findPartner, findPartnerByClientId, type Partner } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { checkOwnActive } from '../protocol/partner-suspended.ts';

/**
 * Issues another secret for a partner, `utg_ps_...`, or `utg_test_...` for a test partner. Only its hash is stored.
 *
 * The previous secret stays valid, so that the partner can switch over; older ones are revoked. Needs a transaction.
 *
 * @param options.endOthers revokes every other secret at once.
 */
export async function addPartnerSecret(
  transaction: Executor,
  options: { partnerId: string; now: number; endOthers?: boolean },
): Promise<string> {
  const isTest = (await findPartner(transaction, options.partnerId))?.realm === 'test';
  const secret = createSecret(isTest ? 'testSecret' : 'partnerSecret');
  await insertPartnerSecret(transaction, {
    partnerId: options.partnerId,
    secretHash: hashSecret(transaction, secret),
    now: options.now,
    keep: options.endOthers === true ? 1 : undefined,
  });
  return secret;
}

/**
 * Finds the partner of these credentials. With a test secret, it finds the test partner of the partner that `clientId` names.
 *
 * @returns undefined when there is none, or the secret does not match.
 * @throws {OAuthError} `partner_suspended` (403).
 */
export async function authenticatePartner(
  executor: Executor,
  credentials: { clientId: string; clientSecret: string },
): Promise<Partner | undefined> {
  const { clientId, clientSecret } = credentials;
  if (clientId.includes('\0')) return undefined;
  const isTest = isOfKind('testSecret', clientSecret);
  const partner = await findPartnerByClientId(executor, isTest ? testClientId(clientId) : clientId);
  if (partner === undefined || (partner.realm === 'test') !== isTest) return undefined;
  const hashes = await listLivePartnerSecrets(executor, partner.id);
  const secretHash = hashSecret(executor, clientSecret);
  if (!hashes.some((hash) => isSameHash(secretHash, hash))) return undefined;
  checkOwnActive(partner);
  return partner;
}
