/** The front page of the dashboard: connections, calls, errors and latencies, now and over time. */

import { address } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { figure, moment, table, toolLink } from '../../../base/dashboard/parts.ts';
import { caution } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { FAILED } from '../../../base/store/reports/call-search.ts';
import {
  type CallTally,
  countFailures,
  durationQuantile,
  type TimeSpan,
  tallyCallsByTool,
  tallyCallsOverTime,
} from '../../../base/store/reports/call-statistics.ts';
import { countConnections, countConnectionsOverTime, countTotals } from '../../../base/store/reports/overview.ts';
import { countAccess } from '../../../base/store/repositories/live-access.ts';
import { readWritingStopped } from '../../../base/store/repositories/switches.ts';
import { type AdminPage, type AdminRequest, addedTo, titleOf } from '../context.ts';
import { chart } from '../view/chart.ts';
import { callsAddress, toField } from './links.ts';

const HOUR_MS = 3_600_000;

/** The time ranges of the page, in slices of equal length that end with the current one. */
const RANGES = {
  hours: { name: 'Last 24 hours', slices: 24, sliceMs: HOUR_MS },
  week: { name: 'Last 7 days', slices: 28, sliceMs: 6 * HOUR_MS },
  month: { name: 'Last 30 days', slices: 30, sliceMs: 24 * HOUR_MS },
} as const;

type RangeName = keyof typeof RANGES;

/** The time that the page shows: a span, in slices. */
interface Shown {
  readonly range: RangeName;
  readonly span: TimeSpan;
  /** Labels of the slices. */
  readonly labels: readonly string[];
}

const CONNECTIONS = `${ADMIN_PATH}/connections`;
const MAX_TOOLS = 10;
const MAX_FAILURES = 8;

export const OVERVIEW: AdminPage = {
  path: '/',
  section: '',
  async show(request) {
    const { deps } = request;
    const shown = timeOf(request);
    const { range, span } = shown;
    const calls = await tallyCallsOverTime(deps.db, span, shown.labels.length);
    const since = html`<small class="quiet">${RANGES[range].name}</small>`;
    const stoppedAt = await readWritingStopped(deps.db);
    const content = html`<h1>Overview</h1>
${stoppedAt === null ? null : caution('Writing is stopped', html`Since ${moment(stoppedAt)}, no call writes, deletes, sends or pays. <code>utg writes resume</code> ends that.`)}
${ranges(range)}
${await tiles(request, span, calls)}
<div class="cards">
${callCharts(calls, shown)}
${chart({
  title: 'Connections',
  kind: 'lines',
  labels: shown.labels,
  axis: 'connections',
  series: [
    {
      name: 'that exist today, by creation time',
      color: 1,
      values: await countConnectionsOverTime(deps.db, span, shown.labels.length),
      linkOf: (slice) => address(CONNECTIONS, { to: toField(sliceOf(shown, slice).until) }),
    },
  ],
})}
</div>
<h2>Connections by service</h2>
${await connectionTable(request)}
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
})}${await addedTo('overview', request, null)}`;
    return { title: 'Overview', content };
  },
};

function timeOf({ now, query }: AdminRequest): Shown {
  const asked = query('range');
  const range: RangeName = asked !== null && Object.hasOwn(RANGES, asked) ? (asked as RangeName) : 'hours';
  const { slices, sliceMs } = RANGES[range];
  const until = (Math.floor(now / sliceMs) + 1) * sliceMs;
  const since = until - slices * sliceMs;
  const labels = Array.from({ length: slices }, (_, slice) => labelOf(since + slice * sliceMs, range));
  return { range, span: { since, until }, labels };
}

function sliceOf({ span, range }: Shown, slice: number): TimeSpan {
  const { sliceMs } = RANGES[range];
  const since = span.since + slice * sliceMs;
  return { since, until: since + sliceMs };
}

function ranges(current: RangeName): Html {
  return html`<nav aria-label="Time"><ul>${(Object.keys(RANGES) as RangeName[]).map(
    (range) =>
      html`<li><a href="${ADMIN_PATH}?range=${range}"${range === current ? html` aria-current="page"` : null}>${RANGES[range].name}</a></li>`,
  )}</ul></nav>`;
}

/** Counts, with links to what they count. */
async function tiles({ deps: { db }, now }: AdminRequest, span: TimeSpan, slices: readonly CallTally[]): Promise<Html> {
  const totals = await countTotals(db);
  const access = await countAccess(db, {}, now);
  const connections = await countConnections(db);
  const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
  const errors = slices.reduce((sum, slice) => sum + slice.errors, 0);
  const attention = sumOf(connections.filter(({ status }) => status === 'attention'));
  return html`<dl class="figures">
${tile('Connections', sumOf(connections), CONNECTIONS)}${tile('Need attention', attention, `${CONNECTIONS}?status=attention`)}${tile('Users', totals.users, `${ADMIN_PATH}/users`)}${tile('Partners', totals.partners, `${ADMIN_PATH}/partners`)}
${tile('Clients', totals.clients, `${ADMIN_PATH}/clients`)}${tile('Live grants', access.grants, `${ADMIN_PATH}/grants`)}${tile('Tool calls', calls, callsAddress({ span }))}${tile('Failed', errors, callsAddress({ outcome: FAILED, span }), calls)}
</dl>`;
}

/** A count with a link to what it counts. @param whole the total, to show the count's share of it. */
function tile(term: string, count: number, path: string, whole?: number): Html {
  const part = whole === undefined ? null : html` <small>${percent(count, whole)}</small>`;
  return html`<div><dt>${term}</dt><dd><a href="${path}">${figure(count)}</a>${part}</dd></div>`;
}

function callCharts(slices: readonly CallTally[], shown: Shown): Html {
  const { labels } = shown;
  const linkTo = (outcome: string) => (slice: number) => callsAddress({ outcome, span: sliceOf(shown, slice) });
  const answered = slices.map(({ calls, errors }) => calls - errors);
  const failed = slices.map(({ errors }) => errors);
  return html`${chart({
    title: 'Tool calls',
    kind: 'columns',
    labels,
    axis: 'calls',
    series: [
      { name: 'answered', color: 1, values: answered, linkOf: linkTo('ok') },
      { name: 'failed', color: 2, values: failed, linkOf: linkTo(FAILED) },
    ],
  })}
${chart({
  title: 'Share of calls that failed',
  kind: 'lines',
  labels,
  unit: '%',
  series: [{ name: 'failed', color: 2, values: slices.map(({ errors, calls }) => share(errors, calls)) }],
})}
${chart({
  title: 'Latency',
  kind: 'lines',
  labels,
  unit: 'ms',
  series: [
    { name: 'median', color: 3, values: slices.map((slice) => durationQuantile(slice, 0.5)) },
    { name: 'p95', color: 2, values: slices.map((slice) => durationQuantile(slice, 0.95)) },
  ],
})}`;
}

async function connectionTable({ deps }: AdminRequest): Promise<Html> {
  const connections = await countConnections(deps.db);
  const services = [...new Set(connections.map(({ service }) => service))];
  const count = (status: string) => (service: string) => {
    const rows = connections.filter((row) => row.service === service && row.status === status);
    return html`<a href="${address(CONNECTIONS, { service, status })}">${figure(sumOf(rows))}</a>`;
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

function toolTable(tools: readonly (CallTally & { readonly tool: string })[], span: TimeSpan): Html {
  const ms = (value: number | null) => (value === null ? '–' : `${figure(value)} ms`);
  return table(tools.slice(0, MAX_TOOLS), {
    caption: 'Most called tools',
    columns: {
      Tool: ({ tool }) => toolLink(tool),
      Calls: ['number', ({ tool, calls }) => html`<a href="${callsAddress({ tool, span })}">${figure(calls)}</a>`],
      Failed: [
        'number',
        ({ tool, calls, errors }) =>
          html`<a href="${callsAddress({ tool, outcome: FAILED, span })}">${figure(errors)}</a> <small class="quiet">${percent(errors, calls)}</small>`,
      ],
      Median: ['number', (tally) => ms(durationQuantile(tally, 0.5))],
      p95: ['number', (tally) => ms(durationQuantile(tally, 0.95))],
    },
    empty: 'No tool was called in this time.',
  });
}

function labelOf(time: number, range: RangeName): string {
  const iso = new Date(time).toISOString();
  if (range === 'hours') return iso.slice(11, 16);
  return range === 'week' ? `${iso.slice(5, 10)} ${iso.slice(11, 13)}h` : iso.slice(5, 10);
}

function sumOf(rows: readonly { readonly connections: number }[]): number {
  return rows.reduce((sum, { connections }) => sum + connections, 0);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((1000 * part) / whole) / 10;
}

function percent(part: number, whole: number): string {
  const value = share(part, whole);
  return value === null ? '–' : `${value} %`;
}
