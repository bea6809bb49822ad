/** Users: a searchable list. */

import { html } from '../../../base/pages/html.ts';
import { readListPage } from '../../../base/store/reports/list-page.ts';
import { listWaitingFlows, searchUsers } from '../../../base/store/reports/user-search.ts';
import { listPartners } from '../../../base/store/repositories/partners.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { pager, placeIn } from '../view/pager.ts';
import { badge, distance, figure, moment, selectField, table, textField, untrusted } from '../view/parts.ts';

const PAGE_SIZE = 50;
const MAX_PARTNERS = 500;
const PATH = `${ADMIN_PATH}/users`;
const WAITING = 'waiting-';

export async function showUsers({ deps, now, query }: OperatorRequest): Promise<AdminPage> {
  const [partner, text] = [query('partner'), query('q')];
  const filter = { ...(partner === null ? {} : { partnerId: partner }), ...(text === null ? {} : { text }) };
  const users = await readListPage({
    place: placeIn(query),
    limit: PAGE_SIZE,
    read: (place, limit) => searchUsers(deps.db, { ...filter, ...place }, limit),
    placeOf: ({ id }) => id,
  });
  const waiting = await readListPage({
    place: placeIn(query, WAITING),
    limit: PAGE_SIZE,
    read: (place, limit) => listWaitingFlows(deps.db, { ...filter, ...place }, limit),
    placeOf: ({ id }) => id,
  });
  const partners = await listPartners(deps.db, MAX_PARTNERS);
  const parameters = { q: text, partner };
  const content = html`<h1>Users</h1>
<form method="get" action="${PATH}" class="filters" role="search">
${textField({ name: 'q', label: 'user_id contains', value: text ?? '', maxLength: 512 })}
${selectField({
  name: 'partner',
  label: 'Partner',
  value: partner ?? '',
  options: [['', 'All'], ...partners.map(({ id, name }) => [id, name] as const)],
})}
<button type="submit">Search</button></form>
${table(
  'Users',
  [{ name: 'user_id', kind: 'long' }, { name: 'Partner' }, { name: 'Connections' }, { name: 'Since' }],
  users.rows.map((user) => [
    html`<a href="${ADMIN_PATH}/users/${user.id}">${untrusted(user.externalUserId)}</a>`,
    untrusted(user.partnerName),
    html`${figure(user.active)} active ${user.attention === 0 ? null : badge(`${figure(user.attention)} need attention`, 'bad')}`,
    moment(user.createdAt),
  ]),
  'No user matches.',
)}
${pager(users, { path: PATH, parameters })}
<h2 id="waiting">Connect flows that wait for the partner</h2>
<p class="quiet">The user has connected the service; the partner has not exchanged the code at POST /api/oauth/token. Until then there are no tools, and the user may not exist yet.</p>
${table(
  'Connect flows that wait for the partner',
  [
    { name: 'user_id', kind: 'long' },
    { name: 'Partner' },
    { name: 'Service' },
    { name: 'Completed' },
    { name: 'Code' },
  ],
  waiting.rows.map((flow) => [
    untrusted(flow.externalUserId),
    html`<a href="${ADMIN_PATH}/partners/${flow.partnerId}">${untrusted(flow.partnerName)}</a>`,
    deps.catalogue.findConnector(flow.service)?.title ?? flow.service,
    moment(flow.createdAt),
    flow.expiresAt > now
      ? badge(`expires ${distance(flow.expiresAt, now)}`, 'warn')
      : badge(`expired ${distance(flow.expiresAt, now)}`, 'bad'),
  ]),
  'None.',
)}
${pager(waiting, { path: PATH, parameters, list: WAITING, anchor: 'waiting' })}`;
  return { title: 'Users', section: '/users', content };
}
