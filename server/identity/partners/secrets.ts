/** Partner secrets, with which a partner authenticates to the gateway. */

import { createSecret, hashSecret, isSameHash } from '../../base/principal/secrets.ts';
import { insertPartnerSecret, listLivePartnerSecrets } from '../../base/store/repositories/partner-secrets.ts';
import { findPartnerByClientId, type Partner } from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { checkOwnActive } from '../protocol/partner-suspended.ts';

/**
 * Issues another secret for a partner, `utg_ps_...`. Only its hash is stored.
 *
 * The previous secret stays valid, so that the partner can switch over; older ones are revoked. Needs a transaction.
 *
 * @param options.endOthers revokes every other secret at once.
 */
export async function addPartnerSecret(
  transaction: Executor,
  options: { partnerId: string; now: number; endOthers?: boolean },
): Promise<string> {
  const secret = createSecret('partnerSecret');
  await insertPartnerSecret(transaction, {
    partnerId: options.partnerId,
    secretHash: hashSecret(transaction, secret),
    now: options.now,
    ...(options.endOthers === true ? { keep: 1 } : {}),
  });
  return secret;
}

/**
 * Finds the partner of these credentials.
 *
 * @returns undefined when there is none, or the secret does not match.
 * @throws {OAuthError} `partner_suspended` (403).
 */
export async function authenticatePartner(
  executor: Executor,
  credentials: { clientId: string; clientSecret: string },
): Promise<Partner | undefined> {
  if (credentials.clientId.includes('\0')) return undefined;
  const partner = await findPartnerByClientId(executor, credentials.clientId);
  if (partner === undefined) return undefined;
  const hashes = await listLivePartnerSecrets(executor, partner.id);
  const given = hashSecret(executor, credentials.clientSecret);
  if (!hashes.some((hash) => isSameHash(given, hash))) return undefined;
  checkOwnActive(partner);
  return partner;
}
