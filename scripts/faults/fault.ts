/** One fault: what it needs, how it strikes, and how it ends. */

import type { Violation } from './ledger/judge.ts';
import type { Exchange } from './load/wire.ts';
import type { World } from './load/world.ts';
import type { Stage } from './stage/index.ts';

/** What a machine may lack. */
export type Need = 'postgres' | 'namespaces' | 'faketime';

export interface Fault {
  readonly name: string;
  /** One line for the table and the help. */
  readonly title: string;
  readonly store: 'postgres' | 'sqlite';
  readonly needs: readonly Need[];
  /** Before the load begins. */
  prepare?(stage: Stage): Promise<void>;
  /** Strikes, lasts, and returns what ends it. */
  strike(stage: Stage, world: World): Promise<() => Promise<void>>;
  /** What else is to be checked. @param exchanges those that began while it lasted. */
  check?(stage: Stage, world: World, exchanges: readonly Exchange[]): Promise<Violation[]>;
  /** After everything. */
  tidy?(stage: Stage): Promise<void>;
}
