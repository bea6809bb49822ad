/** The audit trail, with search. */

import { type Html, html } from '../../base/pages/html.ts';
import { type FoundAuditEvent, listAuditEventTypes, searchAuditEvents } from '../../base/store/reports/audit-search.ts';
import { countCallsOfRequest } from '../../base/store/reports/call-search.ts';
import { readListPage } from '../../base/store/reports/list-page.ts';
import { listAnonymousEvents } from '../../base/store/repositories/anonymous-events.ts';
import { callsAddress } from './calls/search.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from './request.ts';
import { eventWords, toWords } from './users/timeline.ts';
import { pager, placeIn } from './view/pager.ts';
import { counted, moment, selectField, table, textField, untrusted } from './view/parts.ts';

const PAGE_SIZE = 100;
const ANONYMOUS_ROWS = 50;
const MAX_CALLS_OF_REQUEST = 1000;
const DAY_MS = 86_400_000;
const PATH = `${ADMIN_PATH}/audit`;

export async function showAuditTrail({ deps, query }: OperatorRequest): Promise<AdminPage> {
  const [type, text, partner, user, client] = [
    query('type'),
    query('q'),
    query('partner'),
    query('user'),
    query('client'),
  ];
  const [from, to] = [query('from'), query('to')];
  const since = toDay(from);
  const until = toDay(to);
  const filter = {
    ...(type === null ? {} : { type }),
    ...(text === null ? {} : { text }),
    ...(partner === null ? {} : { partnerId: partner }),
    ...(user === null ? {} : { userId: user }),
    ...(client === null ? {} : { clientId: client }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until: until + DAY_MS }),
  };
  const events = await readListPage({
    place: placeIn(query),
    limit: PAGE_SIZE,
    read: (place, limit) => searchAuditEvents(deps.db, { ...filter, ...place }, limit),
    placeOf: ({ id }) => id,
  });
  const types = await listAuditEventTypes(deps.db);
  const narrowed = { partner, user, client };
  const content = html`<h1>Audit trail</h1>
<form method="get" action="${PATH}" class="filters" role="search">
${Object.entries(narrowed).map(([name, value]) => (value === null ? null : html`<input type="hidden" name="${name}" value="${value}">`))}
${textField({ name: 'q', label: 'Contains', value: text ?? '' })}
${selectField({
  name: 'type',
  label: 'Event',
  value: type ?? '',
  options: [['', 'All'], ...types.map((name) => [name, eventWords(name)] as const)],
})}
${textField({ name: 'from', label: 'From (UTC)', value: from ?? '', type: 'date' })}
${textField({ name: 'to', label: 'To (UTC)', value: to ?? '', type: 'date' })}
<button type="submit">Search</button></form>
${Object.values(narrowed).some((value) => value !== null) ? html`<p>Only of one partner, user or client. <a href="${PATH}">Show all</a></p>` : null}
${text === null ? null : await callsOfRequest(deps, text)}
${table(
  'Audit trail',
  [
    { name: 'Time' },
    { name: 'Event' },
    { name: 'Who', kind: 'long' },
    { name: 'From' },
    { name: 'Details', kind: 'long' },
  ],
  events.rows.map((event) => [
    moment(event.createdAt),
    eventWords(event.type),
    who(event),
    event.address ?? '–',
    details(event),
  ]),
  'No event matches.',
)}
${pager(events, { path: PATH, parameters: { type, q: text, from, to, ...narrowed } })}
${events.newer === null ? await anonymousEvents(deps) : null}`;
  return { title: 'Audit trail', section: '/audit', content };
}

/** Calls are not part of the trail, but a search for a request id finds its calls too. */
async function callsOfRequest({ db }: OperatorRequest['deps'], request: string): Promise<Html | null> {
  const calls = await countCallsOfRequest(db, request, MAX_CALLS_OF_REQUEST);
  if (calls === 0) return null;
  return html`<p>The request with this id made <a href="${callsAddress({ request })}">${counted(calls, 'tool call')}</a>.</p>`;
}

/** Events without credentials, counted by hour; not part of the trail. */
async function anonymousEvents({ db }: OperatorRequest['deps']): Promise<Html> {
  const counted = await listAnonymousEvents(db, ANONYMOUS_ROWS);
  return html`<h2>Callers without credentials</h2>
<p>Counted by hour, event and network (a /48 for IPv6). Removed after some days.</p>
${table(
  'Callers without credentials',
  [{ name: 'First' }, { name: 'Last' }, { name: 'Event' }, { name: 'Network' }, { name: 'Times', kind: 'number' }],
  counted.map(({ firstAt, lastAt, type, network, count }) => [
    moment(firstAt),
    moment(lastAt),
    eventWords(type),
    network,
    count,
  ]),
  'Nothing was counted.',
)}`;
}

function who(event: FoundAuditEvent): Html {
  const { partnerId, partnerClientId, userId, externalUserId, clientId, clientName } = event;
  const { operator } = event.details;
  const parts = [
    typeof operator === 'string' ? html`operator ${untrusted(operator)}` : null,
    partnerId === null
      ? null
      : html`partner <a href="${PATH}?partner=${partnerId}">${untrusted(partnerClientId, 'removed')}</a>`,
    userId === null
      ? null
      : externalUserId === null
        ? html`user <a href="${PATH}?user=${userId}">removed</a>`
        : html`user <a href="${ADMIN_PATH}/users/${userId}">${untrusted(externalUserId)}</a>`,
    clientId === null
      ? null
      : html`client <a href="${PATH}?client=${encodeURIComponent(clientId)}">${untrusted(clientName ?? clientId)}</a>`,
  ].filter((part) => part !== null);
  return html`${parts.length === 0 ? '–' : parts.map((part) => html`<div>${part}</div>`)}`;
}

function details(event: FoundAuditEvent): Html {
  const entries = Object.entries(event.details).filter(([name, value]) => value !== null && name !== 'operator');
  const request =
    event.requestId === null
      ? null
      : html`<small class="quiet">request <a href="${callsAddress({ request: event.requestId })}">${event.requestId}</a></small>`;
  return html`${entries.map(([name, value]) => html`<div>${name}: <bdi>${toWords(value)}</bdi></div>`)}${request}`;
}

/** The first millisecond of a day that a date field sent; null for anything else. */
function toDay(date: string | null): number | null {
  if (date === null || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) ? null : time;
}
