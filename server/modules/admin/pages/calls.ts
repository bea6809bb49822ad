/**
 * The pages of calls: a list that is searched by user, tool, outcome, request and time and can update itself, and a page with all recorded facts of
 * one call.
 */

import { address, pager, parametersOf, readCursor, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH, noSuchPage } from '../../../base/dashboard/pages.ts';
import {
  counted,
  figure,
  moment,
  partnerLink,
  table,
  toolLink,
  untrusted,
  untrustedClient,
  userLink,
} from '../../../base/dashboard/parts.ts';
import { badge, type Fact, facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import {
  type CallSearch,
  FAILED,
  type FoundCall,
  findCall,
  isCallKey,
  searchCalls,
} from '../../../base/store/reports/call-search.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import { findUserById, findUsersByExternalId, type User } from '../../../base/store/repositories/users.ts';
import { OUTCOMES } from '../../../call/tools/results/outcomes.ts';
import { type AdminPage, type AdminRequest, titleOf } from '../context.ts';
import {
  CALL_PARAMETERS,
  CALLS_PATH,
  type CallParameters,
  callsAddress,
  LAST_SPANS,
  serviceChoices,
  toTime,
  trailLink,
  withSelected,
} from './links.ts';

/** Stands for the token id in calls from the dashboard. */
export const DASHBOARD_TOKEN_ID = 'dashboard';

/** The outcome whose records name arguments instead of the upstream's code. */
const INVALID = 'invalid_arguments';
const PATH = ADMIN_PATH + CALLS_PATH;
const PAGE_SIZE = 50;
const MAX_NAMESAKES = 20;
const RELOAD_EVERY_SECONDS = 10;
const RELOAD_MINUTES = 10;

export const CALLS: AdminPage = {
  path: CALLS_PATH,
  async show(request) {
    const { deps, query } = request;
    const { db } = deps;
    const parameters = parametersOf(query, CALL_PARAMETERS);
    const namesakes =
      parameters.user === null && parameters.name !== null ? await findUsersByExternalId(db, parameters.name) : [];
    const [namesake] = namesakes;
    const filters =
      namesakes.length === 1 && namesake !== undefined ? { ...parameters, user: namesake.id, name: null } : parameters;
    const callPage =
      filters.name === null ? await searchCalls(db, { ...toSearch(filters, request.now), ...pageOf(query) }) : null;
    const live = followLive(request, (value) => address(PATH, { ...filters, live: value }));
    const content = html`<h1>Calls</h1>
${callSearch(request, filters)}
${await filterNote(request, filters)}
${
  callPage === null
    ? await namesakeList(request, namesakes, filters)
    : html`${live.notice}
${callTable(callPage.rows, Object.keys(withoutNulls(filters)).length > 0, request.now)}
${callPage.rows.length === 0 && callPage.older !== null ? html`<p class="quiet">No match among the calls searched so far. There are older ones.</p>` : null}
${live.until === null ? pager(callPage, { path: PATH, parameters: filters }) : null}`
}`;
    return { title: 'Calls', content };
  },
};

/** One call. Its arguments and answer are not recorded. */
export const CALL: AdminPage<FoundCall> = {
  path: `${CALLS_PATH}/:id`,
  section: CALLS_PATH,
  async find({ deps, params }) {
    const call = await findCall(deps.db, params.id ?? '');
    if (call !== undefined) return call;
    const text = 'No call has this address. Records are kept for CALL_RECORD_RETENTION_DAYS.';
    throw noSuchPage('call', text, 'Search for it in the list of calls.');
  },
  async show({ deps }, call) {
    const { userId, externalUserId, tool, service, createdAt, requestId, tokenId } = call;
    const timeline = address(`${ADMIN_PATH}/users/${userId}`, { before: String(createdAt + 1) });
    const code = (text: string | null, otherwise: string) => (text === null ? otherwise : html`<code>${text}</code>`);
    const content = html`<h1>Call of <code>${tool}</code></h1>
<p>Arguments and answers are not kept.</p>
${facts([
  { term: 'When', value: moment(createdAt) },
  {
    term: 'User',
    value: html`${callerLink(call)}${externalUserId === null ? null : html`, <a href="${timeline}#timeline">the timeline at that moment</a>`}, <a href="${callsAddress({ user: userId })}">all calls</a>`,
  },
  { term: 'Partner', value: call.partnerName === null ? 'removed' : partnerLink(call) },
  {
    term: 'Client',
    value: tokenId === DASHBOARD_TOKEN_ID ? 'none: an operator ran the tool in the dashboard' : clientLink(call),
  },
  { term: 'Tool', value: html`${toolLink(tool)}, <a href="${callsAddress({ tool })}">all calls</a>` },
  { term: 'Service', value: titleOf(deps, service) },
  { term: 'Outcome', value: outcomeBadge(call) },
  ...approvalFacts(call),
  { term: 'Upstream status', value: call.upstreamStatus === null ? 'none: no answer' : String(call.upstreamStatus) },
  {
    term: call.outcome === INVALID ? 'Arguments that are not valid' : 'Upstream code',
    value: code(call.upstreamCode, 'none'),
  },
  { term: 'Duration', value: `${figure(call.durationMs)} ms` },
  { term: 'Arguments', value: counted(call.requestBytes, 'byte') },
  { term: 'Result', value: counted(call.responseBytes, 'byte') },
  {
    term: 'Request id',
    value: html`<code>${requestId}</code>: <a href="${callsAddress({ request: requestId })}">calls</a>${deps.trail === null ? null : html` and ${trailLink(deps, { q: requestId }, 'events')}`} of the request`,
  },
  { term: 'Grant', value: code(call.grantId, 'none') },
  { term: 'Tool definition', value: code(call.definition, 'not known') },
])}`;
    return { title: `Call of ${tool}`, content };
  },
};

function approvalFacts({ approvedBy }: FoundCall): readonly Fact[] {
  return approvedBy === null ? [] : [{ term: 'Approved', value: APPROVED[approvedBy] }];
}

const APPROVED: Readonly<Record<NonNullable<FoundCall['approvedBy']>, string>> = {
  page: "on the user's own page",
  partner: 'in the application of the partner',
  client: 'by the client that asked',
  standing: 'by a standing choice of the user, who approved all calls of the tool by this client for a day',
};

/** Returns the search that the parameters describe. Invalid times are ignored; of `from` and `last`, the later start holds. */
function toSearch(
  { user, partner, service, tool, outcome, request, last, from, to }: CallParameters,
  now: number,
): CallSearch {
  const startCandidates = [toTime(from)];
  if (last !== null && Object.hasOwn(LAST_SPANS, last))
    startCandidates.push(now - LAST_SPANS[last as keyof typeof LAST_SPANS]);
  const startTimes = startCandidates.filter((time) => time !== null);
  return withoutNulls({
    userId: user,
    partnerId: partner,
    requestId: request,
    service,
    tool,
    outcome,
    since: startTimes.length === 0 ? null : Math.max(...startTimes),
    until: toTime(to),
  });
}

function pageOf(query: AdminRequest['query']): { limit: number; place: PageCursor } {
  const pagePosition = query('live') === null ? readCursor(query) : {};
  const isValidPosition = Object.values(pagePosition).every((text) => isCallKey(text));
  return { limit: PAGE_SIZE, place: isValidPosition ? pagePosition : {} };
}

function callSearch({ deps }: AdminRequest, filters: CallParameters): Html {
  const { user, partner, name, tool, service, outcome, request, last, from, to } = filters;
  const failures = OUTCOMES.filter((name) => name !== 'ok').map((name) => [name, name] as const);
  const outcomes = withSelected([['', 'All'], ['ok', 'ok'], [FAILED, 'failed (any)'], ...failures], outcome);
  // A page with the calls of one user needs no search for the user.
  const userFields = user === null ? [{ name: 'name', label: 'user_id', value: name, maxLength: 512 }] : [];
  return searchForm(
    PATH,
    [
      ...userFields,
      { name: 'tool', label: 'Tool', value: tool, maxLength: 200 },
      { name: 'service', label: 'Service', value: service, options: serviceChoices(deps, service), folded: true },
      { name: 'outcome', label: 'Outcome', value: outcome, options: outcomes, folded: true },
      { name: 'request', label: 'Request id', value: request, maxLength: 100, folded: true },
      { name: 'from', label: 'From (UTC)', value: from, type: 'datetime-local', folded: true },
      { name: 'to', label: 'Before (UTC)', value: to, type: 'datetime-local', folded: true },
    ],
    {
      hiddenParameters: { user, partner, last },
      quickFilters: {
        Failed: { outcome: FAILED },
        'Last hour': { last: 'hour' },
        'Last day': { last: 'day' },
        'Last week': { last: 'week' },
      },
    },
  );
}

async function filterNote({ deps }: AdminRequest, filters: CallParameters): Promise<Html | null> {
  if (filters.user === null && filters.partner === null) return null;
  const user = filters.user === null ? undefined : await findUserById(deps.db, filters.user);
  const otherwise = filters.user === null ? 'one partner' : 'a removed user';
  const subject = user === undefined ? otherwise : html`the user ${userLink({ ...user, userId: user.id })}`;
  return html`<p>Only calls of ${subject}. <a href="${address(PATH, { ...filters, user: null, partner: null })}">Show all</a></p>`;
}

async function namesakeList(
  { deps }: AdminRequest,
  namesakes: readonly User[],
  { name, ...filters }: CallParameters,
): Promise<Html> {
  if (namesakes.length === 0) {
    return html`<p>No user has exactly this user_id. <a href="${address(`${ADMIN_PATH}/users`, { q: name })}">Look for users whose user_id contains it</a>.</p>`;
  }
  const items: Html[] = [];
  for (const { id, externalUserId, partnerId } of namesakes.slice(0, MAX_NAMESAKES)) {
    const partner = await findPartner(deps.db, partnerId);
    items.push(
      html`<li><a href="${address(PATH, { ...filters, user: id })}">${untrusted(externalUserId)} of ${untrusted(partner?.name ?? null)}</a></li>`,
    );
  }
  return html`<p>Several partners have a user with this user_id:</p><ul>${items}</ul>`;
}

/** @param isFiltered false if the list has every call. */
function callTable(calls: readonly FoundCall[], isFiltered: boolean, now: number): Html {
  const status = ({ outcome, upstreamStatus }: FoundCall) =>
    outcome === 'ok' || upstreamStatus === null ? null : html`<small class="quiet">upstream ${upstreamStatus}</small>`;
  return table(calls, {
    now,
    caption: 'Calls',
    name: 'stack calls',
    columns: {
      Time: ({ id, createdAt }) => html`<a href="${PATH}/${id}">${moment(createdAt)}</a>`,
      User: callerLink,
      Tool: ({ tool }) => toolLink(tool),
      Outcome: [
        'state',
        (call) => html`${outcomeBadge(call)} ${call.outcome === INVALID ? call.upstreamCode : status(call)}`,
      ],
      Took: ['number', ({ durationMs }) => `${figure(durationMs)} ms`],
      'Client (unverified name)': ['extra', clientLink],
    },
    empty: isFiltered ? 'No call matches' : 'No call yet',
    next: html`${isFiltered ? 'Remove a filter, or ' : 'Clients of users make calls. You can '}<a href="${ADMIN_PATH}/tools">run a tool</a> as one of the users.`,
  });
}

function callerLink({ userId, externalUserId }: FoundCall): Html {
  if (externalUserId === null) return html`<a href="${callsAddress({ user: userId })}">removed</a>`;
  return userLink({ userId, externalUserId });
}

function clientLink({ clientId, clientName, grantId }: FoundCall): Html {
  if (clientId === null) return html`<span class="quiet">${grantId === null ? 'none' : 'Partner token'}</span>`;
  return html`<a href="${address(`${ADMIN_PATH}/clients`, { q: clientId })}">${untrustedClient(clientName, clientId, true)}</a>`;
}

function outcomeBadge({ outcome }: FoundCall): Html {
  return badge(outcome, outcome === 'ok' ? 'good' : 'bad');
}

/** The state of a page that may reload itself, and the note about this. */
interface Live {
  /** Time at which reloading stops, in milliseconds since 1970. Null if the page does not reload. */
  readonly until: number | null;
  readonly notice: Html;
}

/**
 * Keeps a page current without a script: the browser reloads it. `live=1` starts this. Later addresses hold the time at which it stops.
 *
 * It stops by itself, so that a page that is left open does not send requests for ever or keep its operator signed in.
 *
 * @param toAddress the address of the page with that value of `live`.
 */
function followLive({ ctx, now, query }: AdminRequest, toAddress: (live: string | null) => string): Live {
  const liveParameter = query('live');
  const latest = now + RELOAD_MINUTES * 60_000;
  const until = liveParameter === '1' ? latest : Math.min(Number(liveParameter ?? 0), latest);
  if (until <= now || Number.isNaN(until)) {
    const stoppedNote = liveParameter === null ? null : html` Live updates have stopped.`;
    return { until: null, notice: html`<p><a href="${toAddress('1')}">Show live</a>${stoppedNote}</p>` };
  }
  ctx.set('Refresh', `${RELOAD_EVERY_SECONDS}; url=${toAddress(String(until))}`);
  return {
    until,
    notice: html`<p class="live"><a href="${toAddress(null)}">Stop</a> This page reloads every ${RELOAD_EVERY_SECONDS} seconds, until ${moment(until)}.</p>`,
  };
}
