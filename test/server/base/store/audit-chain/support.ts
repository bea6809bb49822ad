/** Signed stores for the tests of the audit trail. */

import { loadAuditKeys } from '../../../../../server/base/credentials/audit-keys.ts';
import type { EncryptionKey } from '../../../../../server/base/credentials/index.ts';
import { signAuditEvents } from '../../../../../server/base/store/audit-chain/continue.ts';
import { verifyAuditTrail } from '../../../../../server/base/store/audit-chain/verify.ts';
import type { ChainHead } from '../../../../../server/base/store/audit-chain/verify-chain.ts';
import type { Store } from '../../../../../server/base/store/index.ts';
import { recordAuditEvent } from '../../../../../server/base/store/repositories/audit-events.ts';
import { keyBytes } from '../../../../support/keys.ts';

export const RING: readonly EncryptionKey[] = [{ id: 'k1', key: keyBytes(1) }];

export async function signAs(store: Store, node: string, ring = RING): Promise<void> {
  signAuditEvents(store.db, { keys: (await loadAuditKeys(store.db, ring)).keys, node });
}

export async function recordEvents(store: Store, count: number, now = 1_000): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await recordAuditEvent(store.db, {
      type: 'consent_given',
      now: now + n,
      clientId: `client-${n}`,
      userId: 'user-1',
    });
  }
}

export async function verify(store: Store, options: { ring?: typeof RING; heads?: readonly ChainHead[] } = {}) {
  const { keys } = await loadAuditKeys(store.db, options.ring ?? RING);
  return verifyAuditTrail(store.db, keys, options.heads);
}
