/** The list of calls, which is searched by user, client, tool, outcome, request and time, and can update itself. */

import { address, pager, parametersOf, readCursor, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import {
  figure,
  holderLink,
  moment,
  partnerLink,
  table,
  testMark,
  toolLink,
  untrusted,
  userLink,
} from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { CALL_CATEGORIES, type CallCategory, callCategory } from '../../../base/store/reports/call-category.ts';
import { type CallSearch, type FoundCall, isCallKey, searchCalls } from '../../../base/store/reports/call-search.ts';
import { findNamedUser } from '../../../base/store/reports/user-search.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import { findUsersByExternalId, type User } from '../../../base/store/repositories/users.ts';
import { OUTCOMES } from '../../../call/tools/results/outcomes.ts';
import type { AdminPage, AdminRequest } from '../context.ts';
import { LIVE_SCRIPT } from '../view/live-script.ts';
import {
  CALL_PARAMETERS,
  CALLS_PATH,
  type CallParameters,
  callsAddress,
  LAST_SPANS,
  LIVE_CALLS_PATH,
  REALM_FILTERS,
  realmField,
  serviceChoices,
  toRealm,
  toTime,
  withSelected,
} from './links.ts';

/** The outcome whose records name arguments instead of the upstream's code. */
export const INVALID = 'invalid_arguments';
const PATH = ADMIN_PATH + CALLS_PATH;
export const PAGE_SIZE = 50;
const MAX_NAMESAKES = 20;
const RELOAD_EVERY_SECONDS = 10;
const RELOAD_MINUTES = 10;

const CATEGORY_LABELS: Readonly<Record<CallCategory, string>> = {
  ok: 'ok',
  waiting: 'waiting for the user (any)',
  denied: 'denied by the user',
  failed: 'failed (any)',
};
const CATEGORY_BADGES = { ok: 'good', waiting: 'warn', denied: 'warn', failed: 'bad' } as const;

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
    const isFirstPage = query('before') === null && query('after') === null;
    const live = followLive(request, {
      toAddress: (value) => address(PATH, { ...filters, live: value }),
      stream: isFirstPage ? address(ADMIN_PATH + LIVE_CALLS_PATH, filters) : null,
    });
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
    return { title: 'Calls', content, script: live.until === null && isFirstPage ? LIVE_SCRIPT : undefined };
  },
};

/** Returns the search that the parameters describe. Invalid times are ignored; of `from` and `last`, the later start holds. */
export function toSearch(
  { user, partner, client, realm, service, tool, outcome, request, last, from, to }: CallParameters,
  now: number,
): CallSearch {
  const startCandidates = [toTime(from)];
  if (last !== null && Object.hasOwn(LAST_SPANS, last))
    startCandidates.push(now - LAST_SPANS[last as keyof typeof LAST_SPANS]);
  const startTimes = startCandidates.filter((time) => time !== null);
  return withoutNulls({
    userId: user,
    partnerId: partner,
    clientId: client,
    requestId: request,
    service,
    tool,
    outcome,
    realm: toRealm(realm),
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
  const { user, partner, client, name, tool, service, outcome, request, last, from, to, realm } = filters;
  const categories = CALL_CATEGORIES.map((category) => [category, CATEGORY_LABELS[category]] as const);
  const others = OUTCOMES.filter((name) => name !== 'ok').map((name) => [name, name] as const);
  const outcomes = withSelected([['', 'All'], ...categories, ...others], outcome);
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
      realmField(realm),
      { name: 'from', label: 'From (UTC)', value: from, type: 'datetime-local', folded: true },
      { name: 'to', label: 'Before (UTC)', value: to, type: 'datetime-local', folded: true },
    ],
    {
      hiddenParameters: { user, partner, client, last },
      quickFilters: {
        Failed: { outcome: 'failed' },
        Waiting: { outcome: 'waiting' },
        ...REALM_FILTERS,
        'Last hour': { last: 'hour' },
        'Last day': { last: 'day' },
        'Last week': { last: 'week' },
      },
    },
  );
}

async function filterNote({ deps: { db } }: AdminRequest, filters: CallParameters): Promise<Html | null> {
  const { user: userId, partner: partnerId, client: clientId } = filters;
  const subjects: (Html | string)[] = [];
  if (userId !== null) {
    const user = await findNamedUser(db, userId);
    subjects.push(user === undefined ? 'a removed user' : html`the user ${userLink({ ...user, userId })}`);
  }
  if (partnerId !== null) {
    const partner = await findPartner(db, partnerId);
    subjects.push(
      partner === undefined
        ? 'a removed partner'
        : html`the partner ${partnerLink({ ...partner, partnerId, partnerName: partner.name })}`,
    );
  }
  if (clientId !== null) {
    const client = await findClient(db, clientId);
    subjects.push(client === undefined ? 'a removed client' : html`the client ${holderLink(client)}`);
  }
  if (subjects.length === 0) return null;
  const all = address(PATH, { ...filters, user: null, partner: null, client: null });
  const list = subjects.map((subject, index) => html`${index === 0 ? '' : ' and '}${subject}`);
  return html`<p>Only calls of ${list}. <a href="${all}">Show all</a></p>`;
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

/** @param isFiltered false if the list has every call. @param now null for exact times, which stay right while the page is followed. */
export function callTable(calls: readonly FoundCall[], isFiltered: boolean, now: number | null): Html {
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
        (call) => html`${outcomeBadge(call.outcome)} ${call.outcome === INVALID ? call.upstreamCode : status(call)}`,
      ],
      Took: ['number', ({ durationMs }) => `${figure(durationMs)} ms`],
      'Client (unverified name)': ['extra', clientLink],
    },
    empty: isFiltered ? 'No call matches' : 'No call yet',
    next: html`${isFiltered ? 'Remove a filter, or ' : 'Clients of users make calls. You can '}<a href="${ADMIN_PATH}/tools">run a tool</a> as one of the users.`,
  });
}

/** Links the user of a call, or the calls of a user who was removed. */
export function callerLink(call: FoundCall): Html {
  if (call.externalUserId !== null) return userLink(call);
  return html`<a href="${callsAddress({ user: call.userId })}">removed</a>${testMark(call)}`;
}

/** Links the client of a call. The head of the column, or the page, says that names of clients are unverified. */
export function clientLink({ clientId, clientName, grantId }: FoundCall): Html {
  return grantId === null ? html`none` : holderLink({ clientId, clientName }, true);
}

export function outcomeBadge(outcome: string): Html {
  return badge(outcome, CATEGORY_BADGES[callCategory(outcome)]);
}

/** The state of a page that may reload itself, and the note about this. */
interface Live {
  /** Time at which reloading stops, in milliseconds since 1970. Null if the page does not reload. */
  readonly until: number | null;
  readonly notice: Html;
}

interface LiveAddresses {
  /** Returns the address of the page with that value of `live`. */
  toAddress(live: string | null): string;
  /** Address of the event stream. Null if the page does not show the newest calls. */
  readonly stream: string | null;
}

/**
 * Keeps a page current: the script follows an event stream (`LIVE_SCRIPT`). Without a script the browser reloads the page. `live=1` starts this.
 * Later addresses hold the time at which it stops.
 *
 * Reloading stops by itself, so that a page that is left open does not send requests for ever or keep its operator signed in.
 */
function followLive({ ctx, now, query }: AdminRequest, { toAddress, stream }: LiveAddresses): Live {
  const liveParameter = query('live');
  const latest = now + RELOAD_MINUTES * 60_000;
  const until = liveParameter === '1' ? latest : Math.min(Number(liveParameter ?? 0), latest);
  if (until <= now || Number.isNaN(until)) {
    const stoppedNote = liveParameter === null ? null : html` Live updates have stopped.`;
    const streamAttribute = stream === null ? null : html` data-live="${stream}"`;
    return {
      until: null,
      notice: html`<p><a href="${toAddress('1')}"${streamAttribute}>Show live</a>${stoppedNote} <span role="status"></span></p>`,
    };
  }
  ctx.set('Refresh', `${RELOAD_EVERY_SECONDS}; url=${toAddress(String(until))}`);
  return {
    until,
    notice: html`<p class="live"><a href="${toAddress(null)}">Stop</a> This page reloads every ${RELOAD_EVERY_SECONDS} seconds, until ${moment(until)}.</p>`,
  };
}
