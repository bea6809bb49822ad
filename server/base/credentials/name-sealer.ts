/** Seals the names of removed users with the key ring, for the events that still name them to their partner. */

import type { EncryptionKey } from './index.ts';
import { createValueSealer } from './sealed-value.ts';

/** Creates the sealer for `sealUserNames`. A name opens only for its partner. It never expires: events are deleted by age. */
export function createNameSealer(keys: readonly EncryptionKey[]) {
  const sealer = createValueSealer({ keys, purpose: 'name of a removed user' });
  return {
    seal: (name: string, partnerId: string) =>
      sealer.seal(name, { holder: partnerId, expiresAt: Number.MAX_SAFE_INTEGER }),
    open(sealed: string, partnerId: string) {
      const name = sealer.open(sealed, { holder: partnerId, now: 0 });
      return typeof name === 'string' ? name : null;
    },
  };
}
