/** The page of one user: reasons why there are tools or none, connections, tokens, clients, and a timeline. */

import { cardForm, checkbox, checkboxes, dangerButton } from '../../../base/dashboard/forms.ts';
import { pager, readCursor, searchForm } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH, type RenderedPage } from '../../../base/dashboard/pages.ts';
import {
  distance,
  holderLink,
  listed,
  moment,
  partnerLink,
  table,
  testMark,
  untrusted,
} from '../../../base/dashboard/parts.ts';
import { clientNameText } from '../../../base/pages/client-name.ts';
import { badge, button, hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { readPermission, toScopes } from '../../../base/principal/permission.ts';
import type { ListPage } from '../../../base/store/list-page.ts';
import { type FoundUserToken, listUserTokens } from '../../../base/store/repositories/access-tokens.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { type Grant, listUserGrants } from '../../../base/store/repositories/oauth-grants.ts';
import { findPartner, mayOffer, type Partner } from '../../../base/store/repositories/partners.ts';
import { listSharedAccounts } from '../../../base/store/repositories/teams.ts';
import type { User } from '../../../base/store/repositories/users.ts';
import type { Catalogue } from '../../../call/tools/catalogue/catalogue.ts';
import { type AdminRequest, moduleSectionsOf, titleOf } from '../context.ts';
import { ACCESS_COLUMNS, accountTitle, CALLS_PATH, CONNECTION_COLUMNS, callsAddress, withSelected } from './links.ts';
import { readTimeline, type TimelineEntry } from './timeline.ts';
import { explainTools } from './why-no-tools.ts';

const MAX_TOKENS = 50;
const MAX_GRANTS = 50;

/** @param notice what was just done, or null. */
export async function userContent(request: AdminRequest, user: User, notice: Html | null): Promise<RenderedPage> {
  const { deps, now, mayAct, query } = request;
  const { db } = deps;
  const connections = await listConnections(db, user.id);
  const shared = await listSharedAccounts(db, user.id, connections);
  const accounts = [...connections, ...shared];
  const tokens = await listUserTokens(db, user.id, MAX_TOKENS);
  const grants = await listUserGrants(db, user.id, MAX_GRANTS);
  const timeline = await readTimeline(db, { userId: user.id, trail: deps.trail, tokens, now }, readCursor(query));
  const partner = await findPartner(db, user.partnerId);
  if (partner === undefined) throw new Error('the partner of a user is not there');
  const path = `${ADMIN_PATH}/users/${user.id}`;

  const content = html`<h1>${untrusted(user.externalUserId)}${testMark(partner)}</h1>
${notice}
<p>User of ${partnerLink({ ...partner, partnerId: partner.id, partnerName: partner.name })}, known since ${moment(user.createdAt)}.
<a href="${callsAddress({ user: user.id })}">Its calls</a>.
${mayAct ? html`<a href="${ADMIN_PATH}/tools?user=${user.id}">Try a tool as this user</a>, or <a href="${ADMIN_PATH}/grants?user=${user.id}">revoke everything that the user allowed</a>.` : null}</p>
<h2>Access check</h2>
${await explainTools(request, user, { partner, accounts })}
<h3>Why does a client lack a tool?</h3>
${whyForm(path, tokens, { tool: null, client: null })}
<h2 id="connections">Connections</h2>
${table(connections, {
  caption: 'Connections',
  columns: {
    Service: ({ service, accountName }) => accountTitle(titleOf(deps, service), accountName),
    'Signed in as': ({ account }) => (account === null ? '' : untrusted(account)),
    ...CONNECTION_COLUMNS,
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
${shared.length === 0 ? null : html`<p>Shared with the user by teams: ${listed(shared.map((each) => accountTitle(titleOf(deps, each.service), each.accountName)))}.</p>`}
<h2>Access tokens</h2>
${tokenTable(request, path, { partner, accounts, tokens })}
${mayAct ? mintForm(request, path, accounts) : null}
<h2 id="grants">Clients that the user allowed</h2>
${grantTable(request, path, grants)}
<h2 id="timeline">Timeline</h2>
${timelineList(timeline)}
${pager(timeline, { path, anchor: 'timeline' })}
${await moduleSectionsOf('user', request, user)}
${mayAct ? html`<h2>Remove</h2>` : null}
${cardForm(request, `${path}/remove`, {
  content: html`<p>Removes connections, credentials, tokens and grants; tokens are revoked at once. The audit trail keeps a random reference instead of the user.</p>`,
  button: 'Remove user',
  kind: 'danger',
})}`;
  return { title: user.externalUserId, content };
}

/** Returns the form that asks why a client lacks a tool. @param path of the user's page. */
export function whyForm(
  path: string,
  tokens: readonly FoundUserToken[],
  { tool, client }: { readonly tool: string | null; readonly client: string | null },
): Html {
  const clients = new Map<string, string>();
  for (const { clientId, clientName } of tokens) {
    if (clientId !== null) clients.set(clientId, clientNameText(clientName, clientId));
  }
  const options = withSelected([['', 'Every client'], ...clients], client);
  return searchForm(
    `${path}/why`,
    [
      { name: 'tool', label: 'Tool', value: tool, maxLength: 128 },
      { name: 'client', label: 'Client', value: client, options },
    ],
    { button: 'Ask' },
  );
}

/** A token or grant. Times are milliseconds since 1970. */
interface Revocable {
  readonly revokedAt: number | null;
  readonly expiresAt: number;
}

/** Returns true if a client can use the token or grant now. */
export function isLive({ revokedAt, expiresAt }: Revocable, now: number): boolean {
  return revokedAt === null && expiresAt > now;
}

interface UserAccess {
  readonly partner: Partner;
  readonly accounts: readonly { readonly service: string }[];
  readonly tokens: readonly FoundUserToken[];
}

function tokenTable(request: AdminRequest, path: string, access: UserAccess): Html {
  const { deps, now } = request;
  return table(access.tokens, {
    caption: 'Access tokens',
    columns: {
      'Held by': (token) => (token.grantId === null ? 'minted for testing' : holderLink(token)),
      ...ACCESS_COLUMNS,
      Issued: ({ createdAt }) => moment(createdAt),
      State: ['state', (token) => tokenState(token, now)],
      Tools: ['number', (token) => (isLive(token, now) ? countTools(token, access, deps.catalogue) : '–')],
    },
    buttons: [
      (token) => (isLive(token, now) ? dangerButton(request, `${path}/tokens/${token.id}/revoke`, 'Revoke') : null),
    ],
    empty: 'There is no access token.',
  });
}

function grantTable(request: AdminRequest, path: string, grants: readonly Grant[]): Html {
  const { now } = request;
  return table(grants, {
    caption: 'Clients that the user allowed',
    columns: {
      Client: holderLink,
      ...ACCESS_COLUMNS,
      Since: ({ createdAt }) => moment(createdAt),
      State: ['state', (grant) => grantState(grant, now)],
    },
    buttons: [
      (grant) => (isLive(grant, now) ? dangerButton(request, `${path}/grants/${grant.id}/revoke`, 'Revoke') : null),
    ],
    empty: 'The user has not allowed any client.',
  });
}

function tokenState(token: FoundUserToken, now: number): Html {
  const { expiresAt, revokedAt } = token;
  if (isLive(token, now)) return badge(`expires ${distance(expiresAt, now)}`, 'good');
  return badge(revokedAt === null ? `expired ${distance(expiresAt, now)}` : `revoked ${distance(revokedAt, now)}`);
}

function grantState(grant: Grant, now: number): Html {
  if (isLive(grant, now)) return badge('live', 'good');
  return badge(grant.revokedReason ?? `over ${distance(grant.expiresAt, now)}`);
}

/** Counts the tools that a client with this token is listed now. */
function countTools(token: FoundUserToken, { partner, accounts }: UserAccess, catalogue: Catalogue): number {
  if (partner.suspendedAt !== null) return 0;
  const services = accounts
    .map(({ service }) => service)
    .filter((service) => mayOffer(partner, service) && (token.services?.includes(service) ?? true));
  const permission = readPermission(token.permission);
  return catalogue.names({ clientId: null, services, scopes: toScopes(token.scopes), permission }).length;
}

function mintForm({ csrf }: AdminRequest, path: string, accounts: UserAccess['accounts']): Html {
  const names = new Set(accounts.map(({ service }) => service));
  const services = [...names].map((service) => ({ value: service, label: service, checked: false }));
  return html`<details class="card"><summary>Mint a test token</summary>
<form method="post" action="${path}/tokens">${hidden('csrf', csrf)}
<p>Valid for one hour. It acts for this user, and is shown once.</p>
${checkboxes('services', 'Only these services (none ticked: all)', services)}
${checkbox('read_only', 'Read-only')}
<div class="actions">${button('Mint token', { kind: 'primary' })}</div></form></details>`;
}

function timelineList({ rows, newer, older }: ListPage<TimelineEntry>): Html {
  if (rows.length === 0) {
    return html`<p class="quiet">${newer === null && older === null ? 'No events yet.' : 'No more events.'}</p>`;
  }
  return html`<div class="card"><ol class="timeline">${rows.map(timelineItem)}</ol></div>`;
}

function timelineItem({ at, kind, label, text, detail, call, client }: TimelineEntry): Html {
  const time = call === null ? moment(at) : html`<a href="${ADMIN_PATH}${CALLS_PATH}/${call}">${moment(at)}</a>`;
  const more = detail === null ? null : html` <small><bdi>${detail}</bdi></small>`;
  return html`<li>${time}<details><summary>${badge(label, kind)} <bdi>${text}</bdi>${more}</summary>${client === undefined ? null : html`<p>Client: ${holderLink(client)}</p>`}</details></li>`;
}
