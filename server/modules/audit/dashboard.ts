/** The audit trail in the dashboard: a page with search, and the events of one user. */

import {
  address,
  type List,
  parametersOf,
  readList,
  searchForm,
  showList,
  withoutNulls,
} from '../../base/dashboard/list.ts';
import { ADMIN_PATH, type DashboardParts, type Page } from '../../base/dashboard/pages.ts';
import {
  counted,
  eventWords,
  holderLink,
  moment,
  table,
  testMark,
  toWords,
  untrusted,
  userLink,
} from '../../base/dashboard/parts.ts';
import { type Html, html } from '../../base/pages/html.ts';
import type { PageCursor } from '../../base/store/list-page.ts';
import { countCallsOfRequest } from '../../base/store/reports/call-search.ts';
import type { Executor } from '../../base/store/schema.ts';
import { listAnonymousEvents } from './anonymous-events.ts';
import { type FoundAuditEvent, listAuditEventTypes, searchAuditEvents } from './search.ts';

const ANONYMOUS_ROWS = 50;
const MAX_CALLS_OF_REQUEST = 1000;
const DAY_MS = 86_400_000;
const PATH = `${ADMIN_PATH}/audit`;

/** Returns the page, its entry in the menu, and the section on the page of a user. */
export function auditParts(db: Executor): DashboardParts {
  return {
    pages: [auditPage(db)],
    trail: {
      path: PATH,
      eventsOf: (userId, span, limit) => searchAuditEvents(db, { userId, ...span }, limit),
    },
  };
}

const auditPage = (db: Executor): Page => ({
  path: '/audit',
  menu: 'Audit trail',
  menuGroup: 'Activity',
  async show(request) {
    const { query } = request;
    const searchParameters = parametersOf(query, ['type', 'q', 'from', 'to']);
    const { type, q: text, from, to } = searchParameters;
    const scopeParameters = parametersOf(query, ['partner', 'user', 'client']);
    const { partner: partnerId, user: userId, client: clientId } = scopeParameters;
    const lastDay = toDay(to);
    const until = lastDay === null ? null : lastDay + DAY_MS;
    const filter = withoutNulls({ type, text, partnerId, userId, clientId, since: toDay(from), until });
    const isFiltered = Object.values({ ...searchParameters, ...scopeParameters }).some((value) => value !== null);
    const types = (await listAuditEventTypes(db)).map((name) => [name, eventWords(name)] as const);
    const trail: List<FoundAuditEvent> = {
      caption: 'Audit trail',
      now: null,
      path: PATH,
      parameters: { ...searchParameters, ...scopeParameters },
      keyOf: ({ id }) => id,
      columns: {
        Time: ({ createdAt }) => moment(createdAt),
        Event: ['state', (event) => wordsOf(event)],
        Who: ['long', describeActor],
        Request: ({ requestId }) => (requestId === null ? '–' : html`<a href="${callsOf(requestId)}">calls</a>`),
        Details: ['long', details],
        From: ['extra', (event) => event.address ?? '–'],
      },
      empty: isFiltered ? 'No event matches' : 'No event yet',
      next: `${isFiltered ? 'Remove a filter. ' : ''}Events are kept for as long as the settings say.`,
    };
    const search = (place: PageCursor, limit: number) => searchAuditEvents(db, { ...filter, ...place }, limit);
    const events = await readList(request, search, trail);
    const content = html`<h1>Audit trail</h1>
${searchForm(
  PATH,
  [
    { name: 'q', label: 'Contains', value: text },
    { name: 'type', label: 'Event', value: type, options: [['', 'All'], ...types] },
    { name: 'from', label: 'From (day in UTC)', value: from, type: 'date', folded: true },
    { name: 'to', label: 'To (day in UTC)', value: to, type: 'date', folded: true },
  ],
  { hiddenParameters: scopeParameters },
)}
${Object.values(scopeParameters).some((value) => value !== null) ? html`<p>Only of one partner, user or client. <a href="${PATH}">Show all</a></p>` : null}
${text === null ? null : await callsOfRequest(db, text)}
${showList(events, trail)}
${events.newer === null ? await anonymousEvents(db) : null}`;
    return { title: 'Audit trail', content };
  },
});

/** Returns the address of the page with the calls of a request. */
const callsOf = (request: string) => address(`${ADMIN_PATH}/calls`, { request });

/** Returns the calls of a request. They are not part of the trail, but a search for a request id finds them too. */
async function callsOfRequest(db: Executor, request: string): Promise<Html | null> {
  const calls = await countCallsOfRequest(db, request, MAX_CALLS_OF_REQUEST);
  if (calls === 0) return null;
  return html`<p>The request with this id made <a href="${callsOf(request)}">${counted(calls, 'tool call')}</a>.</p>`;
}

/** Returns the events without credentials, counted by hour. They are not part of the trail. */
async function anonymousEvents(db: Executor): Promise<Html> {
  return html`<h2>Callers without credentials</h2>
<details><summary>Show</summary><p>Counted by hour, event and network (a /48 for IPv6). Removed after some days.</p>
${table(await listAnonymousEvents(db, ANONYMOUS_ROWS), {
  caption: 'Callers without credentials',
  columns: {
    First: ({ firstAt }) => moment(firstAt),
    Last: ({ lastAt }) => moment(lastAt),
    Event: ({ type }) => eventWords(type),
    Network: ({ network }) => network,
    Times: ['number', ({ count }) => count],
  },
  empty: 'Nothing was counted.',
})}</details>`;
}

function describeActor(event: FoundAuditEvent): Html {
  const { partnerId, partnerClientId, userId, externalUserId, clientId, details, testOf } = event;
  const actors: Html[] = [];
  if (typeof details.operator === 'string') actors.push(html`operator ${untrusted(details.operator)}`);
  if (partnerId !== null) {
    const mark = testMark({ testOf });
    actors.push(
      html`partner <a href="${PATH}?partner=${partnerId}">${untrusted(partnerClientId, 'removed')}</a>${mark}`,
    );
  }
  if (userId !== null) {
    const removed = html`<a href="${PATH}?user=${userId}">removed</a>`;
    actors.push(html`user ${externalUserId === null ? removed : userLink({ userId, externalUserId, testOf })}`);
  }
  if (clientId !== null) actors.push(html`client ${holderLink(event)}`);
  return actors.length === 0
    ? html`–`
    : html`${actors.map((actor, index) => html`${index === 0 ? '' : ' · '}${actor}`)}`;
}

/** Names the event, and what a decision was. */
function wordsOf({ type, details: { decision } }: FoundAuditEvent): string {
  return typeof decision === 'string' ? `${eventWords(type)}: ${decision}` : eventWords(type);
}

/** Returns the details on one line, which opens to show all of them. */
function details(event: FoundAuditEvent): Html | string {
  const entries = Object.entries(event.details).filter(([name, value]) => value !== null && name !== 'operator');
  const words = entries.map(([name, value]) => html`${name}: <bdi>${toWords(value)}</bdi> `);
  return words.length === 0 ? '–' : html`<details><summary>${words}</summary></details>`;
}

/** Returns the first millisecond of the day that a date field sent, or null for anything else. */
function toDay(date: string | null): number | null {
  if (date === null || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) ? null : time;
}
