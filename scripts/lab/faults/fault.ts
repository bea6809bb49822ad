/** One fault: what it needs, how it starts, and how it ends. */

import type { Violation } from './ledger/judge.ts';
import type { Exchange } from './load/wire.ts';
import type { World } from './load/world.ts';
import type { STORES, Stage } from './stage/index.ts';

/** What a machine may lack. */
export type Need = 'postgres' | 'namespaces' | 'faketime';

export interface Fault {
  readonly name: string;
  /** One line for the table and the help. */
  readonly title: string;
  readonly store: (typeof STORES)[number];
  readonly needs: readonly Need[];
  /** Runs before the load begins. */
  prepare?(stage: Stage): Promise<void>;
  /** Starts the fault, lets it last, and returns what ends it. */
  strike(stage: Stage, world: World): Promise<() => Promise<void>>;
  /** Performs additional checks. @param exchanges that began while the fault lasted. */
  check?(stage: Stage, world: World, exchanges: readonly Exchange[]): Promise<Violation[]>;
  /** Runs after everything else. */
  tidy?(stage: Stage): Promise<void>;
}
