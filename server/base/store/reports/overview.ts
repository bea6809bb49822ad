/** Counts the rows of the store, and says how far its setup is, for operators. */

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { isInRealm, isUserInRealm } from '../in-realm.ts';
import { countRows, readAccountKey } from '../rows.ts';
import type { ConnectionStatus, Executor } from '../schema.ts';
import type { CallSpan } from './call-statistics.ts';
import { hasLiveGrants } from './client-list.ts';

/** Current row counts. */
interface Totals {
  readonly users: number;
  readonly clients: number;
}

/** @param realm counts only what belongs to it, and clients with live grants of its users. Default: everything. */
export async function countTotals(executor: Executor, now: number, realm?: Realm): Promise<Totals> {
  const count = async (table: 'users' | 'oauth_clients', condition?: RawBuilder<SqlBool>) => {
    let query = executor.selectFrom(table).select(({ fn }) => fn.countAll().as('rows'));
    if (condition !== undefined) query = query.where(condition);
    return Number((await query.executeTakeFirstOrThrow()).rows);
  };
  return {
    users: await count('users', realm && isInRealm(realm, 'partner_id')),
    clients: await count('oauth_clients', realm && hasLiveGrants(realm, now)),
  };
}

/** Counts connections by service and status, sorted by service. */
export async function countConnections(
  executor: Executor,
  realm?: Realm,
): Promise<{ readonly service: string; readonly status: ConnectionStatus; readonly connections: number }[]> {
  const rows = await executor
    .selectFrom('connections')
    .select(['service', 'status', ({ fn }) => fn.countAll().as('connections')])
    .$if(realm !== undefined, (query) => query.where(isUserInRealm(realm ?? 'live', 'user_id')))
    .groupBy(['service', 'status'])
    .orderBy('service')
    .orderBy('status')
    .execute();
  const sums = new Map<string, { service: string; status: ConnectionStatus; connections: number }>();
  for (const { service: slot, status, connections } of rows) {
    const { service } = readAccountKey(slot);
    const sum = (sums.get(`${service} ${status}`)?.connections ?? 0) + Number(connections);
    sums.set(`${service} ${status}`, { service, status, connections: sum });
  }
  return [...sums.values()];
}

/** Counts the connections of a partner's users. @param partnerId row id. */
export async function countConnectionsOfPartner(executor: Executor, partnerId: string): Promise<number> {
  const connections = executor.selectFrom('connections as c').innerJoin('users as u', 'u.id', 'c.user_id');
  return countRows(connections.where('u.partner_id', '=', partnerId));
}

/** For each of `count` slices, how many of today's connections existed at its end. @param sliceMs as in `tallyCallsOverTime`. */
export async function countConnectionsOverTime(
  executor: Executor,
  { since, until, realm }: CallSpan,
  count: number,
  sliceMs = (until - since) / count,
): Promise<number[]> {
  const slice = sql<number>`case when created_at < ${sql.lit(since)} then -1
    else cast(floor((created_at - ${sql.lit(since)}) / ${sql.lit(sliceMs)}) as integer) end`;
  const rows = await executor
    .selectFrom('connections')
    .select([slice.as('slice'), ({ fn }) => fn.countAll().as('made')])
    .where('created_at', '<', until)
    .$if(realm !== undefined, (query) => query.where(isUserInRealm(realm ?? 'live', 'user_id')))
    .groupBy('slice')
    .execute();
  const createdBySlice = new Map(rows.map((row) => [Number(row.slice), Number(row.made)]));
  let sum = createdBySlice.get(-1) ?? 0;
  return Array.from({ length: count }, (_, index) => {
    sum += createdBySlice.get(index) ?? 0;
    return sum;
  });
}

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
