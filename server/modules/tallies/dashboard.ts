/** The counts of a tool, at the end of its page in the dashboard. */

import type { DashboardParts } from '../../base/dashboard/pages.ts';
import { figure, moment, table } from '../../base/dashboard/parts.ts';
import { type Html, html } from '../../base/pages/html.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ToolFace } from '../../contract/index.ts';
import { listDrift } from './drift.ts';
import { sumTallies } from './table.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

export function tallyParts({ db }: { readonly db: Executor }): DashboardParts {
  return {
    tool: { section: async ({ now }, tool) => html`${await drift(db, tool, now)}${await oldNames(db, tool, now)}` },
  };
}

async function drift(db: Executor, { name }: ToolFace, now: number): Promise<Html> {
  const drifts = await listDrift(db, { since: now - DAYS * DAY_MS, until: now, tool: name });
  return html`<h2>Answers that differ <small class="quiet">Last ${DAYS} days</small></h2>
<p>Where an answer differs from the descriptor of its service, agents get that part as text only. No values are kept.</p>
${table(drifts, {
  caption: 'Answers that differ',
  columns: {
    Place: ({ pointer }) => html`<code>${pointer === '' ? 'the whole answer' : pointer}</code>`,
    Found: ({ actualType: type }) => html`<code>${type}</code>`,
    Answers: ['number', ({ answers }) => figure(answers)],
    'Last day': ({ lastDay }) => moment(lastDay),
  },
  empty: 'Every answer matched its descriptor.',
})}`;
}

async function oldNames(db: Executor, { aliases = [] }: ToolFace, now: number): Promise<Html | null> {
  if (aliases.length === 0) return null;
  const sums = await sumTallies(db, 'old_name', { since: now - DAYS * DAY_MS, until: now });
  const calls = new Map(sums.map(({ key, count }) => [key, count]));
  return html`<h2>Old names <small class="quiet">Last ${DAYS} days</small></h2>
<p>Agents no longer see these names in lists. They still work until someone removes them from connector.yaml.</p>
${table(aliases, {
  caption: 'Old names',
  columns: {
    'Old name': ({ name }) => html`<code>${name}</code>`,
    Until: ({ until }) => html`<time datetime="${until}">${until} UTC</time>`,
    Calls: ['number', ({ name }) => figure(calls.get(name) ?? 0)],
  },
  empty: '',
})}`;
}
