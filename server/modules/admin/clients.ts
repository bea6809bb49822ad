/** OAuth clients that registered themselves, and how to remove them. */

import { originOf } from '../../base/http/request-origin.ts';
import { html } from '../../base/pages/html.ts';
import { deleteClient, listClients, placeOfClient } from '../../base/store/reports/client-list.ts';
import { readListPage } from '../../base/store/reports/list-page.ts';
import { recordAuditEvent } from '../../base/store/repositories/audit-events.ts';
import { countAccess } from '../../base/store/repositories/live-access.ts';
import { findClient } from '../../base/store/repositories/oauth-clients.ts';
import { revokeGrantsOf } from '../../base/store/repositories/oauth-grants.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest, type Outcome } from './request.ts';
import type { Question } from './view/confirm.ts';
import { address, pager, placeIn } from './view/pager.ts';
import { badge, buttonForm, counted, figure, moment, success, table, textField, untrusted } from './view/parts.ts';

const PATH = `${ADMIN_PATH}/clients`;
const PAGE_SIZE = 50;

export async function showClients({ deps, now, csrf, query }: OperatorRequest): Promise<AdminPage> {
  const text = query('q');
  const clients = await readListPage({
    place: placeIn(query),
    limit: PAGE_SIZE,
    read: (place, limit) => listClients(deps.db, { now, limit, ...place, ...(text === null ? {} : { text }) }),
    placeOf: (client) => placeOfClient(client),
  });
  const content = html`<h1>OAuth clients</h1>
<p>They registered themselves; no one has verified their names. A client that no user has allowed is removed after a day.</p>
${query('done') === 'removed' ? success('Done', html`<p>The client is removed, and its tokens are revoked.</p>`) : null}
<form method="get" action="${PATH}" class="filters" role="search">
${textField({ name: 'q', label: 'Name, client_id or redirect URI contains', value: text ?? '' })}
<button type="submit">Search</button></form>
${table(
  'OAuth clients',
  [
    { name: 'Name' },
    { name: 'client_id' },
    { name: 'Redirect URIs', kind: 'long' },
    { name: 'Kind' },
    { name: 'Live grants', kind: 'number' },
    { name: 'Registered' },
    { name: 'First used' },
    { name: '' },
  ],
  clients.rows.map((client) => [
    untrusted(client.clientName),
    html`<a href="${ADMIN_PATH}/audit?client=${encodeURIComponent(client.clientId)}"><code>${client.clientId}</code></a>`,
    html`<ul class="plain-list">${client.redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}</ul>`,
    client.confidential ? 'confidential' : 'public',
    client.liveGrants === 0
      ? 0
      : html`<a href="${address(`${ADMIN_PATH}/grants`, { client: client.clientId })}">${figure(client.liveGrants)}</a>`,
    moment(client.createdAt),
    client.firstUsedAt === null ? badge('not yet') : moment(client.firstUsedAt),
    buttonForm(`${PATH}/${encodeURIComponent(client.clientId)}/remove`, csrf, 'Remove', 'danger'),
  ]),
  'No client matches.',
)}
${pager(clients, { path: PATH, parameters: { q: text } })}`;
  return { title: 'OAuth clients', section: '/clients', content };
}

/** What is removed with a client. */
export async function askToRemoveClient({ deps, params, now }: OperatorAction): Promise<Question | null> {
  const clientId = params.id ?? '';
  const client = await findClient(deps.db, clientId);
  if (client === undefined) return null;
  const { grants } = await countAccess(deps.db, { clientId }, now);
  return {
    title: 'Remove this client?',
    section: '/clients',
    losses: [
      html`The client ${untrusted(client.clientName)} with the client_id <code>${clientId}</code>.`,
      html`<a href="${address(`${ADMIN_PATH}/grants`, { client: clientId })}">${counted(grants, 'live grant')}</a> with all tokens. Its next request gets 401.`,
      'It can register again; users must then allow it again.',
    ],
    button: 'Remove client',
    back: PATH,
  };
}

/** Removes a client with its grants and tokens. It may register again. */
export async function removeClient({ deps, params, ctx, now }: OperatorAction): Promise<Outcome> {
  const clientId = params.id ?? '';
  await deps.db.transaction().execute(async (transaction) => {
    await revokeGrantsOf(transaction, { column: 'client_id', value: clientId }, { reason: 'revoked-by-operator', now });
    if (!(await deleteClient(transaction, clientId))) return;
    await recordAuditEvent(transaction, { type: 'client_removed', now, clientId, ...originOf(ctx) });
  });
  return { redirect: `${PATH}?done=removed` };
}
