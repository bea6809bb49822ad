/** One partner: its settings and secrets, and how to change both. */

import { originOf } from '../../base/http/request-origin.ts';
import { alert, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { listPartnerSecrets, MAX_LIVE_PARTNER_SECRETS } from '../../base/store/repositories/partner-secrets.ts';
import { findPartner, type Partner } from '../../base/store/repositories/partners.ts';
import { countUsers } from '../../base/store/repositories/users.ts';
import {
  changePartner as changeSettings,
  endPartnerSecret,
  rotatePartnerSecret,
} from '../../identity/partners/manage.ts';
import {
  PartnerSettingsError,
  parsePartnerSettings,
  type TypedPartnerSettings,
} from '../../identity/partners/settings.ts';
import { credentials, SETTING_NAMES } from './partners.ts';
import { ADMIN_PATH, type AdminPage, type OperatorAction, type OperatorRequest, type Outcome } from './request.ts';
import type { Question } from './view/confirm.ts';
import { partnerSettings } from './view/partner-settings.ts';
import {
  badge,
  buttonForm,
  checkboxes,
  counted,
  figure,
  moment,
  success,
  table,
  textField,
  untrusted,
} from './view/parts.ts';
import { webhooksSection } from './view/webhooks.ts';

const DONE: Readonly<Record<string, string>> = {
  changed: 'The settings were changed.',
  revoked: 'The secret was revoked.',
  suspended: 'The partner is suspended: its secrets no longer work, and its users are refused.',
  resumed: 'The partner is active again.',
  begun:
    'The partner is suspended and some of its users are removed. Remove it again to continue, or remove the rest at once with utg partner remove.',
  'webhook-tested': 'A test event is on its way. Reload this page to see the answer.',
  'webhook-repeated': 'The event is on its way again, with the same id.',
  'webhook-enabled': 'The endpoint is enabled, and receives the events that waited for it.',
  'webhook-disabled': 'Nothing is sent to the endpoint until it is enabled again.',
};

export async function showPartner(request: OperatorRequest): Promise<AdminPage> {
  const partner = await partnerOf(request);
  const words = DONE[request.query('done') ?? ''];
  return partnerPage(request, partner, { notice: words === undefined ? null : success('Done', html`<p>${words}</p>`) });
}

/** Changes the settings. */
export async function changePartner(action: OperatorAction): Promise<Outcome> {
  const partner = await partnerOf(action);
  const { deps, form, field, now, ctx } = action;
  const typed: TypedPartnerSettings = {
    name: field('name') ?? '',
    redirectUris: (field('redirect_uris') ?? '').split(/\s+/),
    connectUri: field('connect_uri') ?? '',
    logoText: field('logo_text') ?? '',
    services: field('all_services') === 'yes' ? null : form.getAll('services'),
    plainLinks: field('plain_links') === 'yes',
  };
  try {
    const changes = parsePartnerSettings(
      typed,
      deps.catalogue.connectors.map(({ name }) => name),
    );
    const event = { now, ...originOf(ctx) };
    await deps.db.transaction().execute((transaction) => changeSettings(transaction, partner.id, changes, event));
    return { redirect: `${pathOf(partner)}?done=changed` };
  } catch (error) {
    if (!(error instanceof PartnerSettingsError)) throw error;
    const problem = `${SETTING_NAMES[error.setting]} ${error.problem}.`;
    const notice = alert('Nothing was changed', problem);
    return { ...(await partnerPage(action, partner, { notice, typed })), status: 400 };
  }
}

/** What adding a secret revokes: nothing, unless the others are to be revoked or there is no room. */
export async function askToAddSecret(action: OperatorAction): Promise<Question | null> {
  const partner = await partnerOf(action);
  const live = await listPartnerSecrets(action.deps.db, partner.id);
  const lost =
    action.field('end_others') === 'yes' ? live.length : Math.max(0, live.length + 1 - MAX_LIVE_PARTNER_SECRETS);
  if (lost === 0) return null;
  return {
    title: 'Create another secret and revoke others?',
    section: '/partners',
    losses: [
      html`${counted(lost, 'secret')} of ${untrusted(partner.name)}, of ${figure(live.length)} valid ones, the oldest first. The application is refused at once if it still uses one of them.`,
    ],
    button: 'Create another secret',
    back: pathOf(partner),
  };
}

/** Adds a secret, and shows it once. */
export async function addSecret(action: OperatorAction): Promise<AdminPage> {
  const partner = await partnerOf(action);
  const { deps, now, ctx, field } = action;
  const options = { partnerId: partner.id, endOthers: field('end_others') === 'yes' };
  const event = { now, ...originOf(ctx) };
  const secret = await deps.db.transaction().execute((transaction) => rotatePartnerSecret(transaction, options, event));
  return partnerPage(action, partner, { notice: credentials(partner.clientId, secret) });
}

/** What revoking a secret means. */
export async function askToRevokeSecret(action: OperatorAction): Promise<Question | null> {
  const partner = await partnerOf(action);
  const live = await listPartnerSecrets(action.deps.db, partner.id);
  const secret = live.find(({ id }) => id === action.params.secret);
  if (secret === undefined) return null;
  const left = live.length - 1;
  return {
    title: 'Revoke this secret?',
    section: '/partners',
    losses: [
      html`The secret of ${untrusted(partner.name)} created ${moment(secret.createdAt)}. The application is refused at once if it still uses it.`,
      left === 0
        ? 'The partner then has no valid secret.'
        : `The partner then has ${counted(left, 'other valid secret')}.`,
    ],
    button: 'Revoke secret',
    back: pathOf(partner),
  };
}

/** Revokes one secret. */
export async function revokeSecret(action: OperatorAction): Promise<Outcome> {
  const partner = await partnerOf(action);
  const { deps, now, ctx, params } = action;
  const secret = { id: params.secret ?? '', partnerId: partner.id };
  const event = { now, ...originOf(ctx) };
  await deps.db.transaction().execute((transaction) => endPartnerSecret(transaction, secret, event));
  return { redirect: `${pathOf(partner)}?done=revoked` };
}

function pathOf({ id }: Partner): string {
  return `${ADMIN_PATH}/partners/${id}`;
}

/** The partner that the address names. @throws {PageError} 404. */
export async function partnerOf({ deps, params }: OperatorRequest): Promise<Partner> {
  const partner = await findPartner(deps.db, params.id ?? '');
  if (partner !== undefined) return partner;
  throw new PageError(404, {
    title: 'No such partner',
    text: 'There is no partner under this address.',
    advice: html`Choose one in the <a href="${ADMIN_PATH}/partners">list of partners</a>.`,
  });
}

/** The page, with a notice above it about what was just done. */
export async function partnerPage(
  request: OperatorRequest,
  partner: Partner,
  { notice, typed }: { notice: Html | null; typed?: TypedPartnerSettings },
): Promise<AdminPage> {
  const { deps, csrf, mayAct } = request;
  const path = pathOf(partner);
  const secrets = await listPartnerSecrets(deps.db, partner.id);
  const services = typed === undefined ? partner.services : (typed.services ?? null);
  const users = await countUsers(deps.db, partner.id);
  const content = html`<h1>${untrusted(partner.name)} ${partner.suspendedAt === null ? null : badge('suspended', 'bad')}</h1>
${notice}
<p>client_id <code>${partner.clientId}</code>, added ${moment(partner.createdAt)}.
<a href="${ADMIN_PATH}/users?partner=${partner.id}">Its users</a>,
<a href="${ADMIN_PATH}/grants?partner=${partner.id}">its grants</a>,
<a href="${ADMIN_PATH}/audit?partner=${partner.id}">its audit trail</a>.</p>
<h2>Secrets</h2>
<p class="quiet">At most ${MAX_LIVE_PARTNER_SECRETS} are valid at a time, so that the partner can switch from one to another. Creating a third revokes the oldest.</p>
${table(
  'Secrets',
  [{ name: 'Created' }, { name: '' }],
  secrets.map(({ id, createdAt }) => [
    moment(createdAt),
    buttonForm(`${path}/secrets/${id}/revoke`, csrf, 'Revoke', 'danger'),
  ]),
  'This partner has no valid secret.',
)}
<form method="post" action="${path}/secrets" class="card">${hidden('csrf', csrf)}
<div class="check"><input type="checkbox" id="end_others" name="end_others" value="yes"><label for="end_others">Revoke all other secrets at once</label></div>
<div class="actions"><button type="submit">Create another secret</button></div></form>
<h2>Settings</h2>
${mayAct ? null : partnerSettings(partner)}
<form method="post" action="${path}" class="card">${hidden('csrf', csrf)}
${textField({ name: 'name', label: 'Name', value: typed?.name ?? partner.name, required: true, maxLength: 200 })}
${textField({ name: 'logo_text', label: 'Logo text', value: typed?.logoText ?? partner.logoText ?? '', maxLength: 40, help: 'One to three characters that stand for the partner on pages.' })}
${textField({ name: 'redirect_uris', label: 'Redirect URIs', value: (typed?.redirectUris ?? partner.redirectUris).join('\n'), lines: 4, help: 'Where a connect flow may end, one per line. Compared byte by byte.' })}
${textField({ name: 'connect_uri', label: 'Connect URI', value: typed?.connectUri ?? partner.connectUri ?? '', help: "Where the partner's application starts a connect flow. Tool answers point there when a service must be connected again." })}
${checkboxes('all_services', 'Services that the partner may offer', [
  { value: 'yes', label: 'All, also those added later', checked: services === null },
])}
${checkboxes(
  'services',
  'Or only these',
  deps.catalogue.connectors.map(({ name, title }) => ({
    value: name,
    label: title,
    checked: services?.includes(name) ?? false,
  })),
)}
${checkboxes('plain_links', 'How users get to the connect page', [
  {
    value: 'yes',
    label: 'Also by plain links, which anyone can write',
    checked: typed?.plainLinks ?? partner.plainLinks,
  },
])}
<div class="actions"><button type="submit" class="primary">Save</button></div></form>
${await webhooksSection(request, partner)}
${suspensionForm(partner, { path, csrf })}
${removalForm(users, { path, csrf })}`;
  return { title: partner.name, section: '/partners', content };
}

interface Place {
  readonly path: string;
  readonly csrf: string;
}

function suspensionForm({ suspendedAt }: Partner, { path, csrf }: Place): Html {
  if (suspendedAt !== null) {
    return html`<h2>Resume</h2>
<form method="post" action="${path}/resume" class="card">${hidden('csrf', csrf)}
<p>Suspended since ${moment(suspendedAt)}. When you resume it, everything that has not expired or been revoked works again.</p>
<div class="actions"><button type="submit">Resume partner</button></div></form>`;
  }
  return html`<h2>Suspend</h2>
<form method="post" action="${path}/suspend" class="card">${hidden('csrf', csrf)}
<p>Its secrets stop working, and its users' calls, refreshes and sign-ins are refused from the next request. The answer asks them to contact the partner. Nothing is revoked.</p>
<div class="actions"><button type="submit" class="danger">Suspend partner</button></div></form>`;
}

function removalForm(users: number, { path, csrf }: Place): Html {
  return html`<h2>Remove</h2>
<form method="post" action="${path}/remove" class="card">${hidden('csrf', csrf)}
<p>Removes the partner with its ${counted(users, 'user')}, and their connections, credentials, tokens and grants. The audit trail and call records stay, without names of users.</p>
<div class="actions"><button type="submit" class="danger">Remove partner</button></div></form>`;
}
