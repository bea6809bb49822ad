/** Where answers of upstreams differ from their descriptors: place, type and how often. */

import { html } from '../../../base/pages/html.ts';
import { listDrift } from '../../../base/store/repositories/calls/drift-tallies.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { badge, moment, table } from '../view/parts.ts';

/** Path of the page, below the dashboard. */
export const DRIFT_PATH = '/drift';

const DAY_MS = 86_400_000;
const DAYS = 30;
const MAX_ROWS = 200;

export async function showDrift({ deps, now }: OperatorRequest): Promise<AdminPage> {
  const { db, catalogue } = deps;
  const drifts = await listDrift(db, { since: now - DAYS * DAY_MS, limit: MAX_ROWS });
  const rows = drifts.map(({ tool, definition, place, keyword, found, answers, lastDay }) => {
    const entry = catalogue.find(tool);
    const isCurrent = (entry?.tool.provenance?.definition ?? '') === definition;
    return [
      entry === undefined
        ? html`<code>${tool}</code>`
        : html`<a href="${ADMIN_PATH}/tools/${tool}"><code>${tool}</code></a>`,
      html`<code>${place === '' ? 'the whole answer' : place}</code>`,
      html`<code>${found}</code>`,
      html`<code>${keyword}</code>`,
      answers,
      moment(lastDay),
      isCurrent ? badge('open', 'warn') : badge('of an earlier definition'),
    ];
  });
  const content = html`<h1>Changed answers</h1>
<p>Answers of the last ${DAYS} days that differ from the descriptor of their service. Agents got these answers as text, without structured content. No values are kept.
<code>utg drift propose</code> writes the differences into an overlay of the descriptor, for review.</p>
${table(
  'Changed answers',
  [
    { name: 'Tool' },
    { name: 'Place' },
    { name: 'Found' },
    { name: 'Refused by' },
    { name: 'Answers', kind: 'number' },
    { name: 'Last day' },
    { name: 'State' },
  ],
  rows,
  'Every answer matched its descriptor.',
)}
${drifts.length === MAX_ROWS ? html`<p class="quiet">The ${MAX_ROWS} most frequent are shown.</p>` : null}`;
  return { title: 'Changed answers', section: '/tools', content };
}
