/** Test mode of a partner: a second partner with users of its own, whose services are a sandbox, and the secret that speaks for it. */

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

/** Why nobody can issue this partner a test secret now, in a sentence that says what to do; null: it can get one. */
export function testSecretProblem(
  { realm, name, suspendedAt }: Pick<Partner, 'realm' | 'name' | 'suspendedAt'>,
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
  { id, testOf }: Pick<Partner, 'id' | 'testOf'>,
  endOthers: boolean,
  event: ManagementEvent,
): Promise<string | null> {
  const liveId = testOf ?? id;
  await lockPartner(transaction, liveId);
  const live = await findPartner(transaction, liveId);
  if (live === undefined || live.suspendedAt !== null) return null;
  const known = await findTestPartner(transaction, liveId);
  const partnerId = known?.id ?? (await insertTestPartner(transaction, liveId, event.now));
  if (known === undefined) {
    const details = { name: live.name, testOf: live.clientId };
    await emit(transaction, { type: 'partner_added', partnerId, details, ...event });
  }
  const secret = await rotatePartnerSecret(transaction, { partnerId, endOthers }, event);
  await resumePartner(transaction, partnerId, event);
  return secret;
}
