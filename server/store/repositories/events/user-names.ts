/** What seals the names of removed users in events: a partner still knows whom it was about, and the database holds no name. */

import type { DialectAdapter } from 'kysely';
import type { Executor } from '../../schema.ts';

/** Seals the partner's own name of a user, for that partner. */
interface NameSealer {
  seal(name: string, partnerId: string): string;
  /** @returns null where it cannot be opened, such as with a key that is gone. */
  open(sealed: string, partnerId: string): string | null;
}

/** A database and its transactions share one adapter. */
const sealers = new WeakMap<DialectAdapter, NameSealer>();

/** From now on names of removed users are sealed in this store. Without it they are dropped. */
export function sealUserNames(db: Executor, sealer: NameSealer): void {
  sealers.set(db.getExecutor().adapter, sealer);
}

export function nameSealerOf(executor: Executor): NameSealer | undefined {
  return sealers.get(executor.getExecutor().adapter);
}
