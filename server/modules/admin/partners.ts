/** Partners: the list, and a form that adds one. */

import { originOf } from '../../base/http/request-origin.ts';
import { alert, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { readListPage } from '../../base/store/reports/list-page.ts';
import { listLivePartnerSecrets } from '../../base/store/repositories/partner-secrets.ts';
import { listPartners } from '../../base/store/repositories/partners.ts';
import { isUniqueViolation } from '../../base/store/unique-violation.ts';
import { addPartner } from '../../identity/partners/manage.ts';
import {
  PartnerSettingsError,
  parseClientId,
  parsePartnerSettings,
  toClientId,
} from '../../identity/partners/settings.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest } from './request.ts';
import { pager, placeIn } from './view/pager.ts';
import { badge, moment, success, table, textField, untrusted } from './view/parts.ts';

const PATH = `${ADMIN_PATH}/partners`;
const PAGE_SIZE = 50;

export async function showPartners(request: OperatorRequest): Promise<AdminPage> {
  return partnersPage(request, { removed: request.query('done') === 'removed' });
}

/** Adds a partner, and shows its secret once. */
export async function createPartner(action: OperatorAction): Promise<AdminPage> {
  const { deps, ctx, now, field } = action;
  const name = field('name') ?? '';
  const typed = { name, clientId: field('client_id') ?? '' };
  try {
    const settings = parsePartnerSettings({ name }, []);
    const clientId = parseClientId(typed.clientId === '' ? toClientId(name) : typed.clientId);
    const event = { now, ...originOf(ctx) };
    const { partner, secret } = await deps.db
      .transaction()
      .execute((transaction) => addPartner(transaction, { name, ...settings, clientId }, event));
    return {
      title: 'Partner added',
      section: '/partners',
      content: html`<h1>${untrusted(partner.name)}</h1>
${credentials(partner.clientId, secret)}
<p><a href="${PATH}/${partner.id}">Continue to its settings</a>: redirect URIs, where a connect flow begins, and services.</p>`,
    };
  } catch (error) {
    if (error instanceof PartnerSettingsError) {
      return partnersPage(action, { problem: `${SETTING_NAMES[error.setting]} ${error.problem}.`, typed });
    }
    if (!isUniqueViolation(error)) throw error;
    return partnersPage(action, { problem: 'There is a partner with this client_id already.', typed });
  }
}

/** Names of the settings on pages. */
export const SETTING_NAMES: Readonly<Record<PartnerSettingsError['setting'], string>> = {
  name: 'The name',
  clientId: 'The client_id',
  redirectUris: 'A redirect URI',
  connectUri: 'The connect URI',
  logoText: 'The logo text',
  accentColor: 'The accent colour',
  services: 'The list of services',
  plainLinks: 'Plain links',
};

/** Shows a new secret. It is not shown anywhere else. */
export function credentials(clientId: string, secret: string): Html {
  return success(
    'Keep this secret now',
    html`<p>It is not shown again. The gateway stores only its hash.</p>
<dl><div><dt>client_id</dt><dd><code>${clientId}</code></dd></div><div><dt>client_secret</dt><dd><code>${secret}</code></dd></div></dl>`,
  );
}

interface PartnersPage {
  readonly problem?: string;
  readonly typed?: { readonly name: string; readonly clientId: string };
  /** Whether a partner was just removed. */
  readonly removed?: boolean;
}

async function partnersPage(
  { deps, csrf, mayAct, query }: OperatorRequest,
  { problem, typed, removed = false }: PartnersPage,
): Promise<AdminPage> {
  const partners = await readListPage({
    place: placeIn(query),
    limit: PAGE_SIZE,
    read: (place, limit) => listPartners(deps.db, limit, place),
    placeOf: ({ clientId }) => clientId,
  });
  const rows = [];
  for (const partner of partners.rows) {
    const secrets = await listLivePartnerSecrets(deps.db, partner.id);
    rows.push([
      html`<a href="${PATH}/${partner.id}">${untrusted(partner.name)}</a> ${partner.suspendedAt === null ? null : badge('suspended', 'bad')}`,
      html`<code>${partner.clientId}</code>`,
      secrets.length,
      partner.redirectUris.length,
      partner.services === null ? 'all' : partner.services.join(', ') || 'none',
      moment(partner.createdAt),
    ]);
  }
  const content = html`<h1>Partners</h1>
<p>Applications that own users: they start connect flows, and mint connection codes.</p>
${removed ? success('Done', html`<p>The partner is removed, with its users and everything they allowed.</p>`) : null}
${table(
  'Partners',
  [
    { name: 'Name' },
    { name: 'client_id' },
    { name: 'Secrets', kind: 'number' },
    { name: 'Redirect URIs', kind: 'number' },
    { name: 'Services' },
    { name: 'Added' },
  ],
  rows,
  'There is no partner yet.',
)}
${pager(partners, { path: PATH, words: ['Previous', 'Next'] })}
${mayAct ? html`<h2>Add a partner</h2>` : null}
${problem === undefined ? null : alert('The partner was not added', problem)}
<form method="post" action="${PATH}" class="card">
${hidden('csrf', csrf)}
${textField({ name: 'name', label: 'Name', value: typed?.name ?? '', required: true, maxLength: 200, help: 'Shown to users on the consent and connect pages.' })}
${textField({ name: 'client_id', label: 'client_id', value: typed?.clientId ?? '', maxLength: 100, help: 'If empty, it is derived from the name. It never changes.' })}
<div class="actions"><button type="submit" class="primary">Add partner</button></div>
</form>`;
  const status = problem === undefined ? 200 : 400;
  return { title: problem === undefined ? 'Partners' : 'Error: Partners', section: '/partners', content, status };
}
