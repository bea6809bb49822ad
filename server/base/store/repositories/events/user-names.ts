/** Seals the names of removed users in events: the partner can still read them, the database has no plain name. */

import type { DialectAdapter } from 'kysely';
import type { Executor } from '../../schema.ts';

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
