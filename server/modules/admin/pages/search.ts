/** One search over everything that has a page. It reads the catalogue, indexes, and a bounded number of rows. */

import { address } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { clientAddress, moment, testMark, untrusted, untrustedClient } from '../../../base/dashboard/parts.ts';
import { emptyState } from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { type FoundCall, findCall, searchCalls } from '../../../base/store/reports/call-search.ts';
import { findClientsByText } from '../../../base/store/reports/client-list.ts';
import { findConnection, findConnectionsByAccount } from '../../../base/store/reports/connection-list.ts';
import { findNamedUser, findUsersByPrefix, type NamedUser } from '../../../base/store/reports/user-search.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { findGrant } from '../../../base/store/repositories/oauth-grants.ts';
import { listPartners } from '../../../base/store/repositories/partners.ts';
import { type AdminPage, type AdminRequest, titleOf } from '../context.ts';
import { SEARCH_PATH } from '../view/layout.ts';
import { CALLS_PATH, callsAddress, trailLink } from './links.ts';

const MAX_LENGTH = 200;

/** Results of each kind. */
const MAX_RESULTS = 10;

/** Partners that are looked through. */
const MAX_PARTNERS = 500;

/** Ids of requests, which callers may choose, have no other characters. */
const REQUEST_ID = /^[\w.:-]{8,100}$/;

/** Ids of rows. */
const ROW_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Result {
  readonly to: string;
  readonly text: HtmlValue;
  readonly remark: HtmlValue;
}

/**
 * Finds services, tools and partners by a part of their name or title, clients also by their redirect URIs, users and upstream accounts by their
 * beginning, calls by their whole request id, and everything that is stored by its whole id.
 */
export const SEARCH: AdminPage = {
  path: SEARCH_PATH,
  section: '',
  async show(request) {
    const text = request.query('q')?.slice(0, MAX_LENGTH) ?? null;
    const groups = text === null ? {} : await searchAll(request, text);
    const resultGroups = Object.entries(groups).filter(([, results]) => results.length > 0);
    const content = html`<h1>Search</h1>
${text === null ? null : html`<p>For <strong>${untrusted(text)}</strong></p>`}
${
  resultGroups.length === 0
    ? emptyState(
        text === null ? 'Search everything' : 'Nothing was found',
        html`Type the name of a service, tool, partner or client, the beginning of a user_id or of a connected account, or a whole id: of a request, call, user, client, grant or connection. <a href="${address(`${ADMIN_PATH}/users`, { q: text })}">Users whose user_id contains it</a>.${ofRequest(request, text)}`,
      )
    : resultGroups.map(([name, results]) => html`<h2>${name}</h2>${resultList(results)}`)
}`;
    return { title: 'Search', content };
  },
};

/** Leads to what a request did that has no call on record, or too many others began after its calls. */
function ofRequest({ deps }: AdminRequest, text: string | null): Html | null {
  if (text === null || !ROW_ID.test(text)) return null;
  const events = deps.trail === null ? null : html`, ${trailLink(deps, { q: text }, 'its events')}`;
  return html` If it is the id of a request: <a href="${callsAddress({ request: text })}">its calls</a>${events}.`;
}

async function searchAll(request: AdminRequest, text: string): Promise<Readonly<Record<string, readonly Result[]>>> {
  const { deps } = request;
  const { db, catalogue } = deps;
  const lowerText = text.toLowerCase();
  const has = (...names: readonly (string | null)[]) => names.some((name) => name?.toLowerCase().includes(lowerText));
  const services = catalogue.connectors.filter(({ name, title }) => has(name, title));
  const tools = catalogue.connectors
    .flatMap((connector) => catalogue.toolsOf(connector))
    .filter(({ name, title }) => has(name, title));
  const partners = (await listPartners(db, MAX_PARTNERS)).filter(
    ({ id, name, clientId }) => id === text || has(name, clientId),
  );
  const client = await findClient(db, text);
  const clients = client === undefined ? await findClientsByText(db, { text, limit: MAX_RESULTS }) : [client];
  return {
    Services: services.slice(0, MAX_RESULTS).map(({ name, title }) => ({
      to: address(`${ADMIN_PATH}/tools`, { service: name }),
      text: title,
      remark: html`<code>${name}</code>`,
    })),
    Tools: tools.slice(0, MAX_RESULTS).map(({ name, title }) => ({
      to: `${ADMIN_PATH}/tools/${encodeURIComponent(name)}`,
      text: html`<code>${name}</code>`,
      remark: title,
    })),
    Partners: partners.slice(0, MAX_RESULTS).map((partner) => ({
      to: `${ADMIN_PATH}/partners/${partner.id}`,
      text: untrusted(partner.name),
      remark: html`<code>${partner.clientId}</code>${testMark(partner)}`,
    })),
    Clients: clients.map(({ clientId, clientName }) => ({
      to: clientAddress(clientId),
      text: untrustedClient(clientName, '(no name)', true),
      remark: html`unverified name, <code>${clientId}</code>`,
    })),
    Users: (await findUsers(request, text)).map((user) => ({
      to: `${ADMIN_PATH}/users/${user.id}`,
      text: untrusted(user.externalUserId),
      remark: html`${untrusted(user.partnerName)}${testMark(user)}`,
    })),
    Connections: await findConnections(request, text),
    Grants: await findGrants(request, text),
    ...(await findCalls(request, text)),
  };
}

async function findUsers({ deps: { db } }: AdminRequest, text: string): Promise<readonly NamedUser[]> {
  const user = ROW_ID.test(text) ? await findNamedUser(db, text) : undefined;
  return user === undefined ? findUsersByPrefix(db, text, MAX_RESULTS) : [user];
}

async function findConnections({ deps }: AdminRequest, text: string): Promise<readonly Result[]> {
  const own = ROW_ID.test(text) ? await findConnection(deps.db, text) : undefined;
  const connections = own === undefined ? await findConnectionsByAccount(deps.db, text, MAX_RESULTS) : [own];
  return connections.map((connection) => ({
    to: `${ADMIN_PATH}/users/${connection.userId}#connections`,
    text: html`${titleOf(deps, connection.service)}${connection.account === null ? null : html`: ${untrusted(connection.account)}`}`,
    remark: html`of ${untrusted(connection.externalUserId)}, ${untrusted(connection.partnerName)}${testMark(connection)}`,
  }));
}

async function findGrants({ deps }: AdminRequest, text: string): Promise<readonly Result[]> {
  const grant = ROW_ID.test(text) ? await findGrant(deps.db, text) : undefined;
  if (grant === undefined) return [];
  const { clientId, clientName, userId, externalUserId } = grant;
  return [
    {
      to: `${ADMIN_PATH}/users/${userId}#grants`,
      text: clientId === null ? 'Partner token' : untrustedClient(clientName, clientId),
      remark: html`allowed by ${untrusted(externalUserId)}${testMark(grant)}`,
    },
  ];
}

/** Finds the call with this id, or the calls of the request with this id. */
async function findCalls({ deps }: AdminRequest, text: string): Promise<Readonly<Record<string, readonly Result[]>>> {
  if (!REQUEST_ID.test(text)) return {};
  const own = ROW_ID.test(text) ? await findCall(deps.db, text) : undefined;
  const search = { requestId: text, place: {}, limit: MAX_RESULTS };
  const calls = own === undefined ? (await searchCalls(deps.db, search)).rows : [own];
  return { Calls: calls.map((call) => callResult(deps, call)) };
}

function callResult(deps: AdminRequest['deps'], call: FoundCall): Result {
  const { id, tool, outcome, createdAt, requestId } = call;
  const events = deps.trail === null ? null : html`, ${trailLink(deps, { q: requestId }, 'its events')}`;
  return {
    to: `${ADMIN_PATH}${CALLS_PATH}/${id}`,
    text: html`<code>${tool}</code>`,
    remark: html`${outcome}, ${moment(createdAt)}, <a href="${callsAddress({ request: requestId })}">all of the request</a>${events}${testMark(call)}`,
  };
}

function resultList(results: readonly Result[]): Html {
  return html`<div class="card"><ul class="rows">${results.map(
    ({ to, text, remark }) => html`<li><a href="${to}">${text}</a> <small>${remark}</small></li>`,
  )}</ul></div>`;
}
