/** Where answers of upstreams differ from their descriptors, in the dashboard: place, type and how often. */

import { ADMIN_PATH, type DashboardParts, type Page } from '../../base/dashboard/pages.ts';
import { moment, table, toolLink } from '../../base/dashboard/parts.ts';
import { badge } from '../../base/pages/components.ts';
import { html } from '../../base/pages/html.ts';
import type { Core } from '../../module.ts';
import { listDrift } from './tallies.ts';

const PATH = '/drift';
const DAY_MS = 86_400_000;
const DAYS = 30;
const MAX_ROWS = 200;

/** A page of all differences, and where the page of all tools points to it. */
export function driftParts({ store: { db }, catalogue }: Pick<Core, 'store' | 'catalogue'>): DashboardParts {
  const pointer = html`
<a href="${ADMIN_PATH}${PATH}">Changed answers</a> differ from what a descriptor says.`;
  return { tools: { section: async () => pointer }, pages: [driftPage(db, catalogue)] };
}

const driftPage = (db: Core['store']['db'], catalogue: Core['catalogue']): Page => ({
  path: PATH,
  section: '/tools',
  async show({ now }) {
    const drifts = await listDrift(db, { since: now - DAYS * DAY_MS, limit: MAX_ROWS });
    const isCurrent = ({ tool, definition }: { tool: string; definition: string }) =>
      (catalogue.find(tool)?.tool.provenance?.definition ?? '') === definition;
    const content = html`<h1>Changed answers</h1>
<p>Answers of the last ${DAYS} days that differ from the descriptor of their service. Agents got these answers as text, without structured content. No values are kept.
<code>utg drift propose</code> writes the differences into an overlay of the descriptor, for review.</p>
${table(drifts, {
  caption: 'Changed answers',
  columns: {
    Tool: ({ tool }) => (catalogue.find(tool) === undefined ? html`<code>${tool}</code>` : toolLink(tool)),
    Place: ({ place }) => html`<code>${place === '' ? 'the whole answer' : place}</code>`,
    Found: ({ found }) => html`<code>${found}</code>`,
    'Refused by': ({ keyword }) => html`<code>${keyword}</code>`,
    Answers: ['number', ({ answers }) => answers],
    'Last day': ({ lastDay }) => moment(lastDay),
    State: ['state', (drift) => (isCurrent(drift) ? badge('open', 'warn') : badge('of an earlier definition'))],
  },
  empty: 'Every answer matched its descriptor.',
})}
${drifts.length === MAX_ROWS ? html`<p class="quiet">The ${MAX_ROWS} most frequent are shown.</p>` : null}`;
    return { title: 'Changed answers', content };
  },
});
