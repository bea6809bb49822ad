/** Connections of all users, by service and status. */

import { list, parametersOf, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { moment, partnerLink, userLink } from '../../../base/dashboard/parts.ts';
import { html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { searchConnections } from '../../../base/store/reports/connection-list.ts';
import { type AdminPage, titleOf } from '../context.ts';
import {
  CONNECTION_COLUMNS,
  partnerChoices,
  REALM_FILTERS,
  readRealm,
  realmField,
  serviceChoices,
  toTime,
} from './links.ts';

const PATH = `${ADMIN_PATH}/connections`;

const STATUSES = [
  ['active', 'connected'],
  ['attention', 'needs attention'],
] as const;

export const CONNECTIONS: AdminPage = {
  path: '/connections',
  async show(request) {
    const { deps } = request;
    const parameters = parametersOf(request.query, ['service', 'status', 'partner', 'to']);
    const { service, partner, to } = parameters;
    const realm = readRealm(request.query);
    const [status = null] = STATUSES.find(([name]) => name === parameters.status) ?? [];
    const filter = withoutNulls({ service, partnerId: partner, status, realm, madeBefore: toTime(to) });
    const content = html`<h1>Connections</h1>
<p>What users have connected. A connection needs attention when its service refuses the credential: the user must connect it again.</p>
${searchForm(
  PATH,
  [
    { name: 'service', label: 'Service', value: service, options: serviceChoices(deps, service) },
    { name: 'status', label: 'Status', value: status, options: [['', 'All'], ...STATUSES], folded: true },
    { name: 'partner', label: 'Partner', value: partner, options: await partnerChoices(deps, partner), folded: true },
    realmField(realm),
    { name: 'to', label: 'Created before (UTC)', value: to, type: 'datetime-local', folded: true },
  ],
  { quickFilters: { 'Needs attention': { status: 'attention' }, ...REALM_FILTERS } },
)}
${await list(
  request,
  (place: PageCursor, limit: number) => searchConnections(deps.db, { ...filter, ...place }, limit),
  {
    caption: 'Connections',
    path: PATH,
    parameters: { service, status, partner, realm, to },
    keyOf: ({ id }) => id,
    columns: {
      User: ['long', userLink],
      Partner: partnerLink,
      Service: (row) => titleOf(deps, row.service),
      ...CONNECTION_COLUMNS,
      Changed: ['extra', ({ updatedAt }) => moment(updatedAt)],
    },
    empty: 'No connection matches',
    next: html`They appear when users of a <a href="${ADMIN_PATH}/partners">partner</a> connect a service.`,
  },
)}`;
    return { title: 'Connections', content };
  },
};
