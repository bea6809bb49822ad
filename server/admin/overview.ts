/** The front page of the dashboard: connections, calls, errors and latencies, now and over time. */

import { type Html, html } from '../pages/html.ts';
import {
  type CallTally,
  countFailures,
  durationQuantile,
  tallyCallsByTool,
  tallyCallsOverTime,
} from '../store/reports/call-statistics.ts';
import { countConnections, countConnectionsOverTime, countTotals } from '../store/reports/overview.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from './request.ts';
import { chart } from './view/chart.ts';
import { table } from './view/parts.ts';

const HOUR_MS = 3_600_000;

/** What the page can look back on, in slices of equal length that end with the one at hand. */
const RANGES = {
  hours: { name: 'Last 24 hours', slices: 24, sliceMs: HOUR_MS },
  week: { name: 'Last 7 days', slices: 28, sliceMs: 6 * HOUR_MS },
  month: { name: 'Last 30 days', slices: 30, sliceMs: 24 * HOUR_MS },
} as const;

type RangeName = keyof typeof RANGES;

const MAX_TOOLS = 10;
const MAX_FAILURES = 8;

export async function showOverview({ deps, now, query }: OperatorRequest): Promise<AdminPage> {
  const { db } = deps;
  const asked = query('range');
  const range: RangeName = asked !== null && Object.hasOwn(RANGES, asked) ? (asked as RangeName) : 'hours';
  const { slices, sliceMs, name } = RANGES[range];
  const until = (Math.floor(now / sliceMs) + 1) * sliceMs;
  const span = { since: until - slices * sliceMs, until };

  const totals = await countTotals(db, now);
  const connections = await countConnections(db);
  const connectionsOverTime = await countConnectionsOverTime(db, span, slices);
  const overTime = await tallyCallsOverTime(db, span, slices);
  const tools = await tallyCallsByTool(db, span);
  const failures = await countFailures(db, span, MAX_FAILURES);

  const calls = overTime.reduce((sum, slice) => sum + slice.calls, 0);
  const errors = overTime.reduce((sum, slice) => sum + slice.errors, 0);
  const attention = sumOf(connections.filter(({ status }) => status === 'attention'));
  const connected = sumOf(connections);
  const labels = Array.from({ length: slices }, (_, slice) => labelOf(span.since + slice * sliceMs, range));

  const content = html`<h1>Overview</h1>
${ranges(range)}
<dl class="figures">
${figure('Connections', connected)}${figure('Need attention', attention)}${figure('Users', totals.users)}${figure('Partners', totals.partners)}
${figure('Clients', totals.clients)}${figure('Live tokens', totals.liveTokens)}${figure('Tool calls', calls)}${figure('Failed', percent(errors, calls))}
</dl>
<div class="cards">
${chart({
  title: 'Tool calls',
  kind: 'columns',
  labels,
  series: [
    { name: 'answered', color: 1, values: overTime.map((slice) => slice.calls - slice.errors) },
    { name: 'failed', color: 2, values: overTime.map((slice) => slice.errors) },
  ],
})}
${chart({
  title: 'Share of calls that failed',
  kind: 'lines',
  labels,
  unit: ' %',
  series: [{ name: 'failed', color: 2, values: overTime.map((slice) => share(slice.errors, slice.calls)) }],
})}
${chart({
  title: 'Latency',
  kind: 'lines',
  labels,
  unit: ' ms',
  series: [
    { name: 'median', color: 3, values: overTime.map((slice) => durationQuantile(slice, 0.5)) },
    { name: '95 % stay below', color: 2, values: overTime.map((slice) => durationQuantile(slice, 0.95)) },
  ],
})}
${chart({
  title: 'Connections',
  kind: 'lines',
  labels,
  series: [{ name: 'that exist today, by when they were made', color: 1, values: connectionsOverTime }],
})}
</div>
<h2>Connections by service</h2>
${connectionTable(connections, (service) => deps.catalogue.findConnector(service)?.title ?? service)}
<h2>Most called tools <small class="quiet">${name}</small></h2>
${toolTable(tools)}
<h2>Most frequent failures <small class="quiet">${name}</small></h2>
${table(
  'Most frequent failures',
  [{ name: 'Service' }, { name: 'Outcome' }, { name: 'Calls', kind: 'number' }],
  failures.map(({ service, outcome, calls: times }) => [service, html`<code>${outcome}</code>`, times]),
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

function figure(term: string, value: string | number): Html {
  return html`<div><dt>${term}</dt><dd>${value}</dd></div>`;
}

function connectionTable(
  connections: Awaited<ReturnType<typeof countConnections>>,
  titleOf: (service: string) => string,
): Html {
  const services = [...new Set(connections.map(({ service }) => service))];
  const count = (service: string, status: string) =>
    sumOf(connections.filter((row) => row.service === service && row.status === status));
  return table(
    'Connections by service',
    [{ name: 'Service' }, { name: 'Active', kind: 'number' }, { name: 'Need attention', kind: 'number' }],
    services.map((service) => [titleOf(service), count(service, 'active'), count(service, 'attention')]),
    'Nobody has connected a service yet.',
  );
}

function toolTable(tools: readonly (CallTally & { readonly tool: string })[]): Html {
  const ms = (value: number | null) => (value === null ? '–' : `${value} ms`);
  return table(
    'Most called tools',
    [
      { name: 'Tool' },
      { name: 'Calls', kind: 'number' },
      { name: 'Failed', kind: 'number' },
      { name: 'Median', kind: 'number' },
      { name: '95 % below', kind: 'number' },
    ],
    tools
      .slice(0, MAX_TOOLS)
      .map((tally) => [
        html`<a href="${ADMIN_PATH}/tools/${tally.tool}"><code>${tally.tool}</code></a>`,
        tally.calls,
        percent(tally.errors, tally.calls),
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
