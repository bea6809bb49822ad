/** Calls: searched by user, tool, outcome, request and time; and shown as they happen. */

import { hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { FAILED, type FoundCall, isCallPlace, searchCalls } from '../../../base/store/reports/call-search.ts';
import type { ListPlace } from '../../../base/store/reports/list-page.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import { findUserById, findUsersByExternalId, type User } from '../../../base/store/repositories/users.ts';
import { OUTCOMES } from '../../../call/tools/results/outcomes.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { address, pager, placeIn } from '../view/pager.ts';
import { badge, figure, moment, selectField, table, textField, untrusted } from '../view/parts.ts';
import { followLive } from './live.ts';
import { CALLS_PATH, type CallParameters, callParameters, callsAddress, toSearch } from './search.ts';

const PATH = ADMIN_PATH + CALLS_PATH;
const PAGE_SIZE = 50;
const MAX_NAMESAKES = 20;

export async function showCalls(request: OperatorRequest): Promise<AdminPage> {
  const { deps, query } = request;
  const { db } = deps;
  const asked = callParameters(query);
  const namesakes = asked.user === null && asked.name !== null ? await findUsersByExternalId(db, asked.name) : [];
  const [only] = namesakes;
  const chosen = namesakes.length === 1 && only !== undefined ? { ...asked, user: only.id, name: null } : asked;
  const found = chosen.name === null ? await searchCalls(db, { ...toSearch(chosen), ...pageOf(query) }) : null;
  const live = followLive(request, (value) => address(PATH, { ...chosen, live: value }));
  const content = html`<h1>Calls</h1>
${await searchForm(request, chosen)}
${await narrowedTo(request, chosen)}
${
  found === null
    ? await namesakeList(request, namesakes, chosen)
    : html`${live.notice}
${callTable(found.rows)}
${found.rows.length === 0 && found.older !== null ? html`<p class="quiet">No match among the calls searched so far. There are older ones.</p>` : null}
${live.until === null ? pager(found, { path: PATH, parameters: chosen }) : null}`
}`;
  return { title: 'Calls', section: CALLS_PATH, content };
}

function pageOf(query: OperatorRequest['query']): { limit: number; place: ListPlace } {
  const place = query('live') === null ? placeIn(query) : {};
  const isPlace = Object.values(place).every((text) => isCallPlace(text));
  return { limit: PAGE_SIZE, place: isPlace ? place : {} };
}

async function searchForm({ deps }: OperatorRequest, chosen: CallParameters): Promise<Html> {
  const services = deps.catalogue.connectors.map(({ name, title }) => [name, title] as const);
  const others = (value: string | null, known: readonly (readonly [string, string])[]) =>
    value === null || known.some(([name]) => name === value) ? [] : [[value, value] as const];
  const outcomes = OUTCOMES.map((name) => [name, name] as const);
  const endings = [['ok', 'ok'], [FAILED, 'failed (any)'], ...outcomes.filter(([name]) => name !== 'ok')] as const;
  return html`<form method="get" action="${PATH}" class="filters" role="search">
${(['user', 'partner'] as const).map((name) => (chosen[name] === null ? null : hidden(name, chosen[name])))}
${chosen.user === null ? textField({ name: 'name', label: 'user_id', value: chosen.name ?? '', maxLength: 512 }) : null}
${textField({ name: 'tool', label: 'Tool', value: chosen.tool ?? '', maxLength: 200 })}
${selectField({ name: 'service', label: 'Service', value: chosen.service ?? '', options: [['', 'All'], ...services, ...others(chosen.service, services)] })}
${selectField({ name: 'outcome', label: 'Outcome', value: chosen.outcome ?? '', options: [['', 'All'], ...endings, ...others(chosen.outcome, endings)] })}
${textField({ name: 'request', label: 'Request id', value: chosen.request ?? '', maxLength: 100 })}
${textField({ name: 'from', label: 'From (UTC)', value: chosen.from ?? '', type: 'datetime-local' })}
${textField({ name: 'to', label: 'Before (UTC)', value: chosen.to ?? '', type: 'datetime-local' })}
<button type="submit">Search</button></form>`;
}

async function narrowedTo({ deps }: OperatorRequest, chosen: CallParameters): Promise<Html | null> {
  if (chosen.user === null && chosen.partner === null) return null;
  const user = chosen.user === null ? undefined : await findUserById(deps.db, chosen.user);
  const whom =
    user !== undefined
      ? html`the user <a href="${ADMIN_PATH}/users/${user.id}">${untrusted(user.externalUserId)}</a>`
      : chosen.user === null
        ? 'one partner'
        : 'a removed user';
  return html`<p>Only calls of ${whom}. <a href="${address(PATH, { ...chosen, user: null, partner: null })}">Show all</a></p>`;
}

async function namesakeList(
  { deps }: OperatorRequest,
  namesakes: readonly User[],
  { name, ...chosen }: CallParameters,
): Promise<Html> {
  if (namesakes.length === 0) {
    return html`<p>No user has exactly this user_id. <a href="${address(`${ADMIN_PATH}/users`, { q: name })}">Look for users whose user_id contains it</a>.</p>`;
  }
  const items: Html[] = [];
  for (const { id, externalUserId, partnerId } of namesakes.slice(0, MAX_NAMESAKES)) {
    const partner = await findPartner(deps.db, partnerId);
    items.push(
      html`<li><a href="${address(PATH, { ...chosen, user: id })}">${untrusted(externalUserId)} of ${untrusted(partner?.name ?? null)}</a></li>`,
    );
  }
  return html`<p>Several partners have a user with this user_id:</p><ul>${items}</ul>`;
}

function callTable(calls: readonly FoundCall[]): Html {
  return table(
    'Calls',
    [
      { name: 'Time' },
      { name: 'User', kind: 'long' },
      { name: 'Tool' },
      { name: 'Outcome' },
      { name: 'Took', kind: 'number' },
      { name: 'Client' },
    ],
    calls.map((call) => [
      html`<a href="${PATH}/${call.id}">${moment(call.createdAt)}</a>`,
      userLink(call),
      html`<a href="${ADMIN_PATH}/tools/${encodeURIComponent(call.tool)}"><code>${call.tool}</code></a>`,
      html`${outcomeBadge(call)} ${call.outcome === 'ok' || call.upstreamStatus === null ? null : html`<small class="quiet">upstream ${call.upstreamStatus}</small>`}`,
      `${figure(call.durationMs)} ms`,
      clientLink(call),
    ]),
    'No call matches.',
  );
}

export function userLink({ userId, externalUserId }: FoundCall): Html {
  return externalUserId === null
    ? html`<a href="${callsAddress({ user: userId })}">removed</a>`
    : html`<a href="${ADMIN_PATH}/users/${userId}">${untrusted(externalUserId)}</a>`;
}

export function clientLink({ clientId, clientName, grantId }: FoundCall): Html {
  if (clientId === null)
    return html`<span class="quiet">${grantId === null ? 'none' : 'the partner itself, or removed'}</span>`;
  return html`<a href="${address(`${ADMIN_PATH}/clients`, { q: clientId })}">${untrusted(clientName, clientId)}</a>`;
}

export function outcomeBadge({ outcome }: FoundCall): Html {
  return badge(outcome, outcome === 'ok' ? 'good' : 'bad');
}
