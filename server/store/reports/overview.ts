/** Counts of what the store holds, for operators. */

import { sql } from 'kysely';
import type { ConnectionStatus, Executor } from '../schema.ts';
import type { TimeSpan } from './call-statistics.ts';

/** Rows that are there now. */
interface Totals {
  readonly partners: number;
  readonly users: number;
  readonly clients: number;
  /** Access tokens that are valid now. */
  readonly liveTokens: number;
}

export async function countTotals(executor: Executor, now: number): Promise<Totals> {
  const count = (table: 'partners' | 'users' | 'oauth_clients') =>
    executor.selectFrom(table).select(({ fn }) => fn.countAll().as('rows'));
  const live = executor
    .selectFrom('access_tokens as t')
    .leftJoin('oauth_grants as g', 'g.id', 't.grant_id')
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('t.expires_at', '>', now)
    .where('t.revoked_at', 'is', null)
    .where('g.revoked_at', 'is', null);
  const queries = [count('partners'), count('users'), count('oauth_clients'), live];
  const [partners = 0, users = 0, clients = 0, liveTokens = 0] = await Promise.all(
    queries.map(async (query) => Number((await query.executeTakeFirstOrThrow()).rows)),
  );
  return { partners, users, clients, liveTokens };
}

/** Connections by service and status, by service. */
export async function countConnections(
  executor: Executor,
): Promise<{ readonly service: string; readonly status: ConnectionStatus; readonly connections: number }[]> {
  const rows = await executor
    .selectFrom('connections')
    .select(['service', 'status', ({ fn }) => fn.countAll().as('connections')])
    .groupBy(['service', 'status'])
    .orderBy('service')
    .orderBy('status')
    .execute();
  return rows.map((row) => ({ ...row, connections: Number(row.connections) }));
}

/** How many of the connections that are there now were there at the end of each of `count` slices. */
export async function countConnectionsOverTime(executor: Executor, span: TimeSpan, count: number): Promise<number[]> {
  const sliceMs = (span.until - span.since) / count;
  const slice = sql<number>`case when created_at < ${sql.lit(span.since)} then -1
    else cast(floor((created_at - ${sql.lit(span.since)}) / ${sql.lit(sliceMs)}) as integer) end`;
  const rows = await executor
    .selectFrom('connections')
    .select([slice.as('slice'), ({ fn }) => fn.countAll().as('made')])
    .where('created_at', '<', span.until)
    .groupBy('slice')
    .execute();
  const made = new Map(rows.map((row) => [Number(row.slice), Number(row.made)]));
  let sum = made.get(-1) ?? 0;
  return Array.from({ length: count }, (_, index) => {
    sum += made.get(index) ?? 0;
    return sum;
  });
}
