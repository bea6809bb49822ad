/** Seals the names of removed users in events: the partner can still read them, the database has no plain name. */

import type { DialectAdapter } from 'kysely';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Executor } from '../../base/store/schema.ts';

/** Seals the partner's own name for a user, bound to that partner. */
interface NameSealer {
  seal(name: string, partnerId: string): string;
  /** @returns null if it cannot be opened, for example because its key was removed. */
  open(sealed: string, partnerId: string): string | null;
}

/** A database and its transactions share one adapter. */
const sealers = new WeakMap<DialectAdapter, NameSealer>();

/** From now on, names of removed users are sealed in this store. Without this call they are dropped. */
export function sealUserNames(db: Executor, sealer: NameSealer): void {
  sealers.set(db.getExecutor().adapter, sealer);
}

export function nameSealerOf(executor: Executor): NameSealer | undefined {
  return sealers.get(executor.getExecutor().adapter);
}

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
