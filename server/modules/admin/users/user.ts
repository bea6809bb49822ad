/** One user: why there are tools or none, connections, tokens, clients, and a timeline. */

import { hidden } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { PageError } from '../../../base/pages/page-errors.ts';
import type { ListPage } from '../../../base/store/reports/list-page.ts';
import {
  type FoundUserGrant,
  type FoundUserToken,
  listUnredeemedServices,
  listUserGrants,
  listUserTokens,
} from '../../../base/store/reports/user-search.ts';
import { type Connection, listConnections } from '../../../base/store/repositories/connections.ts';
import { findPartner } from '../../../base/store/repositories/partners.ts';
import { findUserById, type User } from '../../../base/store/repositories/users.ts';
import { CALLS_PATH, callsAddress } from '../calls/search.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { pager, placeIn } from '../view/pager.ts';
import {
  badge,
  buttonForm,
  checkboxes,
  distance,
  moment,
  statusBadge,
  success,
  table,
  untrusted,
} from '../view/parts.ts';
import { countTools, type Finding, findCauses, isLive, type Situation } from './diagnosis.ts';
import type { TimelineEntry } from './timeline.ts';
import { readTimeline } from './timeline-page.ts';

const MAX_TOKENS = 50;
const MAX_GRANTS = 50;

const DONE: Readonly<Record<string, string>> = {
  token: 'The token was revoked.',
  grant: 'The client has lost its access.',
  connection: 'The connection and its credential are removed.',
};

export async function showUser(request: OperatorRequest): Promise<AdminPage> {
  const done = DONE[request.query('done') ?? ''];
  const notice = done === undefined ? null : success('Done', html`<p>${done}</p>`);
  return userPage(request, await userOf(request), notice);
}

/** The user that the address names. @throws {PageError} 404. */
export async function userOf({ deps, params }: OperatorRequest): Promise<User> {
  const user = await findUserById(deps.db, params.id ?? '');
  if (user !== undefined) return user;
  throw new PageError(404, {
    title: 'No such user',
    text: 'There is no user under this address.',
    advice: html`Choose one in the <a href="${ADMIN_PATH}/users">list of users</a>.`,
  });
}

/** The page, with a notice above it about what was just done. */
export async function userPage(request: OperatorRequest, user: User, notice: Html | null): Promise<AdminPage> {
  const { deps, now, csrf, mayAct, query } = request;
  const { db, catalogue, resource } = deps;
  const connections = await listConnections(db, user.id);
  const tokens = await listUserTokens(db, user.id, MAX_TOKENS);
  const grants = await listUserGrants(db, user.id, MAX_GRANTS);
  const unredeemed = await listUnredeemedServices(db, user);
  const timeline = await readTimeline(db, { userId: user.id, tokens, now }, placeIn(query));
  const partner = await findPartner(db, user.partnerId);
  if (partner === undefined) throw new Error('the partner of a user is not there');
  const situation = { partner, connections, unredeemed, tokens, catalogue, resource, now };
  const path = `${ADMIN_PATH}/users/${user.id}`;

  const content = html`<h1>${untrusted(user.externalUserId)}</h1>
${notice}
<p>User of <a href="${ADMIN_PATH}/partners/${user.partnerId}">${untrusted(partner.name)}</a>, known since ${moment(user.createdAt)}.
<a href="${callsAddress({ user: user.id })}">Its calls</a>.
${mayAct ? html`<a href="${ADMIN_PATH}/tools?user=${user.id}">Try a tool as this user</a>, or <a href="${ADMIN_PATH}/grants?user=${user.id}">revoke everything that the user allowed</a>.` : null}</p>
<h2>Connected, but why no tools?</h2>
${findingList(findCauses(situation))}
<h2>Connections</h2>
${connectionTable(connections, { path, csrf, titleOf: (service) => catalogue.findConnector(service)?.title ?? service })}
<h2>Access tokens</h2>
${tokenTable(tokens, { path, csrf, situation })}
${mayAct ? mintForm(connections, { path, csrf }) : null}
<h2>Clients that the user allowed</h2>
${grantTable(grants, { path, csrf, now })}
<h2 id="timeline">Timeline</h2>
${timelineList(timeline)}
${pager(timeline, { path, anchor: 'timeline' })}
${mayAct ? html`<h2>Remove</h2>` : null}
<form method="post" action="${path}/remove" class="card">${hidden('csrf', csrf)}
<p>Removes connections, credentials, tokens and grants; tokens are revoked at once. The audit trail keeps a random reference instead of the user.</p>
<div class="actions"><button type="submit" class="danger">Remove user</button></div></form>`;
  return { title: user.externalUserId, section: '/users', content };
}

interface Place {
  readonly path: string;
  readonly csrf: string;
}

function findingList(findings: readonly Finding[]): Html {
  const words = { bad: 'cause', warn: 'note', good: 'fine' } as const;
  const order = Object.keys(words);
  const sorted = [...findings].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return html`<div class="card"><ul class="plain-list">${sorted.map(
    ({ kind, text }) => html`<li>${badge(words[kind], kind)} ${text}</li>`,
  )}</ul></div>`;
}

function connectionTable(
  connections: readonly Connection[],
  { path, csrf, titleOf }: Place & { titleOf(service: string): string },
): Html {
  return table(
    'Connections',
    [{ name: 'Service' }, { name: 'Status' }, { name: 'Created' }, { name: 'Changed' }, { name: '' }],
    connections.map(({ service, status, createdAt, updatedAt }) => [
      titleOf(service),
      statusBadge(status),
      moment(createdAt),
      moment(updatedAt),
      buttonForm(`${path}/connections/${encodeURIComponent(service)}/remove`, csrf, 'Remove', 'danger'),
    ]),
    'This user has connected no service.',
  );
}

function tokenTable(tokens: readonly FoundUserToken[], options: Place & { situation: Situation }): Html {
  const { path, csrf, situation } = options;
  const { now } = situation;
  return table(
    'Access tokens',
    [
      { name: 'Held by' },
      { name: 'Scopes' },
      { name: 'Services' },
      { name: 'Issued' },
      { name: 'State' },
      { name: 'Tools', kind: 'number' },
      { name: '' },
    ],
    tokens.map((token) => {
      const live = isLive(token, now);
      return [
        token.grantId === null ? 'minted for testing' : untrusted(token.clientName, token.clientId ?? 'the partner'),
        token.scopes.join(' '),
        token.services === null ? 'all' : token.services.join(', ') || 'none',
        moment(token.createdAt),
        live
          ? badge(`expires ${distance(token.expiresAt, now)}`, 'good')
          : badge(
              token.revokedAt === null
                ? `expired ${distance(token.expiresAt, now)}`
                : `revoked ${distance(token.revokedAt, now)}`,
            ),
        live ? countTools(token, situation) : '–',
        live ? buttonForm(`${path}/tokens/${token.id}/revoke`, csrf, 'Revoke', 'danger') : null,
      ];
    }),
    'There is no access token.',
  );
}

function mintForm(connections: readonly Connection[], { path, csrf }: Place): Html {
  const services = connections.map(({ service }) => service);
  return html`<details class="card"><summary>Mint a test token</summary>
<form method="post" action="${path}/tokens">${hidden('csrf', csrf)}
<p>Valid for one hour. It acts for this user, and is shown once.</p>
${checkboxes(
  'services',
  'Only these services (none ticked: all)',
  services.map((service) => ({ value: service, label: service, checked: false })),
)}
<div class="check"><input type="checkbox" id="read_only" name="read_only" value="yes"><label for="read_only">Read-only</label></div>
<div class="actions"><button type="submit" class="primary">Mint token</button></div></form></details>`;
}

function grantTable(grants: readonly FoundUserGrant[], { path, csrf, now }: Place & { now: number }): Html {
  return table(
    'Clients that the user allowed',
    [{ name: 'Client' }, { name: 'Scopes' }, { name: 'Services' }, { name: 'Since' }, { name: 'State' }, { name: '' }],
    grants.map((grant) => {
      const live = grant.revokedAt === null && grant.expiresAt > now;
      return [
        grant.clientId === null ? 'the partner itself' : untrusted(grant.clientName, grant.clientId),
        grant.scopes.join(' '),
        grant.services === null ? 'all' : grant.services.join(', ') || 'none',
        moment(grant.createdAt),
        live ? badge('live', 'good') : badge(grant.revokedReason ?? `over ${distance(grant.expiresAt, now)}`),
        live ? buttonForm(`${path}/grants/${grant.id}/revoke`, csrf, 'Revoke', 'danger') : null,
      ];
    }),
    'The user has not allowed any client.',
  );
}

function timelineList({ rows, newer, older }: ListPage<TimelineEntry>): Html {
  if (rows.length === 0) {
    return html`<p class="quiet">${newer === null && older === null ? 'No events yet.' : 'No more events.'}</p>`;
  }
  return html`<div class="card"><ol class="timeline">${rows.map(
    ({ at, kind, label, text, detail, call }) =>
      html`<li>${call === null ? moment(at) : html`<a href="${ADMIN_PATH}${CALLS_PATH}/${call}">${moment(at)}</a>`}<div>${badge(label, kind)} <bdi>${text}</bdi>${detail === null ? null : html`<small><bdi>${detail}</bdi></small>`}</div></li>`,
  )}</ol></div>`;
}
