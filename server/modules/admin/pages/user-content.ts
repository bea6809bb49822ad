/** What the page of one user shows: why there are tools or none, connections, tokens, clients, and a timeline. */

import { cardForm, checkbox, checkboxes, dangerButton } from '../../../base/dashboard/forms.ts';
import { pager, placeIn, searchForm } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH, type Shown } from '../../../base/dashboard/pages.ts';
import {
  distance,
  listed,
  moment,
  partnerLink,
  statusBadge,
  table,
  untrusted,
  untrustedClient,
} from '../../../base/dashboard/parts.ts';
import { clientNameText } from '../../../base/pages/client-name.ts';
import { badge, button, hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { ListPage } from '../../../base/store/list-page.ts';
import { listUnredeemedServices } from '../../../base/store/reports/user-search.ts';
import { type FoundUserToken, listUserTokens } from '../../../base/store/repositories/access-tokens.ts';
import { type Connection, listConnections } from '../../../base/store/repositories/connections.ts';
import { type Grant, listUserGrants } from '../../../base/store/repositories/oauth-grants.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import type { User } from '../../../base/store/repositories/users.ts';
import { type AdminRequest, addedTo, titleOf } from '../context.ts';
import { countTools, type Finding, findCauses, isLive, type Situation } from './diagnosis.ts';
import { CALLS_PATH, callsAddress, withAsked } from './links.ts';
import { readTimeline, type TimelineEntry } from './timeline.ts';

const MAX_TOKENS = 50;
const MAX_GRANTS = 50;

/** @param notice what was just done. */
export async function userContent(request: AdminRequest, user: User, notice: Html | null): Promise<Shown> {
  const { deps, now, mayAct, query } = request;
  const { db, catalogue, resource } = deps;
  const connections = await listConnections(db, user.id);
  const tokens = await listUserTokens(db, user.id, MAX_TOKENS);
  const grants = await listUserGrants(db, user.id, MAX_GRANTS);
  const unredeemed = await listUnredeemedServices(db, user);
  const timeline = await readTimeline(db, { userId: user.id, trail: deps.trail, tokens, now }, placeIn(query));
  const partner = await findPartner(db, user.partnerId);
  if (partner === undefined) throw new Error('the partner of a user is not there');
  const situation = { partner, connections, unredeemed, tokens, catalogue, resource, now };
  const path = pathOf(user);

  const content = html`<h1>${untrusted(user.externalUserId)}</h1>
${notice}
<p>User of ${partnerLink({ partnerId: user.partnerId, partnerName: partner.name })}, known since ${moment(user.createdAt)}.
<a href="${callsAddress({ user: user.id })}">Its calls</a>.
${mayAct ? html`<a href="${ADMIN_PATH}/tools?user=${user.id}">Try a tool as this user</a>, or <a href="${ADMIN_PATH}/grants?user=${user.id}">revoke everything that the user allowed</a>.` : null}</p>
<h2>Connected, but why no tools?</h2>
${findingList(findCauses(situation))}
<h3>Why does a client lack a tool?</h3>
${whyForm(path, situation, { tool: null, client: null })}
<h2 id="connections">Connections</h2>
${table(connections, {
  caption: 'Connections',
  columns: {
    Service: (connection) => toAccount(titleOf(deps, connection.service), connection),
    'Signed in as': ({ account }) => (account === null ? '' : untrusted(account)),
    Status: ['state', ({ status }) => statusBadge(status)],
    Created: ({ createdAt }) => moment(createdAt),
    Changed: ({ updatedAt }) => moment(updatedAt),
  },
  buttons: [
    ({ id, service, accountName }) =>
      dangerButton(
        request,
        `${path}/connections/${accountName === null ? encodeURIComponent(service) : id}/remove`,
        'Remove',
      ),
  ],
  empty: 'This user has connected no service.',
})}
<h2>Access tokens</h2>
${tokenTable(request, user, situation)}
${mayAct ? mintForm(request, user, connections) : null}
<h2>Clients that the user allowed</h2>
${grantTable(request, user, grants)}
<h2 id="timeline">Timeline</h2>
${timelineList(timeline)}
${pager(timeline, { path, anchor: 'timeline' })}
${await addedTo('user', request, user)}
${mayAct ? html`<h2>Remove</h2>` : null}
${cardForm(request, `${path}/remove`, {
  content: html`<p>Removes connections, credentials, tokens and grants; tokens are revoked at once. The audit trail keeps a random reference instead of the user.</p>`,
  button: 'Remove user',
  kind: 'danger',
})}`;
  return { title: user.externalUserId, content };
}

/** Asks why a client lacks a tool. @param path of the user's page. */
export function whyForm(
  path: string,
  { tokens }: { readonly tokens: readonly FoundUserToken[] },
  { tool, client }: { readonly tool: string | null; readonly client: string | null },
): Html {
  const clients = tokens.flatMap(({ clientId, clientName }) =>
    clientId === null ? [] : [[clientId, clientNameText(clientName, clientId)] as const],
  );
  const options = withAsked([['', 'Every client'], ...new Map(clients)], client);
  return searchForm(
    `${path}/why`,
    [
      { name: 'tool', label: 'Tool', value: tool, maxLength: 128 },
      { name: 'client', label: 'Client', value: client, options },
    ],
    { button: 'Ask' },
  );
}

/** The service, with the name of the account where the user has had several. @param title of the service. */
export function toAccount(title: string, { accountName }: Pick<Connection, 'accountName'>): string {
  return accountName === null ? title : `${title} (account ${accountName})`;
}

function pathOf({ id }: User): string {
  return `${ADMIN_PATH}/users/${id}`;
}

function findingList(findings: readonly Finding[]): Html {
  const words = { bad: 'cause', warn: 'note', good: 'fine' } as const;
  const order = Object.keys(words);
  const sorted = [...findings].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return html`<div class="card"><ul class="plain-list">${sorted.map(
    ({ kind, text }) => html`<li>${badge(words[kind], kind)} ${text}</li>`,
  )}</ul></div>`;
}

function tokenTable(request: AdminRequest, user: User, situation: Situation): Html {
  const { now } = request;
  const stateOf = (token: FoundUserToken) => {
    const { expiresAt, revokedAt } = token;
    if (isLive(token, now)) return badge(`expires ${distance(expiresAt, now)}`, 'good');
    return badge(revokedAt === null ? `expired ${distance(expiresAt, now)}` : `revoked ${distance(revokedAt, now)}`);
  };
  return table(situation.tokens, {
    caption: 'Access tokens',
    columns: {
      'Held by': ({ grantId, clientName, clientId }) =>
        grantId === null ? 'minted for testing' : untrustedClient(clientName, clientId ?? 'Partner'),
      Scopes: ({ scopes }) => scopes.join(' '),
      Services: ({ services }) => listed(services),
      Issued: ({ createdAt }) => moment(createdAt),
      State: ['state', stateOf],
      Tools: ['number', (token) => (isLive(token, now) ? countTools(token, situation) : '–')],
    },
    buttons: [
      (token) =>
        isLive(token, now) ? dangerButton(request, `${pathOf(user)}/tokens/${token.id}/revoke`, 'Revoke') : null,
    ],
    empty: 'There is no access token.',
  });
}

function mintForm({ csrf }: AdminRequest, user: User, connections: readonly Connection[]): Html {
  const names = new Set(connections.map(({ service }) => service));
  const services = [...names].map((service) => ({ value: service, label: service, checked: false }));
  return html`<details class="card"><summary>Mint a test token</summary>
<form method="post" action="${pathOf(user)}/tokens">${hidden('csrf', csrf)}
<p>Valid for one hour. It acts for this user, and is shown once.</p>
${checkboxes('services', 'Only these services (none ticked: all)', services)}
${checkbox('read_only', 'Read-only')}
<div class="actions">${button('Mint token', { kind: 'primary' })}</div></form></details>`;
}

function grantTable(request: AdminRequest, user: User, grants: readonly Grant[]): Html {
  const { now } = request;
  const isValid = ({ revokedAt, expiresAt }: Grant) => revokedAt === null && expiresAt > now;
  return table(grants, {
    caption: 'Clients that the user allowed',
    columns: {
      Client: ({ clientId, clientName }) => (clientId === null ? 'Partner' : untrustedClient(clientName, clientId)),
      Scopes: ({ scopes }) => scopes.join(' '),
      Services: ({ services }) => listed(services),
      Since: ({ createdAt }) => moment(createdAt),
      State: [
        'state',
        (grant) =>
          isValid(grant)
            ? badge('live', 'good')
            : badge(grant.revokedReason ?? `over ${distance(grant.expiresAt, now)}`),
      ],
    },
    buttons: [
      (grant) => (isValid(grant) ? dangerButton(request, `${pathOf(user)}/grants/${grant.id}/revoke`, 'Revoke') : null),
    ],
    empty: 'The user has not allowed any client.',
  });
}

function timelineList({ rows, newer, older }: ListPage<TimelineEntry>): Html {
  if (rows.length === 0) {
    return html`<p class="quiet">${newer === null && older === null ? 'No events yet.' : 'No more events.'}</p>`;
  }
  return html`<div class="card"><ol class="timeline">${rows.map(
    ({ at, kind, label, text, detail, call }) =>
      html`<li>${call === null ? moment(at) : html`<a href="${ADMIN_PATH}${CALLS_PATH}/${call}">${moment(at)}</a>`}<details><summary>${badge(label, kind)} <bdi>${text}</bdi>${detail === null ? null : html` <small><bdi>${detail}</bdi></small>`}</summary></details></li>`,
  )}</ol></div>`;
}
