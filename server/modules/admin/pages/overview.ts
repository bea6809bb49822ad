/** The front page of the dashboard: connections, calls, errors and latencies, now and over time. */

import { address, type Parameters, searchForm } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { figure, moment, table, toolLink } from '../../../base/dashboard/parts.ts';
import { caution } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Realm } from '../../../base/realm.ts';
import {
  type CallSpan,
  type CallTally,
  countFailures,
  durationQuantile,
  tallyCallsByTool,
  tallyCallsOverTime,
} from '../../../base/store/reports/call-statistics.ts';
import { countConnections, countConnectionsOverTime, countTotals } from '../../../base/store/reports/overview.ts';
import { countAccess } from '../../../base/store/repositories/live-access.ts';
import { readWritingStopped } from '../../../base/store/repositories/switches.ts';
import { type AdminPage, type AdminRequest, moduleSectionsOf, titleOf } from '../context.ts';
import { chart, type SliceClock } from '../view/chart.ts';
import { checklist } from '../view/checklist.ts';
import { callsAddress, REALM_FILTERS, readRealm, realmField, toField, toTime } from './links.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Number of slices of a time that was typed. */
const TYPED_SLICES = 24;
const MAX_TYPED_DAYS = 400;

/** The time ranges of the page, in slices of equal length that end with the current one. */
const RANGES = {
  hour: { name: 'Last hour', slices: 12, sliceMs: 5 * MINUTE_MS },
  hours: { name: 'Last 24 hours', slices: 24, sliceMs: HOUR_MS },
  week: { name: 'Last 7 days', slices: 28, sliceMs: 6 * HOUR_MS },
  month: { name: 'Last 30 days', slices: 30, sliceMs: 24 * HOUR_MS },
} as const;

type RangeName = keyof typeof RANGES;

/** The time that the page shows, divided into slices. */
interface TimeRange {
  /** Null for a time that was typed. */
  readonly range: RangeName | null;
  readonly name: string;
  /** With the realm that is counted, if it is not both. */
  readonly span: CallSpan;
  readonly clock: SliceClock;
  /** Labels of the slices. */
  readonly labels: readonly string[];
}

const CONNECTIONS = `${ADMIN_PATH}/connections`;
/** Longer times are not compared with the time before: that would count twice as many calls for one page. */
const MAX_COMPARED_MS = 24 * HOUR_MS;
const MAX_TOOLS = 10;
const MAX_FAILURES = 8;

export const OVERVIEW: AdminPage = {
  path: '/',
  section: '',
  async show(request) {
    const { deps } = request;
    const timeRange = readTimeRange(request);
    const { span, clock, labels } = timeRange;
    const calls = await tallyCallsOverTime(deps.db, span, labels.length, clock.step);
    const since = html`<small class="quiet">${timeRange.name}</small>`;
    const stoppedAt = await readWritingStopped(deps.db);
    const { realm = null } = span;
    const linkToConnections = (slice: number) =>
      address(CONNECTIONS, { realm, to: toField(sliceOf(timeRange, slice).until) });
    const content = html`<h1>Overview</h1>
${stoppedAt === null ? null : caution('Writing is stopped', html`Since ${moment(stoppedAt)}, no call writes, deletes, sends or pays. <code>utg writes resume</code> ends that.`)}
${await checklist(request)}
${rangeForm(request, timeRange)}
${await tiles(request, span, calls)}
<div class="cards">
${callCharts(calls, timeRange)}
${chart({
  title: 'Connections',
  kind: 'lines',
  labels,
  clock,
  axis: 'connections',
  linkOf: linkToConnections,
  series: [
    {
      name: 'Current connections by date created',
      color: 1,
      values: await countConnectionsOverTime(deps.db, span, labels.length, clock.step),
    },
  ],
})}
</div>
<h2>Connections by service</h2>
${await connectionTable(request, realm)}
<h2>Most called tools ${since}</h2>
${toolTable(await tallyCallsByTool(deps.db, span), span)}
<h2>Most frequent failures ${since}</h2>
${table(await countFailures(deps.db, span, MAX_FAILURES), {
  caption: 'Most frequent failures',
  columns: {
    Service: ({ service }) => titleOf(deps, service),
    Outcome: ({ outcome }) => html`<code>${outcome}</code>`,
    Calls: [
      'number',
      ({ service, outcome, calls }) => html`<a href="${callsAddress({ service, outcome, span })}">${figure(calls)}</a>`,
    ],
  },
  empty: 'No call has failed.',
})}${await moduleSectionsOf('overview', request, null)}`;
    return { title: 'Overview', content };
  },
};

function readTimeRange({ now, query }: AdminRequest): TimeRange {
  const realm = readRealm(query);
  const from = toTime(query('from'));
  const to = toTime(query('to')) ?? now;
  if (from !== null && from < to && to - from <= MAX_TYPED_DAYS * 24 * HOUR_MS) {
    const sliceMs = Math.ceil((to - from) / TYPED_SLICES / MINUTE_MS) * MINUTE_MS;
    const slices = Math.ceil((to - from) / sliceMs);
    return inSlices({ range: null, name: 'The chosen time', since: from, until: to, sliceMs, slices, realm });
  }
  const rangeParameter = query('range');
  const range: RangeName =
    rangeParameter !== null && Object.hasOwn(RANGES, rangeParameter) ? (rangeParameter as RangeName) : 'hours';
  const { slices, sliceMs, name } = RANGES[range];
  const until = (Math.floor(now / sliceMs) + 1) * sliceMs;
  return inSlices({ range, name, since: until - slices * sliceMs, until, sliceMs, slices, realm });
}

interface RangeSlices {
  readonly range: TimeRange['range'];
  readonly name: string;
  /** Start of the first slice, in milliseconds since 1970. */
  readonly since: number;
  /** End of the last slice, which may be shorter than the others. */
  readonly until: number;
  readonly sliceMs: number;
  /** Number of slices. */
  readonly slices: number;
  /** Null for both realms. */
  readonly realm: Realm | null;
}

function inSlices({ range, name, since, until, sliceMs, slices, realm }: RangeSlices): TimeRange {
  const [from, to] = labelRangeOf(slices * sliceMs, sliceMs);
  const labelOf = (time: number) => new Date(time).toISOString().replace('T', ' ').slice(from, to);
  return {
    range,
    name,
    span: { since, until, realm: realm ?? undefined },
    clock: { since, step: sliceMs, labelRange: [from, to] },
    labels: Array.from({ length: slices }, (_, slice) => labelOf(since + slice * sliceMs)),
  };
}

/** Returns the part of `2026-11-24 14:30:00` that labels show: the time, the day and hour, or the day. */
function labelRangeOf(spanMs: number, sliceMs: number): readonly [from: number, to: number] {
  if (spanMs <= 2 * 24 * HOUR_MS) return [11, 16];
  return sliceMs < 24 * HOUR_MS ? [5, 13] : [5, 10];
}

function sliceOf({ clock, span }: TimeRange, slice: number): CallSpan {
  const since = clock.since + slice * clock.step;
  return { ...span, since, until: Math.min(since + clock.step, span.until) };
}

function rangeForm({ query }: AdminRequest, { range: current, span }: TimeRange): Html {
  const rangeLinks = Object.entries(RANGES).map(
    ([range, { name }]) => [name, { range, from: null, to: null }] as const,
  );
  const fieldValueOf = (name: string) => (current === null ? query(name) : null);
  const time = { type: 'datetime-local', folded: true } as const;
  return searchForm(
    ADMIN_PATH,
    [
      { name: 'from', label: 'From (UTC)', value: fieldValueOf('from'), ...time },
      { name: 'to', label: 'Before (UTC)', value: fieldValueOf('to'), ...time },
      realmField(span.realm ?? null),
    ],
    {
      hiddenParameters: { range: current },
      quickFilters: { ...Object.fromEntries(rangeLinks), ...REALM_FILTERS },
      button: 'Show',
    },
  );
}

/** Sums the calls of the same length of time just before. Null if the time is too long to be compared. */
async function sumBefore({ db }: AdminRequest['deps'], span: CallSpan): Promise<CallTally | null> {
  const { since, until } = span;
  if (until - since > MAX_COMPARED_MS) return null;
  const [before = null] = await tallyCallsOverTime(db, { ...span, since: since - (until - since), until: since }, 1);
  return before;
}

function comparison(count: number, before: number | undefined): string | undefined {
  if (before === undefined) return undefined;
  if (count === before) return 'as many as before';
  return count > before ? `${figure(count - before)} more than before` : `${figure(before - count)} fewer than before`;
}

/** Returns the counts, first those that may need the operator, each with a link to the page that lists it. */
async function tiles({ deps, now }: AdminRequest, span: CallSpan, slices: readonly CallTally[]): Promise<Html> {
  const { db } = deps;
  const { realm } = span;
  const before = await sumBefore(deps, span);
  const totals = await countTotals(db, now, realm);
  const access = await countAccess(db, realm === undefined ? {} : { realm }, now);
  const connections = await countConnections(db, realm);
  const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
  const failed = slices.reduce((sum, slice) => sum + slice.failed, 0);
  const waiting = slices.reduce((sum, slice) => sum + slice.waiting, 0);
  const attention = sumOf(connections.filter(({ status }) => status === 'attention'));
  const listOf = (path: string, parameters: Parameters = {}) =>
    address(ADMIN_PATH + path, { ...parameters, realm: realm ?? null });
  const counts: readonly (readonly [term: string, count: number, path: string, ...remarks: (string | undefined)[]])[] =
    [
      [
        'Failed',
        failed,
        callsAddress({ outcome: 'failed', span }),
        percent(failed, calls),
        comparison(failed, before?.failed),
      ],
      ['Waiting for users', waiting, callsAddress({ outcome: 'waiting', span }), comparison(waiting, before?.waiting)],
      ['Need attention', attention, listOf('/connections', { status: 'attention' })],
      ['Tool calls', calls, callsAddress({ span }), comparison(calls, before?.calls)],
      ['Connections', sumOf(connections), listOf('/connections')],
      ['Users', totals.users, listOf('/users')],
      ['Clients', totals.clients, listOf('/clients')],
      ['Live grants', access.grants, listOf('/grants')],
    ];
  return html`<dl class="figures">${counts.map(
    ([term, count, path, ...remarks]) =>
      html`<div><dt>${term}</dt><dd><a href="${path}">${figure(count)}</a>${remarks.map((remark) => (remark === undefined ? null : html` <small>${remark}</small>`))}</dd></div>`,
  )}</dl>`;
}

function callCharts(slices: readonly CallTally[], timeRange: TimeRange): readonly Html[] {
  const { labels, clock } = timeRange;
  const linkOf = (slice: number) => callsAddress({ span: sliceOf(timeRange, slice) });
  const linkToFailed = (slice: number) => callsAddress({ outcome: 'failed', span: sliceOf(timeRange, slice) });
  return [
    chart({
      title: 'Tool calls',
      kind: 'columns',
      labels,
      clock,
      linkOf,
      axis: 'calls',
      series: [
        {
          name: 'answered or denied',
          color: 1,
          values: slices.map(({ calls, failed, waiting }) => calls - failed - waiting),
        },
        { name: 'waiting', color: 3, values: slices.map(({ waiting }) => waiting) },
        { name: 'failed', color: 2, values: slices.map(({ failed }) => failed) },
      ],
    }),
    chart({
      title: 'Share of calls that failed',
      kind: 'lines',
      labels,
      clock,
      linkOf: linkToFailed,
      unit: '%',
      series: [{ name: 'failed', color: 2, values: slices.map(({ failed, calls }) => share(failed, calls)) }],
    }),
    chart({
      title: 'Latency',
      kind: 'lines',
      labels,
      clock,
      linkOf,
      unit: 'ms',
      series: [
        { name: 'median', color: 3, values: slices.map((slice) => durationQuantile(slice, 0.5)) },
        { name: 'p95', color: 2, values: slices.map((slice) => durationQuantile(slice, 0.95)) },
      ],
    }),
  ];
}

async function connectionTable({ deps }: AdminRequest, realm: Realm | null): Promise<Html> {
  const connections = await countConnections(deps.db, realm ?? undefined);
  const services = [...new Set(connections.map(({ service }) => service))];
  const count = (status: string) => (service: string) => {
    const rows = connections.filter((row) => row.service === service && row.status === status);
    return html`<a href="${address(CONNECTIONS, { service, status, realm })}">${figure(sumOf(rows))}</a>`;
  };
  return table(services, {
    caption: 'Connections by service',
    columns: {
      Service: (service) => titleOf(deps, service),
      Active: ['number', count('active')],
      'Need attention': ['number', count('attention')],
    },
    empty: 'No user has connected a service yet.',
  });
}

function toolTable(tools: readonly (CallTally & { readonly tool: string })[], span: CallSpan): Html {
  const ms = (value: number | null) => (value === null ? '–' : `${figure(value)} ms`);
  return table(tools.slice(0, MAX_TOOLS), {
    caption: 'Most called tools',
    columns: {
      Tool: ({ tool }) => toolLink(tool),
      Calls: ['number', ({ tool, calls }) => html`<a href="${callsAddress({ tool, span })}">${figure(calls)}</a>`],
      Failed: [
        'number',
        ({ tool, calls, failed }) =>
          html`<a href="${callsAddress({ tool, outcome: 'failed', span })}">${figure(failed)}</a> <small class="quiet">${percent(failed, calls)}</small>`,
      ],
      Median: ['number', (tally) => ms(durationQuantile(tally, 0.5))],
      p95: ['number', (tally) => ms(durationQuantile(tally, 0.95))],
    },
    empty: 'No tool was called in this time.',
  });
}

function sumOf(rows: readonly { readonly connections: number }[]): number {
  return rows.reduce((sum, { connections }) => sum + connections, 0);
}

/** Returns a share in percent, or null if the total is 0. */
function share(count: number, total: number): number | null {
  return total === 0 ? null : Math.round((1000 * count) / total) / 10;
}

function percent(count: number, total: number): string {
  const value = share(count, total);
  return value === null ? '–' : `${value} %`;
}
