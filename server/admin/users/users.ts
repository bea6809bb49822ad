/** Users: a searchable list. */

import { html } from '../../pages/html.ts';
import { listWaitingFlows, searchUsers } from '../../store/reports/user-search.ts';
import { listPartners } from '../../store/repositories/partners.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from '../request.ts';
import { badge, distance, moment, olderLink, selectField, table, textField, untrusted } from '../view/parts.ts';

const PAGE_SIZE = 50;
const MAX_PARTNERS = 500;
const MAX_WAITING = 50;

export async function showUsers({ deps, now, query }: OperatorRequest): Promise<AdminPage> {
  const [partner, text, before] = [query('partner'), query('q'), query('before')];
  const filter = {
    ...(partner === null ? {} : { partnerId: partner }),
    ...(text === null ? {} : { text }),
    ...(before === null ? {} : { before }),
  };
  const users = await searchUsers(deps.db, filter, PAGE_SIZE + 1);
  const shown = users.slice(0, PAGE_SIZE);
  const partners = await listPartners(deps.db, MAX_PARTNERS);
  const last = shown.at(-1);
  const waiting = await listWaitingFlows(deps.db, filter, MAX_WAITING);
  const content = html`<h1>Users</h1>
<form method="get" action="${ADMIN_PATH}/users" class="filters" role="search">
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
  [{ name: 'user_id', kind: 'long' }, { name: 'Partner' }, { name: 'Connections' }, { name: 'Since (UTC)' }],
  shown.map((user) => [
    html`<a href="${ADMIN_PATH}/users/${user.id}">${untrusted(user.externalUserId)}</a>`,
    untrusted(user.partnerName),
    html`${user.active} active ${user.attention === 0 ? null : badge(`${user.attention} need attention`, 'bad')}`,
    moment(user.createdAt),
  ]),
  'No user matches.',
)}
${users.length > PAGE_SIZE && last ? olderLink(`${ADMIN_PATH}/users`, { q: text, partner, before: last.id }) : null}
<h2>Connect flows that wait for the partner</h2>
<p class="quiet">The user has connected the service; the partner has not exchanged the code at POST /api/oauth/token. Until then there are no tools, and maybe no such user.</p>
${table(
  'Connect flows that wait for the partner',
  [
    { name: 'user_id', kind: 'long' },
    { name: 'Partner' },
    { name: 'Service' },
    { name: 'Completed (UTC)' },
    { name: 'Code' },
  ],
  waiting.map((flow) => [
    untrusted(flow.externalUserId),
    html`<a href="${ADMIN_PATH}/partners/${flow.partnerId}">${untrusted(flow.partnerName)}</a>`,
    deps.catalogue.findConnector(flow.service)?.title ?? flow.service,
    moment(flow.createdAt),
    flow.expiresAt > now
      ? badge(`expires ${distance(flow.expiresAt, now)}`, 'warn')
      : badge(`ran out ${distance(flow.expiresAt, now)}`, 'bad'),
  ]),
  'None.',
)}`;
  return { title: 'Users', section: '/users', content };
}
