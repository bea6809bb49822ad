/** Who is let in now, by user, client, partner and service; and how to revoke all of it at once. */

import { revokeAccess } from '../grants/allowed/revoke-all.ts';
import { originOf } from '../http/request-origin.ts';
import { alert, hidden } from '../pages/components.ts';
import { type Html, html } from '../pages/html.ts';
import { type ListedAccess, listAccess } from '../store/reports/live-access.ts';
import { type AccessCounts, type AccessSelection, countAccess } from '../store/repositories/live-access.ts';
import { listPartners } from '../store/repositories/partners.ts';
import { findUserById } from '../store/repositories/users.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest, type Outcome } from './request.ts';
import { badge, moment, olderLink, selectField, success, table, textField, untrusted } from './view/parts.ts';

export const GRANTS_PATH = `${ADMIN_PATH}/grants`;

const PAGE_SIZE = 50;
const MAX_PARTNERS = 500;

/** What was chosen, as parameters of the query and fields of the form. Users and partners by row id. */
type Chosen = Readonly<Record<'user' | 'partner' | 'client' | 'service', string | null>>;

export async function showGrants(request: OperatorRequest): Promise<AdminPage> {
  const { query } = request;
  const counts = ['grants', 'tokens', 'codes'].map((kind) => Number(query(kind) ?? Number.NaN));
  const [grants = 0, tokens = 0, codes = 0] = counts;
  const notice =
    query('done') === 'revoked' && counts.every(Number.isSafeInteger)
      ? success('Done', html`<p>Revoked: ${inWords({ grants, tokens, codes })}.</p>`)
      : null;
  return grantsPage(request, chosenBy(query), notice);
}

/** Revokes what the form selects, if the box was ticked. */
export async function revokeGrants(action: OperatorAction): Promise<Outcome> {
  const { deps, field, now, ctx } = action;
  const chosen = chosenBy(field);
  if (field('sure') !== 'yes') {
    const notice = alert('Nothing was revoked', 'Tick the box that says so first.');
    return { ...(await grantsPage(action, chosen, notice)), status: 400 };
  }
  const change = { by: 'operator', now, ...originOf(ctx) } as const;
  const { grants, tokens, codes } = await revokeAccess(deps.db, toSelection(chosen), change);
  const query = toQuery({ ...chosen, done: 'revoked', grants: `${grants}`, tokens: `${tokens}`, codes: `${codes}` });
  return { redirect: `${GRANTS_PATH}?${query}` };
}

async function grantsPage(request: OperatorRequest, chosen: Chosen, notice: Html | null): Promise<AdminPage> {
  const { deps, now, csrf, query } = request;
  const { db } = deps;
  const selection = toSelection(chosen);
  const before = query('before');
  const counts = await countAccess(db, selection, now);
  const options = { selection, now, limit: PAGE_SIZE + 1 };
  const grants = await listAccess(db, 'grants', before === null ? options : { ...options, before });
  const tokens = await listAccess(db, 'tokens', { ...options, limit: PAGE_SIZE });
  const shown = grants.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  const user = chosen.user === null ? undefined : await findUserById(db, chosen.user);
  const total = counts.grants + counts.tokens + counts.codes;
  const content = html`<h1>Grants</h1>
<p>What users and partners allow now, and tokens that were minted for testing. A connection code is one that nobody has typed yet.</p>
${notice}
${await filterForm(request, chosen)}
${user === undefined ? null : html`<p>Only of the user <a href="${ADMIN_PATH}/users/${user.id}">${untrusted(user.externalUserId)}</a>. <a href="${GRANTS_PATH}">Show all users</a></p>`}
<p><strong>${inWords(counts)}</strong></p>
${table(
  'Grants',
  COLUMNS,
  shown.map((row) => cellsOf(row)),
  'No grant matches.',
)}
${grants.length > PAGE_SIZE && last ? olderLink(GRANTS_PATH, { ...chosen, before: last.id }) : null}
${
  tokens.length === 0
    ? null
    : html`<h2>Minted tokens</h2>${table(
        'Minted tokens',
        COLUMNS,
        tokens.map((row) => cellsOf(row)),
      )}`
}
${total === 0 ? null : revokeForm(chosen, counts, csrf)}`;
  return { title: 'Grants', section: '/grants', content };
}

const COLUMNS = [
  { name: 'User', kind: 'long' },
  { name: 'Partner' },
  { name: 'Held by' },
  { name: 'Services' },
  { name: 'Scopes' },
  { name: 'Since (UTC)' },
  { name: 'Expires (UTC)' },
] as const;

function cellsOf(row: ListedAccess) {
  const holder =
    row.kind === 'tokens' ? badge('minted for testing') : row.clientId === null ? 'the partner itself' : null;
  return [
    html`<a href="${ADMIN_PATH}/users/${row.userId}">${untrusted(row.externalUserId)}</a>`,
    html`<a href="${ADMIN_PATH}/partners/${row.partnerId}">${untrusted(row.partnerName)}</a>`,
    holder ?? untrusted(row.clientName, row.clientId ?? ''),
    row.services === null ? 'all' : row.services.join(', ') || 'none',
    row.scopes.join(' '),
    moment(row.createdAt),
    moment(row.expiresAt),
  ];
}

async function filterForm({ deps }: OperatorRequest, chosen: Chosen): Promise<Html> {
  const partners = await listPartners(deps.db, MAX_PARTNERS);
  return html`<form method="get" action="${GRANTS_PATH}" class="filters" role="search">
${chosen.user === null ? null : hidden('user', chosen.user)}
${textField({ name: 'client', label: 'client_id of the client', value: chosen.client ?? '', maxLength: 2048 })}
${selectField({
  name: 'partner',
  label: 'Partner',
  value: chosen.partner ?? '',
  options: [['', 'All'], ...partners.map(({ id, name }) => [id, name] as const)],
})}
${selectField({
  name: 'service',
  label: 'May use now',
  value: chosen.service ?? '',
  options: [['', 'Any service'], ...deps.catalogue.connectors.map(({ name, title }) => [name, title] as const)],
})}
<button type="submit">Show</button></form>`;
}

function revokeForm(chosen: Chosen, counts: AccessCounts, csrf: string): Html {
  const isWhole = Object.keys(toSelection(chosen)).length === 0;
  const fields = Object.entries(chosen).map(([name, value]) => (value === null ? null : hidden(name, value)));
  return html`<h2>Revoke</h2>
<form method="post" action="${GRANTS_PATH}/revoke" class="card">${hidden('csrf', csrf)}${fields}
<p>Clients lose their access at the next request, and users must allow them again. Connections and credentials stay.</p>
<div class="check"><input type="checkbox" id="sure" name="sure" value="yes" required><label for="sure">${isWhole ? 'Revoke everything, of every partner' : 'Revoke what is selected'} (${inWords(counts)})</label></div>
<div class="actions"><button type="submit" class="danger">${isWhole ? 'Revoke everything' : 'Revoke these'}</button></div></form>`;
}

function chosenBy(read: (name: string) => string | null): Chosen {
  return { user: read('user'), partner: read('partner'), client: read('client'), service: read('service') };
}

function toSelection({ user, partner, client, service }: Chosen): AccessSelection {
  return {
    ...(user === null ? {} : { userId: user }),
    ...(partner === null ? {} : { partnerId: partner }),
    ...(client === null ? {} : { clientId: client }),
    ...(service === null ? {} : { service }),
  };
}

function toQuery(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return new URLSearchParams(given).toString();
}

function inWords({ grants, tokens, codes }: AccessCounts): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `${count(grants, 'grant')}, ${count(tokens, 'minted token')}, ${count(codes, 'connection code')}`;
}
