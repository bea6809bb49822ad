/** Signed stores for the tests of the audit trail. */

import type { EncryptionKey } from '../../../../server/base/credentials/index.ts';
import { emit } from '../../../../server/base/store/events.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { loadAuditKeys } from '../../../../server/modules/audit/keys.ts';
import { signAuditEvents } from '../../../../server/modules/audit/record.ts';
import { verifyAuditTrail } from '../../../../server/modules/audit/verify.ts';
import { keyBytes } from '../../../support/keys.ts';

export const RING: readonly EncryptionKey[] = [{ id: 'k1', key: keyBytes(1) }];

export async function signAs(store: Store, ring = RING): Promise<void> {
  signAuditEvents(store.db, (await loadAuditKeys(store.db, ring)).keys);
}

export async function recordEvents(store: Store, count: number, now = 1_000): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await emit(store.db, {
      type: 'consent_given',
      now: now + n,
      clientId: `client-${n}`,
      userId: 'user-1',
      partnerId: 'partner-1',
    });
  }
}

export async function verify(store: Store, ring = RING) {
  return verifyAuditTrail(store.db, (await loadAuditKeys(store.db, ring)).keys);
}
