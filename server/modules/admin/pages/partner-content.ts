/** The page of one partner: its secrets and settings, what modules add, and forms that suspend or remove it. */

import { cardForm, checkbox, checkboxes, dangerButton, field } from '../../../base/dashboard/forms.ts';
import { ADMIN_PATH, type RenderedPage } from '../../../base/dashboard/pages.ts';
import { counted, listed, moment, table, untrusted } from '../../../base/dashboard/parts.ts';
import { badge, type Fact, facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { listPartnerSecrets, MAX_LIVE_PARTNER_SECRETS } from '../../../base/store/repositories/partner-secrets.ts';
import { findTestPartner, type Partner } from '../../../base/store/repositories/partners.ts';
import { countUsers } from '../../../base/store/repositories/users.ts';
import { PARTNER_RULE_TEXTS, PARTNER_RULES } from '../../../call/tools/approvals/policy.ts';
import type { TypedPartnerSettings } from '../../../identity/partners/settings.ts';
import { type AdminRequest, moduleSectionsOf } from '../context.ts';
import { codeList, trailLink } from './links.ts';
import { teamTable } from './teams/team.ts';

/** Returns the badges of a partner: that it is for tests, and that it is suspended. */
export function partnerBadges({ realm, suspendedAt }: Partner): Html {
  const test = realm === 'test' ? badge('test') : null;
  const suspended = suspendedAt === null ? null : badge('suspended', 'bad');
  return html`${test} ${suspended}`;
}

/** @param notice what was just done, or null. @param typed settings that were refused. Default: those of the partner. */
export async function partnerContent(
  request: AdminRequest,
  partner: Partner,
  notice: Html | null,
  typed: TypedPartnerSettings | null = null,
): Promise<RenderedPage> {
  const { deps, mayAct } = request;
  const path = `${ADMIN_PATH}/partners/${partner.id}`;
  const isTest = partner.realm === 'test';
  const content = html`<h1>${untrusted(partner.name)} ${partnerBadges(partner)}</h1>
${notice}
<p>client_id <code>${partner.clientId}</code>, added ${moment(partner.createdAt)}.
<a href="${ADMIN_PATH}/users?partner=${partner.id}">Its users</a>,
<a href="${ADMIN_PATH}/grants?partner=${partner.id}">its grants</a>${
    deps.trail === null
      ? null
      : html`,
${trailLink(deps, { partner: partner.id }, 'its audit trail')}`
  }.</p>
<h2 id="secrets">Secrets</h2>
<p class="quiet">At most ${MAX_LIVE_PARTNER_SECRETS} are valid at a time, so that the partner can switch from one to another. Creating a third revokes the oldest.</p>
${table(await listPartnerSecrets(deps.db, partner.id), {
  caption: 'Secrets',
  columns: {
    Mode: () => (isTest ? badge('test') : 'live'),
    Created: ({ createdAt }) => moment(createdAt),
  },
  buttons: [({ id }) => dangerButton(request, `${path}/secrets/${id}/revoke`, 'Revoke')],
  empty: 'This partner has no valid secret.',
})}
${cardForm(request, `${path}/secrets`, {
  content: checkbox('end_others', 'Revoke all other secrets at once'),
  button: 'Create another secret',
})}
${await testMode(request, partner)}
<h2 id="settings">Settings</h2>
${mayAct && !isTest ? null : settingsAsFacts(partner)}
${isTest ? null : settingForms(request, partner, typed)}
${await teamTable(request, partner)}
${await moduleSectionsOf('partner', request, partner)}
${suspensionForm(request, partner, path)}
<h2>Remove</h2>
${cardForm(request, `${path}/remove`, {
  content: html`<p>Removes the partner with its ${counted(await countUsers(deps.db, partner.id), 'user')}, and their connections, credentials, tokens and grants. The audit trail and call records stay, without names of users.</p>`,
  button: 'Remove partner',
  kind: 'danger',
})}`;
  return { title: partner.name, content };
}

/** Links a live partner with its test partner, or creates one; links a test partner with its live partner. */
async function testMode(request: AdminRequest, { id, testOf }: Partner): Promise<Html> {
  if (testOf !== null)
    return html`<p>Its services answer from a sandbox. Its settings are those of <a href="${ADMIN_PATH}/partners/${testOf}">the live partner</a>.</p>`;
  const testPartner = await findTestPartner(request.deps.db, id);
  return html`<h2>Test mode</h2>
<p class="quiet">A test secret speaks for users of another realm, whose services answer from a sandbox. It reaches no live user and no real service.</p>
${
  testPartner === undefined
    ? cardForm(request, `${ADMIN_PATH}/partners/${id}/test-secret`, { content: null, button: 'Create a test secret' })
    : html`<p><a href="${ADMIN_PATH}/partners/${testPartner.id}">Its test partner</a>, with its secrets and users.</p>`
}`;
}

function settingForms(request: AdminRequest, partner: Partner, typed: TypedPartnerSettings | null): Html {
  const path = `${ADMIN_PATH}/partners/${partner.id}`;
  return html`${cardForm(request, path, { content: settingFields(request, partner, typed), button: 'Save', kind: 'primary' })}
<h2>Approvals</h2>
<p class="quiet">Which calls its users approve one by one, besides those of <code>APPROVALS</code>. The partner itself can add some, and take none out.</p>
${cardForm(request, `${path}/approvals`, {
  content: checkboxes(
    'approvals',
    'Users approve one by one',
    PARTNER_RULES.map((kind) => ({
      value: kind,
      label: PARTNER_RULE_TEXTS[kind],
      checked: partner.approvals?.includes(kind) ?? false,
    })),
  ),
  button: 'Save the rule',
})}`;
}

function settingFields({ deps }: AdminRequest, partner: Partner, typed: TypedPartnerSettings | null): Html {
  const { name, logoText, redirectUris, connectUri, plainLinks, ownerSharing } = { ...partner, ...typed };
  const services = typed === null ? partner.services : (typed.services ?? null);
  const serviceOptions = deps.catalogue.connectors.map((connector) => ({
    value: connector.name,
    label: connector.title,
    checked: services?.includes(connector.name) ?? false,
  }));
  const allOption = { value: 'yes', label: 'All, also those added later', checked: services === null };
  const plainLinksOption = {
    value: 'yes',
    label: 'Also by plain links, which anyone can write',
    checked: plainLinks ?? false,
  };
  const sharingOption = {
    value: 'yes',
    label: 'Users may share their own connections with their teams',
    checked: ownerSharing ?? false,
  };
  return html`${field({ name: 'name', label: 'Name', value: name ?? '', required: true, maxLength: 200 })}
${field({ name: 'logo_text', label: 'Logo text', value: logoText ?? '', maxLength: 40, help: 'One to three characters that stand for the partner on pages.' })}
${field({ name: 'redirect_uris', label: 'Redirect URIs', value: (redirectUris ?? []).join('\n'), lines: 4, help: 'Where a connect flow may end, one per line. Compared byte by byte.' })}
${field({ name: 'connect_uri', label: 'Connect URI', value: connectUri ?? '', help: "Where the partner's application starts a connect flow. Tool answers point there when a service must be connected again." })}
${checkboxes('all_services', 'Services that the partner may offer', [allOption])}
${checkboxes('services', 'Or only these', serviceOptions)}
${checkboxes('plain_links', 'How users get to the connect page', [plainLinksOption])}
${checkboxes('owner_sharing', 'Who shares connections, next to the server of the partner', [sharingOption])}`;
}

/** Returns the settings as facts, for operators who cannot change them. */
function settingsAsFacts(partner: Partner): Html {
  const { redirectUris, connectUri, logoText, logoHash, accentColor, services, plainLinks, approvals } = partner;
  const code = (text: string) => html`<code>${text}</code>`;
  const list: Fact[] = [
    {
      term: 'Redirect URIs',
      value: redirectUris.length === 0 ? 'none' : codeList(redirectUris),
    },
    { term: 'Connect URI', value: connectUri === null ? 'none' : code(connectUri) },
    { term: 'Logo text', value: untrusted(logoText, 'none') },
    { term: 'Logo', value: logoHash === null ? 'none' : 'uploaded' },
    { term: 'Accent colour', value: accentColor ?? 'none' },
    { term: 'Services that the partner may offer', value: listed(services) },
  ];
  if (approvals !== null) list.push({ term: 'Calls that users approve', value: approvals.join(', ') });
  list.push({ term: 'Users share own connections', value: partner.ownerSharing ? 'yes, with their teams' : 'no' });
  list.push({ term: 'Plain connect links', value: plainLinks ? 'allowed' : 'off: connect sessions only' });
  return facts(list);
}

function suspensionForm(request: AdminRequest, { suspendedAt }: Partner, path: string): Html {
  if (suspendedAt === null) {
    return html`<h2>Suspend</h2>
${cardForm(request, `${path}/suspend`, {
  content: html`<p>Its secrets stop working, and its users' calls, refreshes and sign-ins are refused from the next request. The answer asks them to contact the partner. Nothing is revoked.</p>`,
  button: 'Suspend partner',
  kind: 'danger',
})}`;
  }
  return html`<h2>Resume</h2>
${cardForm(request, `${path}/resume`, {
  content: html`<p>Suspended since ${moment(suspendedAt)}. When you resume it, everything that has not expired or been revoked works again.</p>`,
  button: 'Resume partner',
})}`;
}
