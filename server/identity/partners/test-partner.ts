/** Test mode of a partner: a second partner with separate users and a separate secret, whose services are a sandbox. */

import { emit } from '../../base/store/events.ts';
import { lockPartner } from '../../base/store/repositories/partner-secrets.ts';
import {
  findPartner,
  findTestPartner,
  insertTestPartner,
  type Partner,
} from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { resumePartner } from './lifecycle.ts';
import { type ManagementEvent, rotatePartnerSecret } from './manage.ts';

/** Returns a sentence that says why this partner cannot get a test secret now, and what to do. Null if it can get one. */
export function testSecretProblem(
  { realm, name, suspendedAt }: Partner,
  { testSandboxUrl }: { readonly testSandboxUrl: string | null },
): string | null {
  if (testSandboxUrl === null)
    return 'Test mode is off. Start a sandbox (utg sandbox), set TEST_SANDBOX_URL to its address, and restart the gateway.';
  return realm === 'live' && suspendedAt !== null ? `${name} is suspended. Resume it first.` : null;
}

/**
 * Issues another secret of a partner's test partner, which is added with the first one. Needs a transaction.
 *
 * @param partner the live partner, or its test partner.
 * @returns null when the live partner is suspended meanwhile, or removed.
 */
export async function issueTestSecret(
  transaction: Executor,
  { id, testOf }: { readonly id: string; readonly testOf: string | null },
  endOthers: boolean,
  event: ManagementEvent,
): Promise<string | null> {
  const liveId = testOf ?? id;
  await lockPartner(transaction, liveId);
  const live = await findPartner(transaction, liveId);
  if (live === undefined || live.suspendedAt !== null) return null;
  const existing = await findTestPartner(transaction, liveId);
  const partnerId = existing?.id ?? (await insertTestPartner(transaction, liveId, event.now));
  if (existing === undefined) {
    const details = { name: live.name, testOf: live.clientId };
    await emit(transaction, { type: 'partner_added', partnerId, details, ...event });
  }
  const secret = await rotatePartnerSecret(transaction, { partnerId, endOthers }, event);
  await resumePartner(transaction, partnerId, event);
  return secret;
}
