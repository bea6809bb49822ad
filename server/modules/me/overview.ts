/** The start page: its user, the connected services, and the clients that may use them. */

import { publicPartsOf } from '../../base/credentials/kinds.ts';
import { isLoopbackHostname } from '../../base/http/loopback.ts';
import { partnerNameOf, serviceMarkOf } from '../../base/pages/brand.ts';
import { type ClientName, capitalize, readClientName } from '../../base/pages/client-name.ts';
import {
  badge,
  button,
  caution,
  confirmation,
  connectionBadge,
  type Fact,
  facts,
  foreign,
  hidden,
  hiddenFields,
} from '../../base/pages/components.ts';
import { type Html, html, shownName } from '../../base/pages/html.ts';
import { suspensionNotice } from '../../base/pages/partner-suspended.ts';
import { mayWrite, type Permission, readPermission, toScopes } from '../../base/principal/permission.ts';
import { MAX_ACCOUNT_NAME_LENGTH } from '../../base/store/repositories/account-names.ts';
import { type Connection, listConnections } from '../../base/store/repositories/connections.ts';
import { countAccess, type LastCall, type LiveGrant } from '../../base/store/repositories/live-access.ts';
import { mayOffer } from '../../base/store/repositories/partners.ts';
import { isToolApprovalRequired } from '../../call/tools/approvals/policy.ts';
import { toConnectPage } from '../../call/tools/ask-user.ts';
import { toolCounts } from '../../call/tools/catalogue/facts.ts';
import { effectsOf } from '../../identity/grants/allowed/consent-options.ts';
import {
  type Allowed,
  type AllowedGrant,
  findPartnersOwn,
  listAllowed,
  listUsableServices,
} from '../../identity/grants/allowed/list.ts';
import { USER_APPROVALS_PATH, USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { latestActivity } from './activity.ts';
import { APPROVAL_RULES_PATH } from './approval-rules.ts';
import { findWaiting } from './approvals.ts';
import type { Outcome, UserRequest } from './request.ts';
import { holderName, moment, serviceTitle, userPage } from './view.ts';

const CLIENTS_PER_PAGE = 20;

/** The partner's own grants that its card shows at most. */
const MAX_OWN_GRANTS = 100;

const DONE: Readonly<Record<string, string>> = {
  removed: 'The connection and its credential are removed.',
  renamed: 'The account has its new name. Assistants see it from now on.',
  revoked: 'The client has lost its access.',
  narrowed: 'The client has lost what you removed.',
  tokens: 'The operator’s access tokens no longer work.',
};

/** A request with the user's connections, which grants name by row id. */
interface OverviewRequest extends UserRequest {
  readonly connections: readonly Connection[];
}

/** @param problem why the submitted form was refused. Default: none. */
export async function showOverview(received: UserRequest, problem: Html | null = null): Promise<Outcome> {
  const { deps, user, partner, now } = received;
  const { db, catalogue } = deps;
  const connections = await listConnections(db, user.id);
  const request = { ...received, connections };
  const connected = await listUsableServices(db, user.id, partner);
  const before = request.query('before');
  const filter = { userId: user.id, connected, catalogue, now };
  const partners = before === null ? await findPartnersOwn(db, filter, MAX_OWN_GRANTS) : null;
  const clientFilter = { ...filter, holder: 'client' as const };
  const page = before === null ? clientFilter : { ...clientFilter, before };
  const { grants, next } = await listAllowed(db, page, CLIENTS_PER_PAGE);
  const { tokens } = await countAccess(db, { userId: user.id }, now);
  const { length: waiting } = await findWaiting(request);
  const waitingText = waiting === 1 ? '1 action needs your approval.' : `${waiting} actions need your approval.`;
  const suspension = partner.suspendedAt === null ? null : suspensionNotice(partner.name);
  const content = html`${suspension === null ? null : caution(suspension.title, `${suspension.text} ${suspension.advice} You can still revoke what you have allowed.`)}
${waiting === 0 ? null : caution(waitingText, html`<a href="${USER_APPROVALS_PATH}">Review</a>`)}
${before === null ? await latestActivity(request) : null}
<h2>Connected services</h2>
${connections.length === 0 ? html`<p>No service is connected.</p>` : html`<ul class="list">${connections.map((connection) => connectionRow(connection, request))}</ul>`}
<p><a href="${APPROVAL_RULES_PATH}">Choose when to be asked</a></p>
<h2>Clients that may use them</h2>
${partners === null || partners.grants.length === 0 ? null : await partnerCard(partners, request)}
${grants.length === 0 && !partners?.grants.length ? html`<p>No client may use them.</p>` : grants.map((allowed) => clientCard(allowed, request))}
${next === null ? null : html`<p><a href="${USER_PAGE_PATH}?before=${next}" rel="next">Older clients</a></p>`}
${before === null ? null : html`<p><a href="${USER_PAGE_PATH}">Newest clients</a></p>`}
${tokens === 0 ? null : tokensCard(tokens, request)}
<form method="post" action="${USER_PAGE_PATH}/leave">${hidden('csrf', request.csrf)}
<div class="actions">${button('Leave this page')}</div></form>`;
  return userPage(request, { title: 'What you have allowed', content, problem, done: DONE });
}

function connectionRow(connection: Connection, request: OverviewRequest): Html {
  const { id, service, status, createdAt, updatedAt, sealedCredential } = connection;
  const title = serviceTitle(service, request);
  const partner = partnerNameOf(request.partner);
  const { connectUri, suspendedAt } = request.partner;
  const isOffered = mayOffer(request.partner, service);
  const state = isOffered ? connectionBadge(connection) : badge('not offered', 'warn');
  let remark: string | null = null;
  if (!isOffered) {
    remark = `${partner} does not offer it now, so no client can use it.`;
  } else if (status !== 'active') {
    remark = `${title} refused the credential. Connect it again.`;
  }
  const isOneOfSeveral = request.connections.filter((other) => other.service === service).length > 1;
  const name = isOneOfSeveral ? (connection.accountName ?? '') : null;
  const what = name === null ? title : `${title}: ${name}`;
  const connector = request.deps.catalogue.findConnector(service);
  const { credential = null } = connector ?? {};
  const isNamed = name !== null || (credential !== null && publicPartsOf(credential).length > 0);
  const signedIn = isNamed ? shownName(connection.account) : null;
  const { id: userId, partnerId, externalUserId } = request.user;
  const leased = { connectionId: id, partnerId, userId, externalUserId, service, sealedCredential, updatedAt };
  const lacking = status === 'active' && connector ? request.deps.leases.lacking(leased, connector) : [];
  const path = `${USER_PAGE_PATH}/connections/${encodeURIComponent(service)}`;
  const rest = name === null ? '' : ` Your other accounts of ${title} stay connected.`;
  const signedInText = signedIn === null ? null : html`Signed in as ${foreign(signedIn)} · `;
  const changedText = updatedAt === createdAt ? null : html` · Changed ${moment(updatedAt)}`;
  return html`<li class="service">${connector === undefined ? null : serviceMarkOf(connector)}<div><h3>${what}</h3> ${state}
<small>${signedInText}Since ${moment(createdAt)}${changedText}</small>
${remark === null ? null : html`<p>${remark}</p>`}
${isOffered && connectUri !== null && suspendedAt === null ? html`<a href="${toConnectPage(connectUri, service, name)}">Reconnect ${what}</a>${lacking.map((extra) => html`<p><a href="${toConnectPage(connectUri, service, name, extra)}">Connect more of ${what}: ${extra}</a> in ${foreign(partner)}. Some tools need it.</p>`)}` : null}
${name === null ? null : renameForm(request, { id, name, what, action: `${path}/rename` })}
${confirmation({
  opener: `Remove ${what}`,
  text: `Its credential is deleted, and no client can use ${what} any more.${rest} To use it again, connect it again in ${partner}.`,
  action: `${path}/remove`,
  fields: { csrf: request.csrf, account: name === null ? null : id },
})}</div></li>`;
}

function renameForm(request: UserRequest, account: { id: string; name: string; what: string; action: string }): Html {
  const { id, name, what, action } = account;
  return html`<details><summary>Rename ${what}</summary>
<form method="post" action="${action}">${hiddenFields({ csrf: request.csrf, account: id })}
<label for="name-${id}">Name that assistants see</label>
<input type="text" id="name-${id}" name="name" value="${name}" required maxlength="${MAX_ACCOUNT_NAME_LENGTH}" autocomplete="off" spellcheck="false">
<div class="actions">${button('Rename')}</div></form></details>`;
}

function clientCard(allowed: AllowedGrant, request: OverviewRequest): Html {
  const { grant } = allowed;
  const holder = holderName(allowed.grant, request.partner);
  const path = pathOf(grant);
  return html`<article><h3>${foreign(capitalize(holder))}</h3>
${clientRemark(grant, request)}
${facts([...accessFacts(allowed, request), ...timeFacts(allowed)])}
${allowed.may.length === 0 ? null : html`<p><a href="${path}">Reduce the access of ${foreign(holder)}</a></p>`}
${confirmation({
  opener: `Revoke ${holder}`,
  text: 'It loses all access at once. To allow it again, connect it again.',
  action: `${path}/revoke`,
  fields: { csrf: request.csrf },
})}</article>`;
}

/** Each connect flow gives the partner another grant; the card shows them as one. */
async function partnerCard(allowed: Allowed, request: OverviewRequest): Promise<Html> {
  const { deps, user, now } = request;
  const [youngest] = allowed.grants;
  const { grants: count } = await countAccess(deps.db, { userId: user.id, clientId: null }, now);
  const name = `${partnerNameOf(request.partner)} itself`;
  const times = count === 1 ? null : `It has ${count} grants, one for each time that you connected something.`;
  const reduce = allowed.may.length === 0 ? [] : allowed.grants;
  return html`<article><h3>${foreign(name)}</h3>
<p class="quiet">The application in which you connected ${(count === 1 && titleOfGrant(youngest, request)) || 'your services'}. ${times}</p>
${facts([...accessFacts(allowed, request), ...timeFacts(allowed)])}
${
  reduce.length < 2
    ? reduce.map((grant) => html`<p><a href="${pathOf(grant)}">Reduce the access of ${foreign(name)}</a></p>`)
    : html`<details><summary>Reduce the access of a single grant</summary><ul>${reduce.map(
        (grant) =>
          html`<li><a href="${pathOf(grant)}">${moment(grant.createdAt)}, ${titleOfGrant(grant, request) ?? 'several services'}</a></li>`,
      )}</ul></details>`
}
${confirmation({
  opener: `Revoke ${name}`,
  text: `${count === 1 ? '' : `All ${count} grants are revoked. `}It loses all access at once. To allow it again, connect it again.`,
  action: `${USER_PAGE_PATH}/partner/revoke`,
  fields: { csrf: request.csrf },
})}</article>`;
}

/** Access tokens minted outside OAuth: all that is known of their holder is that an operator minted them. */
function tokensCard(tokens: number, request: UserRequest): Html {
  const [count, they] = tokens === 1 ? ['1 access token', 'It'] : [`${tokens} access tokens`, 'They'];
  return html`<article><h3>The operator of this gateway</h3>
<p class="quiet">Has made ${count} for your account, for example to investigate a problem. ${they} can use what you have connected.</p>
${confirmation({
  opener: `Revoke ${count}`,
  text: 'They stop working at once.',
  action: `${USER_PAGE_PATH}/tokens/revoke`,
  fields: { csrf: request.csrf },
})}</article>`;
}

/** Describes the identity of a client. */
function clientRemark(grant: LiveGrant, { partner }: OverviewRequest): Html {
  const website =
    grant.isDocument && grant.clientId !== null
      ? html`It identifies itself through ${foreign(new URL(grant.clientId).host)}. `
      : null;
  const kind = readClientName(grant.clientName, partner.name)?.kind;
  const nameRemark = kind === undefined ? null : NAME_REMARKS[kind];
  const hosts = [...new Set(grant.redirectUris.map(destinationOf))].slice(0, 5);
  return html`<p class="quiet">${website}${nameRemark}It sends you back to ${hosts.map((host, index) => [index > 0 ? ', ' : '', foreign(host)])}.</p>`;
}

const NAME_REMARKS: Readonly<Record<ClientName['kind'], string>> = {
  'self-given': 'Unverified name. ',
  misleading: 'Its own name is not shown, because it looks like that of someone else. ',
};

/** Describes where a redirect URI leads. */
function destinationOf(redirectUri: string): string {
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol !== 'http:' && protocol !== 'https:') return `a program that opens ${protocol} addresses`;
  return isLoopbackHostname(hostname) ? 'a program on your computer' : (shownName(hostname) ?? 'an unknown host');
}

function accessFacts({ grants, may, leftOut }: Allowed, request: OverviewRequest): readonly Fact[] {
  const permissions = grants.map(({ permission }) => readPermission(permission));
  const limits = [
    grants.some(({ scopes }) => mayWrite(toScopes(scopes))) ? null : 'It can only read.',
    grants.some(({ services }) => services === null) ? 'Services that you connect later are included.' : null,
    permissions.some(({ only }) => only === null) ? null : 'Tools that are added later are not included.',
    leftOut === 0 ? null : `Left out: ${leftOut} ${leftOut === 1 ? 'tool' : 'tools'}.`,
  ].filter((limit) => limit !== null);
  const value =
    may.length === 0
      ? 'Nothing of what is connected now'
      : html`<ul>${may.map((service) => html`<li>${service.title}: ${toolCounts(effectsOf(service))}${asking(service, request)}</li>`)}</ul>`;
  const list: Fact[] = [
    limits.length === 0 ? { term: 'May use', value } : { term: 'May use', value, remark: limits.join(' ') },
  ];
  const pins = new Set(permissions.flatMap((permission) => pinLines(permission, request)));
  if (pins.size > 0) {
    list.push({
      term: `Set by ${partnerNameOf(request.partner)}`,
      value: html`<ul>${[...pins].map((line) => html`<li>${shownName(line)}</li>`)}</ul>`,
    });
  }
  return list;
}

function asking({ tools }: Allowed['may'][number], { deps, partner, user }: UserRequest): string {
  const count = tools.filter(({ name }) => isToolApprovalRequired(deps.approvals, name, partner, user)).length;
  if (count === 0) return '';
  return `; you approve each call to ${count === 1 ? 'one' : count} of them`;
}

function pinLines({ accounts, pins }: Permission, request: OverviewRequest): string[] {
  const names = new Map(request.connections.map(({ id, accountName }) => [id, accountName ?? 'your only one']));
  return [
    ...Object.entries(accounts).map(
      ([service, id]) =>
        `${serviceTitle(service, request)}: the account is always ${names.get(id) ?? 'one that you removed'}`,
    ),
    ...Object.entries(pins).flatMap(([service, values]) =>
      Object.entries(values).map(
        ([argument, pinned]) => `${serviceTitle(service, request)}: ${argument} is always ${JSON.stringify(pinned)}`,
      ),
    ),
  ];
}

function timeFacts({ grants }: Allowed): readonly Fact[] {
  const latest = (times: readonly number[]) => moment(Math.max(...times));
  const uses = grants.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
  const [lastCall] = grants.flatMap((grant) => grant.lastCall ?? []).sort((a, b) => b.createdAt - a.createdAt);
  const ends = grants.flatMap(({ endsAt }) => endsAt ?? []);
  const list: Fact[] = [
    { term: 'Allowed', value: latest(grants.map(({ createdAt }) => createdAt)) },
    { term: 'Last used', value: uses.length === 0 ? 'Never' : latest(uses) },
    { term: 'Last call', value: lastCall === undefined ? 'None on record' : callWords(lastCall) },
    { term: 'Expires if unused', value: latest(grants.map(({ expiresAt }) => expiresAt)) },
  ];
  if (ends.length >= grants.length) list.push({ term: 'At the latest', value: latest(ends) });
  return list;
}

function callWords({ tool, outcome, createdAt }: LastCall): Html {
  const results: Readonly<Record<string, string>> = { ok: 'it worked', awaiting_approval: 'it waits for you' };
  return html`${foreign(tool)}, ${moment(createdAt)}: ${results[outcome] ?? `it failed (${outcome.replaceAll('_', ' ')})`}`;
}

function pathOf({ id }: LiveGrant): string {
  return `${USER_PAGE_PATH}/clients/${id}`;
}

function titleOfGrant(grant: LiveGrant | undefined, request: UserRequest): string | null {
  return grant?.service == null ? null : serviceTitle(grant.service, request);
}
