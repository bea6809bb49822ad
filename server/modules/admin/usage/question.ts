/** The question of the usage page as its address holds it, and the answer with names. */

import { parametersOf, withoutNulls } from '../../../base/dashboard/list.ts';
import { RunQueue } from '../../../base/limits/run-queue.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import { type CallTally, durationQuantile, type TimeSpan } from '../../../base/store/reports/call-statistics.ts';
import {
  CALL_DIMENSIONS,
  CALL_USAGE_LIMITS,
  type CallDimension,
  type CallGroup,
  type CallUsageQuestion,
  needsRecords,
  sumCallUsage,
} from '../../../base/store/reports/call-usage.ts';
import { type FoundName, findNames, type NamedKind } from '../../../base/store/reports/names.ts';
import { CALL_TALLY_DAYS } from '../../../base/store/retention.ts';
import type { AdminRequest } from '../context.ts';
import { toRealm, toTime } from '../pages/links.ts';

const DAY_MS = 86_400_000;

/** The dimension without `by`. Its sums need no call records. */
export const DEFAULT_DIMENSION: CallDimension = 'partner';
const DEFAULT_DAYS = 7;

/** `by` and `and` are dimensions, `from` and `to` days (UTC), `days` a number of days that end today; `partner` and `user` are row ids. */
const USAGE_PARAMETERS = [
  'by',
  'and',
  'from',
  'to',
  'days',
  'realm',
  'partner',
  'user',
  'client',
  'service',
  'tool',
] as const;
export type UsageParameters = Readonly<Record<(typeof USAGE_PARAMETERS)[number], string | null>>;

/** A question as it was understood. */
export interface UsageQuestion {
  /** Those of the address. */
  readonly parameters: UsageParameters;
  readonly asked: CallUsageQuestion;
  /** Days that are kept of what the question needs. */
  readonly keptDays: number;
  /** The parameter that names no dimension. Null if each does. */
  readonly unknownDimension: 'by' | 'and' | null;
}

/** Reads the question. Days that are not valid, or not kept, are not asked for; an unknown dimension is left out. */
export function readUsageQuestion({ query, now, deps }: AdminRequest): UsageQuestion {
  const parameters = parametersOf(query, USAGE_PARAMETERS);
  const first = toDimension(parameters.by ?? DEFAULT_DIMENSION);
  const second = toDimension(parameters.and);
  const by = [first ?? DEFAULT_DIMENSION];
  if (second !== null && second !== by[0]) by.push(second);
  const filter = toFilter(parameters);
  const keptDays = needsRecords({ ...filter, by }) ? Math.min(deps.callRecordDays, CALL_TALLY_DAYS) : CALL_TALLY_DAYS;
  let unknownDimension: UsageQuestion['unknownDimension'] = null;
  if (first === null) unknownDimension = 'by';
  else if (parameters.and !== null && second === null) unknownDimension = 'and';
  return {
    parameters,
    asked: { ...filter, by, span: readDays(parameters, now, keptDays) },
    keptDays,
    unknownDimension,
  };
}

function toDimension(text: string | null): CallDimension | null {
  return CALL_DIMENSIONS.find((name) => name === text) ?? null;
}

function toFilter({ partner, user, client, service, tool, realm }: UsageParameters) {
  return withoutNulls({ partnerId: partner, userId: user, clientId: client, service, tool, realm: toRealm(realm) });
}

function readDays({ from, to, days }: UsageParameters, now: number, keptDays: number): TimeSpan {
  const today = toDay(now);
  const earliest = today - (keptDays - 1) * DAY_MS;
  const within = (day: number) => Math.min(Math.max(day, earliest), today);
  const last = within(toDay(toTime(to) ?? now));
  const count = /^[1-9]\d{0,2}$/.test(days ?? '') ? Number(days) : DEFAULT_DAYS;
  const first = within(toDay(toTime(from) ?? last - (count - 1) * DAY_MS));
  return { since: Math.min(first, last), until: last + DAY_MS };
}

function toDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

/** One group of calls. */
export interface UsageRow extends CallTally {
  readonly values: readonly UsageValue[];
}

/** The value of one dimension. */
export interface UsageValue {
  readonly dimension: CallDimension;
  /** As the question filters by it; a day such as `2026-01-31`. */
  readonly id: string;
  /** Null if it has none, or was removed. */
  readonly name: string | null;
  /** As in `FoundName`. */
  readonly testOf: string | null;
}

export interface UsageAnswer {
  readonly total: CallTally;
  /** As in `CallUsage`. */
  readonly countedSince: number | null;
  /** The largest groups first, or the newest days. */
  readonly rows: readonly UsageRow[];
  /** Number of groups that are not in `rows`. */
  readonly leftOut: number;
}

/** Answers at one process wait for one another, because each may read many rows. */
const ANSWERS = new RunQueue(2);

/**
 * Answers the question, until the client disconnects.
 *
 * @param limits.rows of the answer. @param limits.ms for which calls are counted.
 * @throws {PageError} 429 if too many answers wait.
 */
export async function answerUsage(
  { ctx, deps, session }: AdminRequest,
  { asked }: UsageQuestion,
  limits: { readonly rows: number; readonly ms: number },
): Promise<UsageAnswer> {
  const abort = new AbortController();
  ctx.res.once('close', () => abort.abort());
  const permit = await ANSWERS.take(session.id, abort.signal);
  if (permit === null) throw tooMany();
  try {
    const usage = await sumCallUsage(deps.db, asked, { ...CALL_USAGE_LIMITS, ms: limits.ms }, abort.signal);
    const sorted = usage.groups.toSorted(asked.by[0] === 'day' ? byDay : byCalls);
    return {
      total: usage.total,
      countedSince: usage.countedSince,
      rows: await withNames(deps.db, asked.by, sorted.slice(0, limits.rows)),
      leftOut: Math.max(0, sorted.length - limits.rows),
    };
  } finally {
    permit.end();
  }
}

function byCalls(a: CallGroup, b: CallGroup): number {
  return b.calls - a.calls || compareKeys(a, b);
}

function byDay(a: CallGroup, b: CallGroup): number {
  return Number(b.key[0]) - Number(a.key[0]) || byCalls(a, b);
}

function compareKeys(a: CallGroup, b: CallGroup): number {
  return a.key.join('\n') < b.key.join('\n') ? -1 : 1;
}

async function withNames(
  db: AdminRequest['deps']['db'],
  by: readonly CallDimension[],
  groups: readonly CallGroup[],
): Promise<UsageRow[]> {
  const columns: (readonly UsageValue[])[] = [];
  for (const [index, dimension] of by.entries()) {
    const ids = groups.map(({ key }) => key[index] ?? '');
    const names = isNamed(dimension) ? await findNames(db, dimension, [...new Set(ids)]) : new Map();
    columns.push(ids.map((id) => toValue(dimension, id, names)));
  }
  return groups.map((group, row) => ({ ...group, values: columns.flatMap((column) => column[row] ?? []) }));
}

function isNamed(dimension: CallDimension): dimension is NamedKind {
  return dimension === 'partner' || dimension === 'user' || dimension === 'client';
}

function toValue(dimension: CallDimension, id: string, names: ReadonlyMap<string, FoundName>): UsageValue {
  if (dimension === 'day')
    return { dimension, id: new Date(Number(id)).toISOString().slice(0, 10), name: null, testOf: null };
  const { name = null, testOf = null } = names.get(id) ?? {};
  return { dimension, id, name, testOf };
}

/** Half of the calls, and 95 of 100, took no longer, as far as bands of durations say. Null without calls. */
export function durationsOf(tally: CallTally): { readonly p50: number | null; readonly p95: number | null } {
  return { p50: durationQuantile(tally, 0.5), p95: durationQuantile(tally, 0.95) };
}

function tooMany(): PageError {
  return new PageError(429, {
    title: 'Too many questions at once',
    text: 'The gateway is counting calls for others.',
    advice: 'Reload this page in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
