/** The page Activity: calls in the name of the person. */

import { emptyState, foreign } from '../../../server/base/pages/components.ts';
import { type Html, html } from '../../../server/base/pages/html.ts';
import { exactPeriod } from '../../../server/base/pages/times.ts';
import { answerOrNull, type Schemas } from '../../partner/index.ts';
import type { PortalOutcome, PortalRequest } from '../request.ts';
import { pageQuery } from './api.ts';

const ENTRIES_PER_PAGE = 30;
const TOOLS_PER_ENTRY = 5;

/** `GET /activity` */
export async function showActivity(request: PortalRequest): Promise<PortalOutcome> {
  const { partner, person } = request;
  const cursor = request.query('before');
  const params = { path: { user_id: person.userId }, query: pageQuery(cursor, ENTRIES_PER_PAGE) };
  const answer = await answerOrNull(partner.GET('/api/partner/users/{user_id}/activity', { params }));
  const entries = answer?.activity ?? [];
  const content = html`<h1>Activity</h1>
<p class="quiet">Each line sums up the calls of one client within an hour. What was sent and what came back is not kept.</p>
${entries.length === 0 ? emptyState('Nothing was done in your name', html`<a href="/clients">Add an AI client</a>: its calls appear here.`) : html`<ul class="activity">${entries.map(line)}</ul>`}
${answer?.next == null ? null : html`<p><a href="/activity?before=${answer.next}" rel="next">Earlier activity</a></p>`}
${cursor === null ? null : html`<p><a href="/activity">Latest activity</a></p>`}`;
  return { title: 'Activity', content };
}

function line({ text, account_name: account, tools, first_at, last_at }: Schemas['Activity']): Html {
  const names = tools.slice(0, TOOLS_PER_ENTRY).map(({ title, calls }, index) => {
    const count = tools.length === 1 ? null : ` (${calls})`;
    return html`${index > 0 ? ', ' : null}${foreign(title)}${count}`;
  });
  const more = tools.length > TOOLS_PER_ENTRY ? `, and ${tools.length - TOOLS_PER_ENTRY} more` : null;
  return html`<li>${foreign(text)}, ${exactPeriod(Date.parse(first_at), Date.parse(last_at))}
<small>${account === undefined ? null : html`${foreign(account)} · `}${names}${more}</small></li>`;
}
