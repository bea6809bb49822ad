/** Calls in the user's name: the latest on the start page, all of them on another page. */

import { partnerNameOf } from '../../base/pages/brand.ts';
import { foreign } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { exactPeriod, relativeTime } from '../../base/pages/times.ts';
import { isCallKey } from '../../base/store/reports/call-search.ts';
import { type Activity, callerName, deedOf, listActivity } from '../../identity/grants/allowed/activity.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import type { Outcome, UserRequest } from './request.ts';
import { userPage } from './view.ts';

const ACTIVITY_PATH = `${USER_PAGE_PATH}/activity`;

const ENTRIES_ON_START_PAGE = 5;
const ENTRIES_PER_PAGE = 30;
const TOOLS_PER_ENTRY = 5;

const NOTE =
  'Each line sums up the calls of one client within an hour. What was sent and what came back is not kept, so it is not shown.';

/** Shows the latest entries, with a link to the rest. */
export async function latestActivity(request: UserRequest): Promise<Html> {
  const { deps, user } = request;
  const { entries, next } = await listActivity(deps.db, user, {
    catalogue: deps.catalogue,
    limit: ENTRIES_ON_START_PAGE,
    isExcerpt: true,
  });
  return html`<h2>Recent activity</h2>
${lines(entries, request, ({ lastAt }) => relativeTime(lastAt, request.now))}
${next === null ? null : html`<p><a href="${ACTIVITY_PATH}">All activity</a></p>`}`;
}

/** Lists calls, the latest first. An invalid place means the first page. */
export async function showActivity(request: UserRequest): Promise<Outcome> {
  const { deps, user } = request;
  const before = request.query('before') ?? '';
  const [createdAt, id = ''] = before.split('.');
  const after = isCallKey(before) ? { createdAt: Number(createdAt), id } : undefined;
  const { catalogue } = deps;
  const { entries, next } = await listActivity(deps.db, user, { catalogue, limit: ENTRIES_PER_PAGE, after });
  const content = html`<p class="quiet">${NOTE}</p>
${lines(entries, request, ({ firstAt, lastAt }) => exactPeriod(firstAt, lastAt))}
${next === null ? null : html`<p><a href="${ACTIVITY_PATH}?before=${`${next.createdAt}.${next.id}`}" rel="next">Earlier activity</a></p>`}
${after === undefined ? null : html`<p><a href="${ACTIVITY_PATH}">Latest activity</a></p>`}
<p><a href="${USER_PAGE_PATH}">Back to everything that you have allowed</a></p>`;
  return userPage(request, { title: 'What was done for you', content });
}

type TimeRenderer = (entry: Activity) => Html;

function lines(entries: readonly Activity[], request: UserRequest, timeOf: TimeRenderer): Html {
  if (entries.length === 0) return html`<p>No call is on record.</p>`;
  return html`<ul class="activity">${entries.map((entry) => line(entry, request, timeOf))}</ul>`;
}

function line(entry: Activity, request: UserRequest, timeOf: TimeRenderer): Html {
  const { tools } = entry;
  const listedTools = tools.slice(0, TOOLS_PER_ENTRY);
  const toolNames = listedTools.map(({ title, calls }, index) => {
    const times = tools.length === 1 ? null : ` (${calls})`;
    return html`${index > 0 ? ', ' : null}${foreign(title)}${times}`;
  });
  const moreCount = tools.length - listedTools.length;
  return html`<li><strong>${foreign(callerName(entry, partnerNameOf(request.partner)))}</strong> ${deedOf(entry)}, ${timeOf(entry)}
<small>${toolNames}${moreCount > 0 ? `, and ${moreCount} more` : null}</small></li>`;
}
