/** Says how far the setup of a gateway is, for the operator of a new one. */

import { sql } from 'kysely';
import type { Executor } from '../schema.ts';

/** The parts of a setup that the store knows. */
export interface Setup {
  /** Encryption keys seal what is in the store. */
  readonly hasKeys: boolean;
  readonly hasPartner: boolean;
  readonly hasConnection: boolean;
  readonly hasCall: boolean;
}

export async function readSetup(executor: Executor): Promise<Setup> {
  const has = async (table: 'store_keys' | 'partners' | 'connections' | 'call_tallies') =>
    (await executor.selectFrom(table).select(sql.lit(1).as('one')).limit(1).execute()).length > 0;
  return {
    hasKeys: await has('store_keys'),
    hasPartner: await has('partners'),
    hasConnection: await has('connections'),
    // Tallies are kept longer than the records of calls.
    hasCall: await has('call_tallies'),
  };
}
