/** OAuth clients that registered themselves, with forms that remove them. */

import { dangerButton } from '../../../base/dashboard/forms.ts';
import { address, list, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH } from '../../../base/dashboard/pages.ts';
import { counted, figure, moment, untrustedClient } from '../../../base/dashboard/parts.ts';
import { badge } from '../../../base/pages/components.ts';
import { html } from '../../../base/pages/html.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { deleteClient, keyOfClient, listClients } from '../../../base/store/reports/client-list.ts';
import { countAccess } from '../../../base/store/repositories/live-access.ts';
import { findClient } from '../../../base/store/repositories/oauth-clients.ts';
import { revokeGrantsOf } from '../../../base/store/repositories/oauth-grants.ts';
import type { AdminPage } from '../context.ts';
import { ADMIN_EVENTS } from '../events.ts';
import { trailLink } from './links.ts';

const PATH = `${ADMIN_PATH}/clients`;
const grantsOf = (client: string) => address(`${ADMIN_PATH}/grants`, { client });

export const CLIENTS: AdminPage = {
  path: '/clients',
  async show(request, _, notice) {
    const { deps, now, query } = request;
    const text = query('q');
    const content = html`<h1>OAuth clients</h1>
<p>They registered themselves; no one has verified their names. A client that no user has allowed is removed after a day.</p>
${notice}
${searchForm(PATH, [{ name: 'q', label: 'Name, client_id or redirect URI contains', value: text }])}
${await list(
  request,
  (place: PageCursor, limit: number) => listClients(deps.db, { now, limit, ...place, ...withoutNulls({ text }) }),
  {
    caption: 'OAuth clients',
    path: PATH,
    parameters: { q: text },
    keyOf: keyOfClient,
    columns: {
      Name: ({ clientName }) => untrustedClient(clientName),
      client_id: ({ clientId }) => trailLink(deps, { client: clientId }, html`<code>${clientId}</code>`),
      'Redirect URIs': [
        'long',
        ({ redirectUris }) =>
          redirectUris.length < 2
            ? redirectUris.map((uri) => html`<code>${uri}</code>`)
            : html`<details><summary>${redirectUris.map((uri) => html`<code>${uri}</code> `)}</summary></details>`,
      ],
      Kind: ({ confidential }) => (confidential ? 'confidential' : 'public'),
      'Live grants': [
        'number',
        ({ clientId, liveGrants }) => html`<a href="${grantsOf(clientId)}">${figure(liveGrants)}</a>`,
      ],
      Registered: ({ createdAt }) => moment(createdAt),
      'First used': ({ firstUsedAt }) => (firstUsedAt === null ? badge('not yet') : moment(firstUsedAt)),
    },
    buttons: [({ clientId }) => dangerButton(request, `${PATH}/${encodeURIComponent(clientId)}/remove`, 'Remove')],
    empty: 'No client matches',
    next: html`Clients register themselves. <a href="${deps.publicUrl}/">The front page</a> says how to add this gateway to one.`,
  },
)}`;
    return { title: 'OAuth clients', content };
  },
  actions: [
    {
      path: '/:id/remove',
      async ask({ deps, params, now }) {
        const clientId = params.id ?? '';
        const client = await findClient(deps.db, clientId);
        if (client === undefined) return null;
        const { grants } = await countAccess(deps.db, { clientId }, now);
        return {
          title: 'Remove this client?',
          losses: [
            html`The client ${untrustedClient(client.clientName)} with the client_id <code>${clientId}</code>.`,
            html`<a href="${grantsOf(clientId)}">${counted(grants, 'live grant')}</a> with all tokens. Its next request gets 401.`,
            'It can register again; users must then allow it again.',
          ],
          button: 'Remove client',
        };
      },
      async run({ params, commit, event }) {
        const clientId = params.id ?? '';
        const { now } = event;
        await commit(async (transaction) => {
          const grants = { column: 'client_id', value: clientId } as const;
          await revokeGrantsOf(transaction, grants, { reason: 'revoked-by-operator', now });
          if (!(await deleteClient(transaction, clientId))) return;
          await ADMIN_EVENTS.emit(transaction, { type: 'client_removed', clientId, ...event });
        });
        return 'removed';
      },
      done: { removed: 'The client is removed, and its tokens are revoked.' },
    },
  ],
};
