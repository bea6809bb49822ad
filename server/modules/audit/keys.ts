/** The keys that sign the audit trail: derived from the key ring, and kept sealed for as long as events need them. */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { createValueSealer, type ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { AuditKeys } from './signing.ts';

const KEY_BYTES = 32;
const NEVER = Number.MAX_SAFE_INTEGER;

/** The keys that signed the audit trail and that the ring can open. */
export interface LoadedAuditKeys {
  readonly keys: AuditKeys;
  /** Ids of former keys that the ring cannot open. Events that they signed cannot be verified. */
  readonly lost: readonly string[];
  /** True if the ring holds no key that this database knows, for example because it is the ring of another gateway. */
  readonly isForeign: boolean;
}

/**
 * Derives a key from each key of the ring (HKDF, RFC 5869). The first one signs.
 *
 * Each is also kept in the store, sealed with the ring's first key. So a key that left the ring still verifies what it
 * signed, and the database alone is not enough to sign.
 */
export async function loadAuditKeys(executor: Executor, ring: readonly EncryptionKey[]): Promise<LoadedAuditKeys> {
  const [current] = ring;
  if (current === undefined) throw new Error('the audit trail needs at least one key');
  const sealer = createValueSealer({ keys: ring, purpose: 'audit key' });
  const keys = new Map(ring.map(({ id, key }) => [id, deriveKey(key)]));
  const stored = await executor.selectFrom('audit_keys').selectAll().execute();
  const lost: string[] = [];
  for (const { id, sealed } of stored) {
    const text = sealer.open(sealed, { holder: id, now: 0 });
    if (typeof text !== 'string') lost.push(id);
    else if (!keys.has(id)) keys.set(id, Buffer.from(text, 'base64url'));
  }
  const openableRows = stored.filter(({ id }) => !lost.includes(id));
  return {
    keys: createAuditKeys(current.id, keys),
    lost,
    isForeign: stored.length > 0 && openableRows.length === 0,
  };
}

/** Seals new keys of the ring, and keys that an older one sealed, with the ring's first key. */
export async function keepAuditKeys(executor: Executor, ring: readonly EncryptionKey[]): Promise<void> {
  const [current] = ring;
  if (current === undefined) throw new Error('the audit trail needs at least one key');
  const sealer = createValueSealer({ keys: ring, purpose: 'audit key' });
  const stored = await executor.selectFrom('audit_keys').selectAll().execute();
  for (const { id, sealed } of stored) {
    const text = sealer.open(sealed, { holder: id, now: 0 });
    if (typeof text !== 'string' || sealed.startsWith(`v1.${current.id}.`)) continue;
    await executor
      .updateTable('audit_keys')
      .set({ sealed: seal(sealer, id, text) })
      .where('id', '=', id)
      .where('sealed', '=', sealed)
      .execute();
  }
  for (const { id, key } of ring) {
    if (stored.some((row) => row.id === id)) continue;
    await executor
      .insertInto('audit_keys')
      .values({ id, sealed: seal(sealer, id, deriveKey(key).toString('base64url')) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

function seal(sealer: ValueSealer, id: string, text: string): string {
  return sealer.seal(text, { holder: id, expiresAt: NEVER });
}

/**
 * Derives the signing key. The name in it is the one of versions that signed chains of events, so that their signatures verify with the same keys.
 */
function deriveKey(key: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'utg audit chain v1', KEY_BYTES));
}

function createAuditKeys(currentId: string, keys: ReadonlyMap<string, Uint8Array>): AuditKeys {
  const macOf = (id: string, text: string): Buffer | undefined => {
    const key = keys.get(id);
    return key === undefined ? undefined : createHmac('sha256', key).update(text).digest();
  };
  return {
    sign: (text) => `${currentId}.${macOf(currentId, text)?.toString('base64url')}`,
    check(signature, text) {
      const [id = '', macText = ''] = signature.split('.');
      const expected = macOf(id, text);
      if (expected === undefined) return 'unknown-key';
      const bytes = Buffer.from(macText, 'base64url');
      return bytes.length === expected.length && timingSafeEqual(bytes, expected) ? 'valid' : 'invalid';
    },
  };
}
