/** When an OAuth client was last used, and what it called lately, for operators. */

import { sql } from 'kysely';
import type { Executor } from '../schema.ts';
import { callCategory } from './call-category.ts';

/** Grants and calls that are read of one client. */
const MAX_GRANTS = 5000;
const MAX_CALLS = 10_000;

export interface ClientUse {
  /** Time at which it last got tokens or called a tool, in milliseconds since 1970. Null if it never did. */
  readonly lastUsedAt: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly waiting: number;
  /** True if there are more calls than were counted. */
  readonly isCut: boolean;
}

/** Reads the use of a client under its newest grants. @param since counts calls from then on, in milliseconds since 1970. */
export async function findClientUse(executor: Executor, clientId: string, since: number): Promise<ClientUse> {
  const grants = sql`(select id from oauth_grants where client_id = ${clientId} order by id desc limit ${sql.lit(MAX_GRANTS)})`;
  const { rows: last } = await sql<{ tokensAt: number | string | null; calledAt: number | string | null }>`
    select max(tokens) as "tokensAt", max(calls) as "calledAt" from (
      select (select max(created_at) from refresh_tokens where grant_id = g.id) as tokens,
             (select max(created_at) from call_records where grant_id = g.id) as calls
        from ${grants} as g) as used`.execute(executor);
  const { rows } = await sql<{ outcome: string; calls: number | string }>`
    select outcome, count(*) as calls from (
      select outcome from call_records where grant_id in (select id from ${grants} as g) and created_at >= ${since}
       limit ${sql.lit(MAX_CALLS + 1)}) as counted
     group by outcome`.execute(executor);
  const uses = Object.values(last[0] ?? {}).filter((time) => time !== null);
  const countOf = (isCounted: (outcome: string) => boolean) =>
    rows.reduce((sum, { outcome, calls }) => (isCounted(outcome) ? sum + Number(calls) : sum), 0);
  const calls = countOf(() => true);
  return {
    lastUsedAt: uses.length === 0 ? null : Math.max(...uses.map(Number)),
    calls: Math.min(calls, MAX_CALLS),
    failed: countOf((outcome) => callCategory(outcome) === 'failed'),
    waiting: countOf((outcome) => callCategory(outcome) === 'waiting'),
    isCut: calls > MAX_CALLS,
  };
}
