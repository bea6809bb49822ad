/** Seals the names of removed users in events: the partner can still read them, the database has no plain name. */

import type { DialectAdapter } from 'kysely';
import type { EncryptionKey } from '../../../base/credentials/index.ts';
import { createValueSealer, type ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Executor } from '../../../base/store/schema.ts';

/** A database and its transactions share one adapter. */
const sealers = new WeakMap<DialectAdapter, ValueSealer>();

/** Seals names of removed users in this store from now on. Without this call they are dropped. */
export function sealUserNames(db: Executor, keys: readonly EncryptionKey[]): void {
  sealers.set(db.getExecutor().adapter, createValueSealer({ keys, purpose: 'name of a removed user' }));
}

/** Seals a name for its partner. It never expires, because events are deleted by age. Returns null if names are not sealed. */
export function sealName(executor: Executor, name: string, partnerId: string): string | null {
  const sealer = sealers.get(executor.getExecutor().adapter);
  return sealer?.seal(name, { holder: partnerId, expiresAt: Number.MAX_SAFE_INTEGER }) ?? null;
}

/** Opens a sealed name. Returns null if that fails, for example because its key was removed. */
export function openName(executor: Executor, sealed: string, partnerId: string): string | null {
  const sealer = sealers.get(executor.getExecutor().adapter);
  const name = sealer?.open(sealed, { holder: partnerId, now: 0 });
  return typeof name === 'string' ? name : null;
}
