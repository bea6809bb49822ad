/** Which grants and tokens are valid now, by user, client, partner and service; and how to revoke them together. */

import { originOf } from '../../base/http/request-origin.ts';
import { hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { readListPage } from '../../base/store/reports/list-page.ts';
import { type ListedAccess, listAccess } from '../../base/store/reports/live-access.ts';
import { type AccessCounts, type AccessSelection, countAccess } from '../../base/store/repositories/live-access.ts';
import { listPartners } from '../../base/store/repositories/partners.ts';
import { findUserById } from '../../base/store/repositories/users.ts';
import { revokeAccess } from '../../identity/grants/allowed/revoke-all.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest, type Outcome } from './request.ts';
import type { Question } from './view/confirm.ts';
import { address, pager, placeIn } from './view/pager.ts';
import { badge, counted, moment, selectField, success, table, textField, untrusted } from './view/parts.ts';

export const GRANTS_PATH = `${ADMIN_PATH}/grants`;

const PAGE_SIZE = 50;
const MAX_PARTNERS = 500;

/** Prefix of the parameters of the page's second list. */
const TOKENS = 'tokens-';

/** What was selected, as parameters of the query and fields of the form. Users and partners by row id. */
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

/** What is revoked with the grants that the form selects. */
export async function askToRevokeGrants({ deps, field, now }: OperatorAction): Promise<Question> {
  const chosen = chosenBy(field);
  const isWhole = isEverything(chosen);
  return {
    title: isWhole ? 'Revoke everything, of every partner?' : 'Revoke the selection?',
    section: '/grants',
    losses: [
      html`<strong>${inWords(await countAccess(deps.db, toSelection(chosen), now))}</strong>`,
      'Clients lose their access at the next request, and users must allow them again. Connections and credentials stay.',
    ],
    button: isWhole ? 'Revoke everything' : 'Revoke these',
    back: address(GRANTS_PATH, chosen),
  };
}

/** Revokes what the form selects. */
export async function revokeGrants({ deps, field, now, ctx }: OperatorAction): Promise<Outcome> {
  const chosen = chosenBy(field);
  const change = { by: 'operator', now, ...originOf(ctx) } as const;
  const { grants, tokens, codes } = await revokeAccess(deps.db, toSelection(chosen), change);
  const counts = { grants: `${grants}`, tokens: `${tokens}`, codes: `${codes}` };
  return { redirect: address(GRANTS_PATH, { ...chosen, done: 'revoked', ...counts }) };
}

async function grantsPage(request: OperatorRequest, chosen: Chosen, notice: Html | null): Promise<AdminPage> {
  const { deps, now, csrf, query } = request;
  const { db } = deps;
  const selection = toSelection(chosen);
  const counts = await countAccess(db, selection, now);
  const pageOf = (kind: ListedAccess['kind'], list: string) =>
    readListPage({
      place: placeIn(query, list),
      limit: PAGE_SIZE,
      read: (place, limit) => listAccess(db, kind, { selection, now, limit, ...place }),
      placeOf: ({ id }) => id,
    });
  const grants = await pageOf('grants', '');
  const tokens = await pageOf('tokens', TOKENS);
  const user = chosen.user === null ? undefined : await findUserById(db, chosen.user);
  const total = counts.grants + counts.tokens + counts.codes;
  const content = html`<h1>Grants</h1>
<p>What users and partners allow now, and tokens minted for testing. Only connection codes that no one has used yet are counted.</p>
${notice}
${await filterForm(request, chosen)}
${user === undefined ? null : html`<p>Only of the user <a href="${ADMIN_PATH}/users/${user.id}">${untrusted(user.externalUserId)}</a>. <a href="${GRANTS_PATH}">Show all users</a></p>`}
<p><strong>${inWords(counts)}</strong></p>
${table(
  'Grants',
  GRANT_COLUMNS,
  grants.rows.map((row) => cellsOf(row)),
  'No grant matches.',
)}
${pager(grants, { path: GRANTS_PATH, parameters: chosen })}
<h2 id="tokens">Minted tokens</h2>
${table(
  'Minted tokens',
  TOKEN_COLUMNS,
  tokens.rows.map((row) => cellsOf(row)),
  'No minted token matches.',
)}
${pager(tokens, { path: GRANTS_PATH, parameters: chosen, list: TOKENS, anchor: 'tokens' })}
${total === 0 ? null : revokeForm(chosen, csrf)}`;
  return { title: 'Grants', section: '/grants', content };
}

const COLUMNS = [
  { name: 'User', kind: 'long' },
  { name: 'Partner' },
  { name: 'Held by' },
  { name: 'Services' },
  { name: 'Scopes' },
  { name: 'Since' },
] as const;
const GRANT_COLUMNS = [...COLUMNS, { name: 'Expires if unused' }] as const;
const TOKEN_COLUMNS = [...COLUMNS, { name: 'Expires' }] as const;

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
    row.endsAt === null
      ? moment(row.expiresAt)
      : html`${moment(row.expiresAt)}<br><small class="quiet">at the latest ${moment(row.endsAt)}</small>`,
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

function revokeForm(chosen: Chosen, csrf: string): Html {
  const fields = Object.entries(chosen).map(([name, value]) => (value === null ? null : hidden(name, value)));
  return html`<h2>Revoke</h2>
<form method="post" action="${GRANTS_PATH}/revoke" class="card">${hidden('csrf', csrf)}${fields}
<p>Clients lose their access at the next request, and users must allow them again. Connections and credentials stay.</p>
<div class="actions"><button type="submit" class="danger">${isEverything(chosen) ? 'Revoke everything' : 'Revoke these'}</button></div></form>`;
}

function isEverything(chosen: Chosen): boolean {
  return Object.keys(toSelection(chosen)).length === 0;
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

function inWords({ grants, tokens, codes }: AccessCounts): string {
  return `${counted(grants, 'grant')}, ${counted(tokens, 'minted token')}, ${counted(codes, 'connection code')}`;
}
