/** OAuth clients that registered themselves: the list. */

import { dangerButton } from '../../../base/dashboard/forms.ts';
import { list, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { clientAddress, figure, holderLink, moment } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { keyOfClient, listClients } from '../../../base/store/reports/client-list.ts';
import type { AdminPage } from '../context.ts';
import { REALM_FILTERS, readRealm, realmField } from './links.ts';

const PATH = `${ADMIN_PATH}/clients`;

export const CLIENTS: AdminPage = {
  path: '/clients',
  async show(request, _, notice) {
    const { deps, now, query } = request;
    const text = query('q');
    const realm = readRealm(query);
    const filter = withoutNulls({ text, realm });
    const content = html`<h1>OAuth clients</h1>
<p>They registered themselves; no one has verified their names. A client that no user has allowed is removed after a day.</p>
${notice}
${searchForm(PATH, [{ name: 'q', label: 'Name, client_id or redirect URI contains', value: text }, realmField(realm)], { quickFilters: REALM_FILTERS })}
${await list(request, (place: PageCursor, limit: number) => listClients(deps.db, { now, limit, ...place, ...filter }), {
  caption: 'OAuth clients',
  path: PATH,
  parameters: { q: text, realm },
  keyOf: keyOfClient,
  columns: {
    Name: (client) => holderLink(client),
    client_id: ({ clientId }) => html`<code>${clientId}</code>`,
    'Live grants': [
      'number',
      ({ clientId, liveGrants, testGrants }) =>
        html`<a href="${clientAddress(clientId)}#grants">${figure(liveGrants)}</a>${testGrants === 0 ? null : html` ${badge(testGrants === liveGrants ? 'test' : `${figure(testGrants)} test`)}`}`,
    ],
    Registered: ({ createdAt }) => moment(createdAt),
    'First used': ({ firstUsedAt }) => (firstUsedAt === null ? badge('not yet') : moment(firstUsedAt)),
  },
  buttons: [({ clientId }) => dangerButton(request, `${clientAddress(clientId)}/remove`, 'Remove')],
  empty: 'No client matches',
  next: html`Clients register themselves. <a href="${deps.publicUrl}/">The front page</a> says how to add this gateway to one.`,
})}`;
    return { title: 'OAuth clients', content };
  },
  done: { removed: 'The client is removed, and its tokens are revoked.' },
};
