/** Users: a searchable list. */

import { html } from '../pages/html.ts';
import { listPartners } from '../store/repositories/partners.ts';
import { searchUsers } from '../store/repositories/user-search.ts';
import { badge, moment, olderLink, selectField, stranger, table, textField } from './parts.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from './request.ts';

const PAGE_SIZE = 50;
const MAX_PARTNERS = 500;

export async function showUsers({ deps, query }: OperatorRequest): Promise<AdminPage> {
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
    html`<a href="${ADMIN_PATH}/users/${user.id}">${stranger(user.externalUserId)}</a>`,
    stranger(user.partnerName),
    html`${user.active} active ${user.attention === 0 ? null : badge(`${user.attention} need attention`, 'bad')}`,
    moment(user.createdAt),
  ]),
  'No user matches.',
)}
${users.length > PAGE_SIZE && last ? olderLink(`${ADMIN_PATH}/users`, { q: text, partner, before: last.id }) : null}`;
  return { title: 'Users', section: '/users', content };
}
