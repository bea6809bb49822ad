/**
 * Sums the calls of all partners in groups, for operators: who used what.
 *
 * Groups that name no user are summed from the daily tallies, all others from the call records. Both are read in slices of time, the newest
 * first, so that no statement keeps the process for long, and up to a number of rows.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { locksRows } from '../conflicts.ts';
import { isInRealm } from '../in-realm.ts';
import { callOrder, isOfUser } from '../repositories/calls/call-order.ts';
import { DURATION_BANDS_MS } from '../repositories/calls/call-tallies.ts';
import type { Executor } from '../schema.ts';
import { type CallCategory, sumInCategory } from './call-category.ts';
import type { CallTally, TimeSpan } from './call-statistics.ts';

/** Dimensions that calls can be grouped by. */
export const CALL_DIMENSIONS = ['day', 'partner', 'user', 'client', 'service', 'tool'] as const;
export type CallDimension = (typeof CALL_DIMENSIONS)[number];

/** Groups of calls without an OAuth client, and of calls whose client is no longer known. The brackets tell them from the id of a client. */
export const NO_CLIENT = {
  dashboard: '(dashboard)',
  minted: '(minted)',
  partner: '(partner)',
  removed: '(removed)',
} as const;

/** The calls that are summed; a call must match all that is given. */
export interface CallUsageFilter {
  /** Row id. */
  readonly partnerId?: string;
  /** Row id. */
  readonly userId?: string;
  readonly clientId?: string;
  readonly service?: string;
  readonly tool?: string;
  readonly realm?: Realm;
}

export interface CallUsageQuestion extends CallUsageFilter {
  /** Begins and ends at the beginning of a day. */
  readonly span: TimeSpan;
  /** At least one. */
  readonly by: readonly CallDimension[];
}

/** The sums of one group. */
export interface CallGroup extends CallTally {
  /** The values of the dimensions, in their order: row ids of partners and users; a day as the time of its beginning. */
  readonly key: readonly string[];
}

export interface CallUsage {
  /** In no order. */
  readonly groups: readonly CallGroup[];
  readonly total: CallTally;
  /** Calls before this time were not counted, although the question asks for them. Null if all were. */
  readonly countedSince: number | null;
}

/** Limits of one question. What they cut off are the oldest calls. */
export interface CallUsageLimits {
  /** Rows that are read. */
  readonly rows: number;
  /** Time after which no other slice is read, in milliseconds. */
  readonly ms: number;
  readonly groups: number;
  /** Records that one statement reads. Default: 50,000 on PostgreSQL; 10,000 on SQLite, where a statement keeps the process. */
  readonly sliceRows?: number;
}

export const CALL_USAGE_LIMITS: CallUsageLimits = { rows: 1_000_000, ms: 3_000, groups: 20_000 };
const DAY_MS = 86_400_000;

/** True if the question needs the records, because it is about users or clients, whom tallies do not name. */
export function needsRecords(question: CallUsageFilter & { readonly by: readonly CallDimension[] }): boolean {
  const { by, userId, clientId } = question;
  return userId !== undefined || clientId !== undefined || by.includes('user') || by.includes('client');
}

/** Sums the calls. Ends early, with what it has, when a limit is reached or the signal is aborted. */
export async function sumCallUsage(
  executor: Executor,
  question: CallUsageQuestion,
  limits: CallUsageLimits = CALL_USAGE_LIMITS,
  signal?: AbortSignal,
): Promise<CallUsage> {
  const source = needsRecords(question) ? RECORDS : TALLIES;
  const { since, until } = question.span;
  const groups = new Map<string, SumsInProgress>();
  const total = emptySums([]);
  const { sliceRows = locksRows(executor) ? 50_000 : 10_000 } = limits;
  const deadline = performance.now() + limits.ms;
  let rowsRead = 0;
  let end = until;
  const mayContinue = () =>
    rowsRead < limits.rows && groups.size < limits.groups && performance.now() < deadline && signal?.aborted !== true;
  while (end > since && mayContinue()) {
    const slice = await source.nextSlice(executor, question, { until: end, rows: sliceRows });
    for (const row of await sumSlice(executor, source, question, slice)) {
      const key = question.by.map((name) => String(row[name]));
      const group = groups.get(key.join('\n')) ?? emptySums(key);
      groups.set(key.join('\n'), group);
      for (const sums of [group, total]) addRow(sums, row);
    }
    rowsRead += slice.rows;
    end = slice.since;
    await nextTurn();
  }
  return { groups: [...groups.values()], total, countedSince: end > since ? end : null };
}

interface SumsInProgress {
  readonly key: readonly string[];
  calls: number;
  failed: number;
  waiting: number;
  readonly durations: number[];
}

function emptySums(key: readonly string[]): SumsInProgress {
  return { key, calls: 0, failed: 0, waiting: 0, durations: DURATION_BANDS_MS.map(() => 0) };
}

function addRow(sums: SumsInProgress, row: SliceRow): void {
  const band = Number(row.band);
  sums.calls += Number(row.calls);
  sums.failed += Number(row.failed);
  sums.waiting += Number(row.waiting);
  sums.durations[band] = (sums.durations[band] ?? 0) + Number(row.calls);
}

type Count = number | string | bigint;
type SliceRow = Readonly<Record<'band' | 'calls' | 'failed' | 'waiting', Count>> &
  Readonly<Partial<Record<CallDimension, Count>>>;

/** A table with calls, under the alias `r`. */
interface Source {
  readonly table: RawBuilder<unknown>;
  readonly band: RawBuilder<unknown>;
  /** Calls of one row. */
  readonly calls: RawBuilder<number>;
  readonly keys: Readonly<Record<CallDimension, RawBuilder<unknown>>>;
  /** SQL conditions: the calls of a row began in the span. */
  isWithin(executor: Executor, span: TimeSpan): RawBuilder<SqlBool>[];
  /** Returns the slice of time before `until` that one statement reads, and how many rows it has: about `rows`. */
  nextSlice(
    executor: Executor,
    question: CallUsageQuestion,
    at: { readonly until: number; readonly rows: number },
  ): Promise<TimeSpan & { readonly rows: number }>;
}

const SHARED_KEYS = {
  partner: sql`r.partner_id`,
  service: sql`r.service`,
  tool: sql`r.tool`,
};

const TALLIES: Source = {
  table: sql`call_tallies as r`,
  band: sql`r.band`,
  calls: sql<number>`r.calls`,
  keys: { ...SHARED_KEYS, day: sql`r.created_at`, user: sql`''`, client: sql`''` },
  isWithin: (_, { since, until }) => [sql`r.created_at >= ${since} and r.created_at < ${until}`],
  // A day of tallies has as many rows as there are combinations, however many calls there were.
  async nextSlice(executor, { span }, { until }) {
    const since = Math.max(span.since, until - DAY_MS);
    const { rows } = await executor
      .selectFrom('call_tallies')
      .select(({ fn }) => fn.countAll().as('rows'))
      .where('created_at', '>=', since)
      .where('created_at', '<', until)
      .executeTakeFirstOrThrow();
    return { since, until, rows: Number(rows) };
  },
};

const BANDS = DURATION_BANDS_MS.slice(0, -1).map((bound, band) => `when r.duration_ms < ${bound} then ${band}`);

const RECORDS: Source = {
  table: sql`call_records as r left join oauth_grants as g on g.id = r.grant_id`,
  band: sql`case ${sql.raw(BANDS.join(' '))} else ${sql.lit(BANDS.length)} end`,
  calls: sql<number>`1`,
  keys: {
    ...SHARED_KEYS,
    day: sql`r.created_at - r.created_at % ${sql.lit(DAY_MS)}`,
    user: sql`r.user_id`,
    client: sql`case when g.client_id is not null then g.client_id
      when r.token_id = 'dashboard' then ${sql.lit(NO_CLIENT.dashboard)}
      when r.grant_id is null then ${sql.lit(NO_CLIENT.minted)}
      when g.id is not null then ${sql.lit(NO_CLIENT.partner)}
      else ${sql.lit(NO_CLIENT.removed)} end`,
  },
  isWithin: (executor, { since, until }) => [callOrder(executor).since(since), callOrder(executor).until(until)],
  async nextSlice(executor, { span, userId }, { until, rows }) {
    const order = callOrder(executor);
    let query = executor
      .selectFrom('call_records as r')
      .select('r.created_at')
      .where(order.since(span.since))
      .where(order.until(until))
      .orderBy(order.by('desc'))
      .offset(rows - 1)
      .limit(1);
    if (userId !== undefined) query = query.where(isOfUser(executor, userId));
    const last = await query.executeTakeFirst();
    return { since: last === undefined ? span.since : Number(last.created_at), until, rows };
  },
};

async function sumSlice(
  executor: Executor,
  { table, band, calls, keys, isWithin }: Source,
  question: CallUsageQuestion,
  span: TimeSpan,
): Promise<readonly SliceRow[]> {
  const { by } = question;
  const countIn = (category: CallCategory) => sumInCategory(category, calls, sql.ref('r.outcome'));
  const conditions = [...isWithin(executor, span), ...conditionsOf(executor, question)];
  const groups = by.map((name) => sql`${keys[name]} as ${sql.ref(name)}`);
  const positions = sql.join([...by, 'band'].map((_, index) => sql.lit(index + 1)));
  const { rows } = await sql<SliceRow>`
    select ${sql.join([...groups, sql`${band} as band`])},
      sum(${calls}) as calls,
      ${countIn('failed')} as failed,
      ${countIn('waiting')} as waiting
    from ${table} where ${sql.join(conditions, sql` and `)} group by ${positions}`.execute(executor);
  return rows;
}

function conditionsOf(
  executor: Executor,
  { partnerId, userId, clientId, service, tool, realm }: CallUsageFilter,
): RawBuilder<SqlBool>[] {
  const conditions: RawBuilder<SqlBool>[] = [];
  if (partnerId !== undefined) conditions.push(sql`r.partner_id = ${partnerId}`);
  if (userId !== undefined) conditions.push(isOfUser(executor, userId));
  if (clientId !== undefined) conditions.push(sql`g.client_id = ${clientId}`);
  if (service !== undefined) conditions.push(sql`r.service = ${service}`);
  if (tool !== undefined) conditions.push(sql`r.tool = ${tool}`);
  if (realm !== undefined) conditions.push(isInRealm(realm, 'r.partner_id'));
  return conditions;
}
