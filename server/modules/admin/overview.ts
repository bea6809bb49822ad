/** The front page of the dashboard: connections, calls, errors and latencies, now and over time. */

import { type Html, html } from '../../base/pages/html.ts';
import { FAILED } from '../../base/store/reports/call-search.ts';
import {
  type CallTally,
  countFailures,
  durationQuantile,
  type TimeSpan,
  tallyCallsByTool,
  tallyCallsOverTime,
} from '../../base/store/reports/call-statistics.ts';
import { countConnections, countConnectionsOverTime, countTotals } from '../../base/store/reports/overview.ts';
import { countAccess } from '../../base/store/repositories/live-access.ts';
import { callsAddress, toField } from './calls/search.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from './request.ts';
import { chart } from './view/chart.ts';
import { address } from './view/pager.ts';
import { figure, table } from './view/parts.ts';

const HOUR_MS = 3_600_000;

/** The time ranges of the page, in slices of equal length that end with the current one. */
const RANGES = {
  hours: { name: 'Last 24 hours', slices: 24, sliceMs: HOUR_MS },
  week: { name: 'Last 7 days', slices: 28, sliceMs: 6 * HOUR_MS },
  month: { name: 'Last 30 days', slices: 30, sliceMs: 24 * HOUR_MS },
} as const;

type RangeName = keyof typeof RANGES;

const CONNECTIONS = `${ADMIN_PATH}/connections`;
const MAX_TOOLS = 10;
const MAX_FAILURES = 8;

export async function showOverview({ deps, now, query }: OperatorRequest): Promise<AdminPage> {
  const { db } = deps;
  const titleOf = (service: string) => deps.catalogue.findConnector(service)?.title ?? service;
  const asked = query('range');
  const range: RangeName = asked !== null && Object.hasOwn(RANGES, asked) ? (asked as RangeName) : 'hours';
  const { slices, sliceMs, name } = RANGES[range];
  const until = (Math.floor(now / sliceMs) + 1) * sliceMs;
  const span = { since: until - slices * sliceMs, until };

  const totals = await countTotals(db);
  const access = await countAccess(db, {}, now);
  const connections = await countConnections(db);
  const connectionsOverTime = await countConnectionsOverTime(db, span, slices);
  const overTime = await tallyCallsOverTime(db, span, slices);
  const tools = await tallyCallsByTool(db, span);
  const failures = await countFailures(db, span, MAX_FAILURES);

  const calls = overTime.reduce((sum, slice) => sum + slice.calls, 0);
  const errors = overTime.reduce((sum, slice) => sum + slice.errors, 0);
  const attention = sumOf(connections.filter(({ status }) => status === 'attention'));
  const labels = Array.from({ length: slices }, (_, slice) => labelOf(span.since + slice * sliceMs, range));
  const connectionsOf = (slice: number) => address(CONNECTIONS, { to: toField(span.since + (slice + 1) * sliceMs) });
  const callsOf = (slice: number, outcome: string | null = null) => {
    const since = span.since + slice * sliceMs;
    return callsAddress({ outcome, span: { since, until: since + sliceMs } });
  };

  const content = html`<h1>Overview</h1>
${ranges(range)}
<dl class="figures">
${tile('Connections', sumOf(connections), CONNECTIONS)}${tile('Need attention', attention, `${CONNECTIONS}?status=attention`)}${tile('Users', totals.users, `${ADMIN_PATH}/users`)}${tile('Partners', totals.partners, `${ADMIN_PATH}/partners`)}
${tile('Clients', totals.clients, `${ADMIN_PATH}/clients`)}${tile('Live grants', access.grants, `${ADMIN_PATH}/grants`)}${tile('Tool calls', calls, callsAddress({ span }))}${tile('Failed', errors, callsAddress({ outcome: FAILED, span }), calls)}
</dl>
<div class="cards">
${chart({
  title: 'Tool calls',
  kind: 'columns',
  labels,
  axis: 'calls',
  series: [
    {
      name: 'answered',
      color: 1,
      values: overTime.map((slice) => slice.calls - slice.errors),
      linkOf: (slice) => callsOf(slice, 'ok'),
    },
    {
      name: 'failed',
      color: 2,
      values: overTime.map((slice) => slice.errors),
      linkOf: (slice) => callsOf(slice, FAILED),
    },
  ],
})}
${chart({
  title: 'Share of calls that failed',
  kind: 'lines',
  labels,
  unit: '%',
  series: [{ name: 'failed', color: 2, values: overTime.map((slice) => share(slice.errors, slice.calls)) }],
})}
${chart({
  title: 'Latency',
  kind: 'lines',
  labels,
  unit: 'ms',
  series: [
    { name: 'median', color: 3, values: overTime.map((slice) => durationQuantile(slice, 0.5)) },
    { name: 'p95', color: 2, values: overTime.map((slice) => durationQuantile(slice, 0.95)) },
  ],
})}
${chart({
  title: 'Connections',
  kind: 'lines',
  labels,
  axis: 'connections',
  series: [
    { name: 'that exist today, by creation time', color: 1, values: connectionsOverTime, linkOf: connectionsOf },
  ],
})}
</div>
<h2>Connections by service</h2>
${connectionTable(connections, titleOf)}
<h2>Most called tools <small class="quiet">${name}</small></h2>
${toolTable(tools, span)}
<h2>Most frequent failures <small class="quiet">${name}</small></h2>
${table(
  'Most frequent failures',
  [{ name: 'Service' }, { name: 'Outcome' }, { name: 'Calls', kind: 'number' }],
  failures.map(({ service, outcome, calls: times }) => [
    titleOf(service),
    html`<code>${outcome}</code>`,
    html`<a href="${callsAddress({ service, outcome, span })}">${figure(times)}</a>`,
  ]),
  'No call has failed.',
)}`;
  return { title: 'Overview', section: '', content };
}

function ranges(current: RangeName): Html {
  return html`<nav aria-label="Time"><ul>${(Object.keys(RANGES) as RangeName[]).map(
    (range) =>
      html`<li><a href="${ADMIN_PATH}?range=${range}"${range === current ? html` aria-current="page"` : null}>${RANGES[range].name}</a></li>`,
  )}</ul></nav>`;
}

/** A count with a link to what it counts. @param whole the total, to show the count's share of it. */
function tile(term: string, count: number, path: string, whole?: number): Html {
  const part = whole === undefined ? null : html` <small>${percent(count, whole)}</small>`;
  return html`<div><dt>${term}</dt><dd><a href="${path}">${figure(count)}</a>${part}</dd></div>`;
}

function connectionTable(
  connections: Awaited<ReturnType<typeof countConnections>>,
  titleOf: (service: string) => string,
): Html {
  const services = [...new Set(connections.map(({ service }) => service))];
  const count = (service: string, status: string) => {
    const rows = connections.filter((row) => row.service === service && row.status === status);
    return html`<a href="${address(CONNECTIONS, { service, status })}">${figure(sumOf(rows))}</a>`;
  };
  return table(
    'Connections by service',
    [{ name: 'Service' }, { name: 'Active', kind: 'number' }, { name: 'Need attention', kind: 'number' }],
    services.map((service) => [titleOf(service), count(service, 'active'), count(service, 'attention')]),
    'No user has connected a service yet.',
  );
}

function toolTable(tools: readonly (CallTally & { readonly tool: string })[], span: TimeSpan): Html {
  const ms = (value: number | null) => (value === null ? '–' : `${figure(value)} ms`);
  return table(
    'Most called tools',
    [
      { name: 'Tool' },
      { name: 'Calls', kind: 'number' },
      { name: 'Failed', kind: 'number' },
      { name: 'Median', kind: 'number' },
      { name: 'p95', kind: 'number' },
    ],
    tools
      .slice(0, MAX_TOOLS)
      .map((tally) => [
        html`<a href="${ADMIN_PATH}/tools/${tally.tool}"><code>${tally.tool}</code></a>`,
        html`<a href="${callsAddress({ tool: tally.tool, span })}">${figure(tally.calls)}</a>`,
        html`<a href="${callsAddress({ tool: tally.tool, outcome: FAILED, span })}">${figure(tally.errors)}</a> <small class="quiet">${percent(tally.errors, tally.calls)}</small>`,
        ms(durationQuantile(tally, 0.5)),
        ms(durationQuantile(tally, 0.95)),
      ]),
    'No tool was called in this time.',
  );
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
