/** One search over services, tools, users and calls. It reads the catalogue and indexes only, and a bounded number of rows. */

import { address } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { moment, untrusted } from '../../../base/dashboard/parts.ts';
import { emptyState } from '../../../base/pages/components.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { searchCalls } from '../../../base/store/reports/call-search.ts';
import { findUsersByPrefix } from '../../../base/store/reports/user-search.ts';
import type { AdminPage, AdminRequest } from '../context.ts';
import { SEARCH_PATH } from '../view/layout.ts';
import { callsAddress } from './links.ts';

const MAX_LENGTH = 200;

/** Results of each kind. */
const MAX_RESULTS = 10;

/** Ids of requests, which callers may choose, have no other characters. */
const REQUEST_ID = /^[\w.:-]{8,100}$/;

interface Result {
  readonly to: string;
  readonly text: HtmlValue;
  readonly remark: HtmlValue;
}

/** Users by the beginning of their user_id, calls by their whole request id; services and tools by a part of their name or title. */
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
        html`Type the name of a service or tool, the beginning of a user_id, or a whole request id. <a href="${address(`${ADMIN_PATH}/users`, { q: text })}">Users whose user_id contains it</a>.`,
      )
    : resultGroups.map(([name, results]) => html`<h2>${name}</h2>${resultList(results)}`)
}`;
    return { title: 'Search', content };
  },
};

async function searchAll({ deps }: AdminRequest, text: string): Promise<Readonly<Record<string, readonly Result[]>>> {
  const { db, catalogue } = deps;
  const lowerText = text.toLowerCase();
  const matchesText = ({ name, title }: { readonly name: string; readonly title: string }) =>
    name.toLowerCase().includes(lowerText) || title.toLowerCase().includes(lowerText);
  const services = catalogue.connectors.filter(matchesText);
  const tools = catalogue.connectors.flatMap((connector) => catalogue.toolsOf(connector)).filter(matchesText);
  const users = await findUsersByPrefix(db, text, MAX_RESULTS);
  const calls = REQUEST_ID.test(text)
    ? (await searchCalls(db, { requestId: text, place: {}, limit: MAX_RESULTS })).rows
    : [];
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
    Users: users.map(({ id, externalUserId, partnerName }) => ({
      to: `${ADMIN_PATH}/users/${id}`,
      text: untrusted(externalUserId),
      remark: untrusted(partnerName),
    })),
    Calls: calls.map(({ id, tool, outcome, createdAt }) => ({
      to: `${ADMIN_PATH}/calls/${id}`,
      text: html`<code>${tool}</code>`,
      remark: html`${outcome}, ${moment(createdAt)}, <a href="${callsAddress({ request: text })}">all of the request</a>`,
    })),
  };
}

function resultList(results: readonly Result[]): Html {
  return html`<div class="card"><ul class="rows">${results.map(
    ({ to, text, remark }) => html`<li><a href="${to}">${text}</a> <small>${remark}</small></li>`,
  )}</ul></div>`;
}
