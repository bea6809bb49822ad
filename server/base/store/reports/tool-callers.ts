/** Finds who calls tools by certain names, such as deprecated ones. */

import { sql } from 'kysely';
import { DAY_MS } from '../repositories/calls/call-tallies.ts';
import { columns } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { hasEveryIndex } from './call-search.ts';
import type { TimeSpan } from './call-statistics.ts';

/** Calls by one name. */
interface NameTally {
  readonly tool: string;
  readonly calls: number;
  /** Users who called. */
  readonly users: number;
}

/**
 * The part of a time span in which tools of these names were called, by days; empty if they were not.
 *
 * It spares SQLite, which has no index for it, all other records. PostgreSQL has one, and gets the span as it is.
 */
async function whenCalled(executor: Executor, names: readonly string[], span: TimeSpan): Promise<TimeSpan> {
  if (hasEveryIndex(executor)) return span;
  const { first, last } = await executor
    .selectFrom('call_tallies')
    .select(({ fn }) => [fn.min('created_at').as('first'), fn.max('created_at').as('last')])
    .where('created_at', '>', span.since - DAY_MS)
    .where('created_at', '<', span.until)
    .where('tool', 'in', names)
    .executeTakeFirstOrThrow();
  if (first === null || last === null) return { since: 0, until: 0 };
  return { since: Math.max(span.since, first), until: Math.min(span.until, last + DAY_MS) };
}

/** Calls for each of these names in a time span, unordered; names without calls are left out. */
export async function tallyCallsByName(
  executor: Executor,
  names: readonly string[],
  span: TimeSpan,
): Promise<NameTally[]> {
  if (names.length === 0) return [];
  const { since, until } = await whenCalled(executor, names, span);
  const rows = await executor
    .selectFrom('call_records')
    .select(['tool', ({ fn }) => fn.countAll().as('calls'), sql<number>`count(distinct user_id)`.as('users')])
    .where('tool', 'in', names)
    .where('created_at', '>=', since)
    .where('created_at', '<', until)
    .groupBy('tool')
    .execute();
  return rows.map(({ tool, calls, users }) => ({ tool, calls: Number(calls), users: Number(users) }));
}

interface LastCall {
  readonly tool: string;
  /** Null: the records of the last day that was counted are gone. */
  readonly last: number | string | null;
}

/** The last recorded call of each of these names, in milliseconds since 1970. */
export async function findLastCalls(
  executor: Executor,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const list = sql.join(names);
  const query = hasEveryIndex(executor)
    ? sql<LastCall>`select tool, max(created_at) as last from call_records where tool in (${list}) group by tool`
    : sql<LastCall>`
        select t.tool, (select r.created_at from call_records r
            where r.tool = t.tool and r.created_at >= t.day and r.created_at < t.day + ${sql.lit(DAY_MS)}
            order by r.created_at desc limit 1) as last
          from (select tool, max(created_at) as day from call_tallies where tool in (${list}) group by tool) t`;
  const { rows } = await query.execute(executor);
  return new Map(rows.flatMap(({ tool, last }) => (last === null ? [] : [[tool, Number(last)]])));
}

/** One user's calls by one name, through one client. */
export interface ToolCaller {
  readonly tool: string;
  /** Row id, and the name; null if the partner was removed. */
  readonly partnerId: string;
  readonly partnerName: string | null;
  /** Row id, and the partner's own name for the user; null if the user was removed. */
  readonly userId: string;
  readonly externalUserId: string | null;
  /** `client`: a registered client. `minted`: a token without a client. `ended`: the token expired over a day ago. */
  readonly through: 'client' | 'minted' | 'ended';
  readonly clientId: string | null;
  readonly clientName: string | null;
  readonly calls: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

/** The `limit` most recent callers of these names in a time span, latest first. */
export async function listToolCallers(
  executor: Executor,
  names: readonly string[],
  span: TimeSpan,
  limit: number,
): Promise<ToolCaller[]> {
  if (names.length === 0) return [];
  const { since, until } = await whenCalled(executor, names, span);
  const through = sql<ToolCaller['through']>`case when t.id is null then 'ended'
    when g.client_id is null then 'minted' else 'client' end`;
  const rows = await executor
    .selectFrom('call_records as r')
    .leftJoin('partners as p', 'p.id', 'r.partner_id')
    .leftJoin('users as u', 'u.id', 'r.user_id')
    .leftJoin('access_tokens as t', 't.id', 'r.token_id')
    .leftJoin('oauth_grants as g', 'g.id', 't.grant_id')
    .leftJoin('oauth_clients as c', 'c.client_id', 'g.client_id')
    .select([
      ...columns('r.tool', 'r.partner_id', 'r.user_id', 'u.external_user_id', 'g.client_id', 'c.client_name'),
      'p.name as partnerName',
      through.as('through'),
      ({ fn }) => fn.countAll().as('calls'),
      ({ fn }) => fn.max('r.created_at').as('lastAt'),
    ])
    .where('r.tool', 'in', names)
    .where('r.created_at', '>=', since)
    .where('r.created_at', '<', until)
    .groupBy(['r.tool', 'r.partner_id', 'p.name', 'r.user_id', 'u.external_user_id', through])
    .groupBy(['g.client_id', 'c.client_name'])
    .orderBy('lastAt', 'desc')
    .orderBy('r.tool')
    .orderBy('r.user_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls), lastAt: Number(row.lastAt) }));
}
