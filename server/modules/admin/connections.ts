/** Connections of all users, by service and status. */

import { html } from '../../base/pages/html.ts';
import { searchConnections } from '../../base/store/reports/connection-list.ts';
import { readListPage } from '../../base/store/reports/list-page.ts';
import { listPartners } from '../../base/store/repositories/partners.ts';
import { toTime } from './calls/search.ts';
import { ADMIN_PATH, type AdminPage, type OperatorRequest } from './request.ts';
import { pager, placeIn } from './view/pager.ts';
import { moment, selectField, statusBadge, table, textField, untrusted } from './view/parts.ts';

const PATH = `${ADMIN_PATH}/connections`;
const PAGE_SIZE = 50;
const MAX_PARTNERS = 500;

const STATUSES = [
  ['active', 'active'],
  ['attention', 'needs attention'],
] as const;

export async function showConnections({ deps, query }: OperatorRequest): Promise<AdminPage> {
  const [service, partner, asked, to] = [query('service'), query('partner'), query('status'), query('to')];
  const madeBefore = toTime(to);
  const [status = null] = STATUSES.find(([name]) => name === asked) ?? [];
  const filter = {
    ...(service === null ? {} : { service }),
    ...(partner === null ? {} : { partnerId: partner }),
    ...(status === null ? {} : { status }),
    ...(madeBefore === null ? {} : { madeBefore }),
  };
  const page = await readListPage({
    place: placeIn(query),
    limit: PAGE_SIZE,
    read: (place, limit) => searchConnections(deps.db, { ...filter, ...place }, limit),
    placeOf: ({ id }) => id,
  });
  const partners = await listPartners(deps.db, MAX_PARTNERS);
  const titleOf = (name: string) => deps.catalogue.findConnector(name)?.title ?? name;
  const services = deps.catalogue.connectors.map(({ name, title }) => [name, title] as const);
  const gone = service === null || services.some(([name]) => name === service) ? [] : [[service, service] as const];
  const content = html`<h1>Connections</h1>
<p>What users have connected. A connection needs attention when its service refuses the credential: the user must connect it again.</p>
<form method="get" action="${PATH}" class="filters" role="search">
${selectField({ name: 'service', label: 'Service', value: service ?? '', options: [['', 'All'], ...services, ...gone] })}
${selectField({ name: 'status', label: 'Status', value: status ?? '', options: [['', 'All'], ...STATUSES] })}
${selectField({
  name: 'partner',
  label: 'Partner',
  value: partner ?? '',
  options: [['', 'All'], ...partners.map(({ id, name }) => [id, name] as const)],
})}
${textField({ name: 'to', label: 'Created before (UTC)', value: to ?? '', type: 'datetime-local' })}
<button type="submit">Search</button></form>
${table(
  'Connections',
  [
    { name: 'User', kind: 'long' },
    { name: 'Partner' },
    { name: 'Service' },
    { name: 'Status' },
    { name: 'Created' },
    { name: 'Changed' },
  ],
  page.rows.map((row) => [
    html`<a href="${ADMIN_PATH}/users/${row.userId}">${untrusted(row.externalUserId)}</a>`,
    html`<a href="${ADMIN_PATH}/partners/${row.partnerId}">${untrusted(row.partnerName)}</a>`,
    titleOf(row.service),
    statusBadge(row.status),
    moment(row.createdAt),
    moment(row.updatedAt),
  ]),
  'No connection matches.',
)}
${pager(page, { path: PATH, parameters: { service, status, partner, to } })}`;
  return { title: 'Connections', section: '/connections', content };
}
