/** Users: a searchable list. */

import { list, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { distance, figure, moment, partnerLink, testMark, untrusted, userLink } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { listWaitingFlows, searchUsers } from '../../../base/store/reports/user-search.ts';
import { type AdminPage, titleOf } from '../context.ts';
import { partnerChoices, REALM_FILTERS, readRealm, realmField } from './links.ts';

const PATH = `${ADMIN_PATH}/users`;

export const USERS: AdminPage = {
  path: '/users',
  async show(request) {
    const { deps, now, query } = request;
    const partner = query('partner');
    const text = query('q');
    const realm = readRealm(query);
    const filter = withoutNulls({ partnerId: partner, text, realm });
    const shared = { path: PATH, parameters: { q: text, partner, realm }, keyOf: ({ id }: { id: string }) => id };
    const content = html`<h1>Users</h1>
${searchForm(
  PATH,
  [
    { name: 'q', label: 'user_id contains', value: text, maxLength: 512 },
    { name: 'partner', label: 'Partner', value: partner, options: await partnerChoices(deps, partner) },
    realmField(realm),
  ],
  { quickFilters: REALM_FILTERS },
)}
${await list(request, (place: PageCursor, limit: number) => searchUsers(deps.db, { ...filter, ...place }, limit), {
  ...shared,
  caption: 'Users',
  columns: {
    user_id: ['long', (user) => userLink({ ...user, userId: user.id })],
    Partner: partnerLink,
    Connections: ({ id, active, attention }) =>
      html`<a href="${PATH}/${id}#connections">${figure(active)} active</a> ${attention === 0 ? null : badge(`${figure(attention)} need attention`, 'bad')}`,
    Since: ({ createdAt }) => moment(createdAt),
  },
  empty: 'No user matches',
  next: html`A <a href="${ADMIN_PATH}/partners">partner</a> adds one when its user connects a service for the first time.`,
})}
<h2 id="waiting">Connections not yet confirmed by the partner</h2>
<p class="quiet">The user has connected the service; the partner has not exchanged the code at POST /api/oauth/token. Until then there are no tools, and the user may not exist yet.</p>
${await list(request, (place: PageCursor, limit: number) => listWaitingFlows(deps.db, { ...filter, ...place }, limit), {
  ...shared,
  caption: 'Connections not yet confirmed by the partner',
  list: 'waiting-',
  anchor: 'waiting',
  columns: {
    user_id: ['long', (flow) => html`${untrusted(flow.externalUserId)}${testMark(flow)}`],
    Partner: partnerLink,
    Service: ({ service }) => titleOf(deps, service),
    Completed: ({ createdAt }) => moment(createdAt),
    Code: ({ expiresAt }) =>
      expiresAt > now
        ? badge(`expires ${distance(expiresAt, now)}`, 'warn')
        : badge(`expired ${distance(expiresAt, now)}`, 'bad'),
  },
  empty: 'None.',
})}`;
    return { title: 'Users', content };
  },
};
