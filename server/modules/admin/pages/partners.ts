/** Partners: the list, and a form that adds one. */

import { cardForm, field } from '../../../base/dashboard/forms.ts';
import { list, searchForm, withoutNulls } from '../../../base/dashboard/list.ts';
import { ADMIN_PATH, type RenderedPage } from '../../../base/dashboard/pages.ts';
import { figure, listed, moment, success, untrusted } from '../../../base/dashboard/parts.ts';
import { alert } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { isUniqueViolation } from '../../../base/store/conflicts.ts';
import type { PageCursor } from '../../../base/store/list-page.ts';
import { listLivePartnerSecrets } from '../../../base/store/repositories/partner-secrets.ts';
import { listPartners } from '../../../base/store/repositories/partners.ts';
import { addPartner } from '../../../identity/partners/manage.ts';
import { SettingError, settingProblem } from '../../../identity/partners/setting-error.ts';
import {
  type PartnerSettingName,
  parseClientId,
  parsePartnerSettings,
  toClientId,
} from '../../../identity/partners/settings.ts';
import type { AdminPage, AdminRequest } from '../context.ts';
import { REALM_FILTERS, readRealm, realmField } from './links.ts';
import { partnerBadges } from './partner-content.ts';

const PATH = `${ADMIN_PATH}/partners`;

export const PARTNERS: AdminPage = {
  path: '/partners',
  show: (request, _, notice) => partnersPage(request, notice),
  actions: [
    {
      path: '',
      async run(action) {
        const { commit, event } = action;
        const typed = { name: action.field('name') ?? '', clientId: action.field('client_id') ?? '' };
        const { name } = typed;
        try {
          const settings = parsePartnerSettings({ name }, []);
          const clientId = parseClientId(typed.clientId === '' ? toClientId(name) : typed.clientId);
          const { partner, secret } = await commit((transaction) =>
            addPartner(transaction, { name, ...settings, clientId }, event),
          );
          const content = html`<h1>${untrusted(partner.name)}</h1>
${credentials(partner.clientId, secret)}
<p><a href="${PATH}/${partner.id}">Continue to its settings</a>: redirect URIs, where a connect flow begins, and services.</p>`;
          return { title: 'Partner added', content };
        } catch (error) {
          if (error instanceof SettingError) return refusedPage(action, problemOf(error), typed);
          if (!isUniqueViolation(error)) throw error;
          return refusedPage(action, 'There is a partner with this client_id already.', typed);
        }
      },
    },
  ],
  done: { removed: 'The partner is removed, with its users and everything they allowed.' },
};

const SETTING_NAMES: Readonly<Record<PartnerSettingName, string>> = {
  name: 'The name',
  clientId: 'The client_id',
  redirectUris: 'A redirect URI',
  connectUri: 'The connect URI',
  logoText: 'The logo text',
  callLimits: 'The list of limits',
  accentColor: 'The accent colour',
  services: 'The list of services',
  plainLinks: 'Plain links',
  footer: 'The footer',
  ownerSharing: 'Owner sharing',
  requiresAllowance: 'Allowance required',
  approvals: 'Approvals',
};

/** Describes what is wrong with a setting, as a sentence. @throws any other error, unchanged. */
export function problemOf(error: unknown): string {
  return settingProblem(error, SETTING_NAMES);
}

/** Shows a new secret. It is not shown anywhere else. */
export function credentials(clientId: string, secret: string): Html {
  return success(
    'Keep this secret now',
    html`<p>It is not shown again. The gateway stores only its hash.</p>
<dl><div><dt>client_id</dt><dd><code>${clientId}</code></dd></div><div><dt>client_secret</dt><dd><code data-copy="secret">${secret}</code></dd></div></dl>`,
  );
}

interface TypedPartner {
  readonly name: string;
  readonly clientId: string;
}

async function refusedPage(request: AdminRequest, problem: string, typed: TypedPartner): Promise<RenderedPage> {
  const { title, content } = await partnersPage(request, null, { typed, problem });
  return { title: `Error: ${title}`, content, status: 400 };
}

async function partnersPage(
  request: AdminRequest,
  notice: Html | null,
  refusal: { readonly typed: TypedPartner; readonly problem: string } | null = null,
): Promise<RenderedPage> {
  const { deps, mayAct } = request;
  const typed = refusal?.typed;
  const realm = readRealm(request.query);
  const readPartners = async (place: PageCursor, limit: number) => {
    const partners = await listPartners(deps.db, limit, { ...place, ...withoutNulls({ realm }) });
    const secrets = await Promise.all(partners.map(({ id }) => listLivePartnerSecrets(deps.db, id)));
    return partners.map((partner, index) => ({ ...partner, secrets: secrets[index]?.length ?? 0 }));
  };
  const content = html`<h1>Partners</h1>
<p>Applications whose users this gateway serves. They start connect flows and create connection codes.</p>
${notice}
${searchForm(PATH, [realmField(realm)], { quickFilters: REALM_FILTERS })}
${await list(request, readPartners, {
  caption: 'Partners',
  path: PATH,
  parameters: { realm },
  words: ['Previous', 'Next'],
  keyOf: ({ clientId }) => clientId,
  columns: {
    Name: (partner) => html`<a href="${PATH}/${partner.id}">${untrusted(partner.name)}</a> ${partnerBadges(partner)}`,
    client_id: ({ clientId }) => html`<code>${clientId}</code>`,
    Secrets: ['number', ({ id, secrets }) => html`<a href="${PATH}/${id}#secrets">${figure(secrets)}</a>`],
    'Redirect URIs': [
      'number',
      ({ id, redirectUris }) => html`<a href="${PATH}/${id}#settings">${figure(redirectUris.length)}</a>`,
    ],
    Services: ({ services }) => listed(services),
    Added: ({ createdAt }) => moment(createdAt),
  },
  empty: 'There is no partner yet',
  next: 'Add one below: it gets a client_id and a secret.',
})}
${mayAct ? html`<h2>Add a partner</h2>` : null}
${refusal === null ? null : alert('The partner was not added', refusal.problem)}
${cardForm(request, PATH, {
  content: html`${field({ name: 'name', label: 'Name', value: typed?.name ?? '', required: true, maxLength: 200, help: 'Shown to users on the consent and connect pages.' })}
${field({ name: 'client_id', label: 'client_id', value: typed?.clientId ?? '', maxLength: 100, help: 'If empty, it is derived from the name. It never changes.' })}`,
  button: 'Add partner',
  kind: 'primary',
})}`;
  return { title: 'Partners', content };
}
