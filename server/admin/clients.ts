/** OAuth clients that registered themselves, and how to be rid of one. */

import { originOf } from '../http/request-origin.ts';
import { html } from '../pages/html.ts';
import { deleteClient, listClients } from '../store/reports/client-list.ts';
import { recordAuditEvent } from '../store/repositories/audit-events.ts';
import { revokeGrantsOf } from '../store/repositories/oauth-grants.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest, type Outcome } from './request.ts';
import { badge, buttonForm, moment, olderLink, success, table, textField, untrusted } from './view/parts.ts';

const PAGE_SIZE = 50;

export async function showClients({ deps, now, csrf, query }: OperatorRequest): Promise<AdminPage> {
  const [text, before] = [query('q'), Number(query('before') ?? Number.NaN)];
  const clients = await listClients(deps.db, {
    now,
    limit: PAGE_SIZE + 1,
    ...(text === null ? {} : { text }),
    ...(Number.isSafeInteger(before) ? { before } : {}),
  });
  const shown = clients.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  const content = html`<h1>OAuth clients</h1>
<p>They registered themselves; nobody has verified their names. One that no user allowed anything goes after a day.</p>
${query('done') === 'removed' ? success('Done', html`<p>The client is gone, and its tokens are revoked.</p>`) : null}
<form method="get" action="${ADMIN_PATH}/clients" class="filters" role="search">
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
    { name: 'Registered (UTC)' },
    { name: 'First used (UTC)' },
    { name: '' },
  ],
  shown.map((client) => [
    untrusted(client.clientName),
    html`<a href="${ADMIN_PATH}/audit?client=${encodeURIComponent(client.clientId)}"><code>${client.clientId}</code></a>`,
    html`<ul class="plain-list">${client.redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}</ul>`,
    client.confidential ? 'confidential' : 'public',
    client.liveGrants === 0
      ? 0
      : html`<a href="${ADMIN_PATH}/grants?client=${encodeURIComponent(client.clientId)}">${client.liveGrants}</a>`,
    moment(client.createdAt),
    client.firstUsedAt === null ? badge('not yet') : moment(client.firstUsedAt),
    buttonForm(`${ADMIN_PATH}/clients/${encodeURIComponent(client.clientId)}/remove`, csrf, 'Remove', 'danger'),
  ]),
  'No client matches.',
)}
${clients.length > PAGE_SIZE && last ? olderLink(`${ADMIN_PATH}/clients`, { q: text, before: String(last.createdAt) }) : null}`;
  return { title: 'OAuth clients', section: '/clients', content };
}

/** Removes a client with its grants and tokens. It may register again. */
export async function removeClient({ deps, params, ctx, now }: OperatorAction): Promise<Outcome> {
  const clientId = params.id ?? '';
  await deps.db.transaction().execute(async (transaction) => {
    await revokeGrantsOf(transaction, { column: 'client_id', value: clientId }, { reason: 'revoked-by-operator', now });
    if (!(await deleteClient(transaction, clientId))) return;
    await recordAuditEvent(transaction, { type: 'client_removed', now, clientId, ...originOf(ctx) });
  });
  return { redirect: `${ADMIN_PATH}/clients?done=removed` };
}
