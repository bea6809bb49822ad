/** The start page: its user, the connected services, and the clients that may use them. */

import { isLoopbackHostname } from '../../base/http/loopback.ts';
import { partnerNameOf } from '../../base/pages/brand.ts';
import { caution, type Fact, facts, foreign, hidden } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { suspensionNotice } from '../../base/pages/partner-suspended.ts';
import { shownName } from '../../base/pages/plain-text.ts';
import { mayWrite, type Permission, readPermission, toScopes } from '../../base/principal/permission.ts';
import { type Connection, listConnections } from '../../base/store/repositories/connections.ts';
import { countAccess, type LastCall, type LiveGrant } from '../../base/store/repositories/live-access.ts';
import { mayOffer } from '../../base/store/repositories/partners.ts';
import { toConnectPage } from '../../call/tools/ask-user.ts';
import { toolCounts } from '../../call/tools/catalogue/facts.ts';
import { effectsOf } from '../../identity/grants/allowed/choice.ts';
import {
  type Allowed,
  type AllowedGrant,
  findPartnersOwn,
  listAllowed,
  listUsableServices,
} from '../../identity/grants/allowed/list.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import { latestActivity } from './activity.ts';
import { APPROVALS_PATH, countWaiting } from './approvals.ts';
import type { Outcome, UserRequest } from './request.ts';
import { guardedButton, holderOf, moment, owner } from './view.ts';

const CLIENTS_PER_PAGE = 20;

/** The partner's own grants that its card shows at most. */
const MAX_OWN_GRANTS = 100;

const DONE: Readonly<Record<string, string>> = {
  removed: 'The connection and its credential are removed.',
  revoked: 'The client has lost its access.',
  narrowed: 'The client has lost what you removed.',
  tokens: 'The operator’s access tokens no longer work.',
};

export async function showOverview(request: UserRequest): Promise<Outcome> {
  const { deps, user, partner, now } = request;
  const { db, catalogue } = deps;
  const connections = await listConnections(db, user.id);
  const connected = await listUsableServices(db, user.id, partner);
  const before = request.query('before');
  const filter = { userId: user.id, connected, catalogue, now };
  const partners = before === null ? await findPartnersOwn(db, filter, MAX_OWN_GRANTS) : null;
  const page = { ...filter, holder: 'client' as const, ...(before === null ? {} : { before }) };
  const { grants, next } = await listAllowed(db, page, CLIENTS_PER_PAGE);
  const { tokens } = await countAccess(db, { userId: user.id }, now);
  const waiting = await countWaiting(request);
  const done = DONE[request.query('done') ?? ''];
  const title = 'What you have allowed';
  const content = html`<h1>${title}</h1>
${done === undefined ? null : html`<div class="notice done" role="status"><strong>Done</strong><p>${done}</p></div>`}
${owner(request)}
${partner.suspendedAt === null ? null : suspensionCaution(partner.name)}
${waiting === 0 ? null : caution(waiting === 1 ? 'A call waits for you' : `${waiting} calls wait for you`, html`<a href="${APPROVALS_PATH}">See what would be done, and decide</a>`)}
${before === null ? await latestActivity(request) : null}
<h2>Connected services</h2>
${connections.length === 0 ? html`<p>No service is connected.</p>` : connections.map((connection) => connectionCard(connection, request))}
<h2>Clients that may use them</h2>
${partners === null || partners.grants.length === 0 ? null : await partnerCard(partners, request)}
${grants.length === 0 && !partners?.grants.length ? html`<p>No client may use them.</p>` : grants.map((allowed) => clientCard(allowed, request))}
${next === null ? null : html`<p><a href="${USER_PAGE_PATH}?before=${next}" rel="next">Older clients</a></p>`}
${before === null ? null : html`<p><a href="${USER_PAGE_PATH}">Newest clients</a></p>`}
${tokens === 0 ? null : tokensCard(tokens, request)}
<form method="post" action="${USER_PAGE_PATH}/leave">${hidden('csrf', request.csrf)}
<div class="actions"><button type="submit">Leave this page</button></div></form>`;
  return { title, content };
}

function suspensionCaution(name: string): Html {
  const { title, text, advice } = suspensionNotice(name);
  return caution(title, `${text} ${advice} You can still revoke what you have allowed.`);
}

function connectionCard(connection: Connection, request: UserRequest): Html {
  const { service, status, createdAt, updatedAt } = connection;
  const title = titleOf(service, request);
  const partner = partnerNameOf(request.partner);
  const { connectUri, suspendedAt } = request.partner;
  const isOffered = mayOffer(request.partner, service);
  const state: Fact = !isOffered
    ? { term: 'Status', value: 'Not offered', remark: `${partner} does not offer it now, so no client can use it.` }
    : status === 'active'
      ? { term: 'Status', value: 'Connected' }
      : { term: 'Status', value: 'Needs attention', remark: `${title} refused the credential. Connect it again.` };
  return html`<article><h3>${title}</h3>
${facts([state, { term: 'Since', value: moment(createdAt) }, ...(updatedAt === createdAt ? [] : [{ term: 'Last changed', value: moment(updatedAt) }])])}
${isOffered && connectUri !== null && suspendedAt === null ? html`<p><a href="${toConnectPage(connectUri, service)}">Reconnect ${title}</a> in ${foreign(partner)}</p>` : null}
${guardedButton(request, {
  summary: `Remove ${title}`,
  text: `Its credential is deleted, and no client can use ${title} any more. To use it again, connect it again in ${partner}.`,
  label: `Remove ${title} now`,
  action: `${USER_PAGE_PATH}/connections/${encodeURIComponent(service)}/remove`,
})}</article>`;
}

function clientCard(allowed: AllowedGrant, request: UserRequest): Html {
  const { grant } = allowed;
  const holder = holderOf(allowed, request);
  const path = pathOf(grant);
  return html`<article><h3>${foreign(holder)}</h3>
${clientRemark(grant)}
${facts([...accessFacts(allowed, request), ...timeFacts(allowed)])}
${allowed.may.length === 0 ? null : html`<p><a href="${path}">Reduce the access of ${foreign(holder)}</a></p>`}
${guardedButton(request, {
  summary: `Revoke ${holder}`,
  text: 'It loses all access at once. To allow it again, connect it again.',
  label: `Revoke ${holder} now`,
  action: `${path}/revoke`,
})}</article>`;
}

/** Each connect flow gives the partner another grant; the card shows them as one. */
async function partnerCard(allowed: Allowed, request: UserRequest): Promise<Html> {
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
${guardedButton(request, {
  summary: `Revoke ${name}`,
  text: `${count === 1 ? '' : `All ${count} grants are revoked. `}It loses all access at once. To allow it again, connect it again.`,
  label: `Revoke ${name} now`,
  action: `${USER_PAGE_PATH}/partner/revoke`,
})}</article>`;
}

/** Access tokens minted outside OAuth: all that is known of their holder is that an operator minted them. */
function tokensCard(tokens: number, request: UserRequest): Html {
  const [count, they] = tokens === 1 ? ['1 access token', 'It'] : [`${tokens} access tokens`, 'They'];
  return html`<article><h3>The operator of this gateway</h3>
<p class="quiet">Has made ${count} in your name, for example to investigate a problem. ${they} may use what you have connected.</p>
${guardedButton(request, {
  summary: `Revoke ${count}`,
  text: 'They stop working at once.',
  label: `Revoke ${count} now`,
  action: `${USER_PAGE_PATH}/tokens/revoke`,
})}</article>`;
}

/** What is known of a client's identity. */
function clientRemark(grant: LiveGrant): Html {
  const website =
    grant.isDocument && grant.clientId !== null
      ? html`It identifies itself through ${foreign(new URL(grant.clientId).host)}. `
      : null;
  const named = grant.clientName === null ? '' : 'It gave itself this name; no one has verified it. ';
  const hosts = [...new Set(grant.redirectUris.map(destinationOf))].slice(0, 5);
  return html`<p class="quiet">${website}${named}It sends you back to ${hosts.map((host, index) => [index > 0 ? ', ' : '', foreign(host)])}.</p>`;
}

/** Describes where a redirect URI leads. */
function destinationOf(redirectUri: string): string {
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol !== 'http:' && protocol !== 'https:') return `a program that opens ${protocol} addresses`;
  return isLoopbackHostname(hostname) ? 'a program on your computer' : (shownName(hostname) ?? 'an unknown host');
}

function accessFacts({ grants, may, leftOut }: Allowed, request: UserRequest): readonly Fact[] {
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
      : html`<ul>${may.map((service) => html`<li>${service.title}: ${toolCounts(effectsOf(service))}</li>`)}</ul>`;
  const set = new Set(permissions.flatMap(({ pins }) => pinLines(pins, request)));
  return [
    { term: 'May use', value, ...(limits.length === 0 ? {} : { remark: limits.join(' ') }) },
    ...(set.size === 0
      ? []
      : [
          {
            term: `Set by ${partnerNameOf(request.partner)}`,
            value: html`<ul>${[...set].map((line) => html`<li>${shownName(line)}</li>`)}</ul>`,
          },
        ]),
  ];
}

function pinLines(pins: Permission['pins'], request: UserRequest): string[] {
  return Object.entries(pins).flatMap(([service, values]) =>
    Object.entries(values).map(
      ([argument, pinned]) => `${titleOf(service, request)}: ${argument} is always ${JSON.stringify(pinned)}`,
    ),
  );
}

function timeFacts({ grants }: Allowed): readonly Fact[] {
  const latest = (times: readonly number[]) => moment(Math.max(...times));
  const uses = grants.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
  const [lastCall] = grants.flatMap((grant) => grant.lastCall ?? []).sort((a, b) => b.createdAt - a.createdAt);
  const ends = grants.flatMap(({ endsAt }) => endsAt ?? []);
  return [
    { term: 'Allowed', value: latest(grants.map(({ createdAt }) => createdAt)) },
    { term: 'Last used', value: uses.length === 0 ? 'Never' : latest(uses) },
    { term: 'Last call', value: lastCall === undefined ? 'None on record' : callWords(lastCall) },
    { term: 'Expires if unused', value: latest(grants.map(({ expiresAt }) => expiresAt)) },
    ...(ends.length < grants.length ? [] : [{ term: 'At the latest', value: latest(ends) }]),
  ];
}

function callWords({ tool, outcome, createdAt }: LastCall): Html {
  const how = outcome === 'ok' ? 'it worked' : `it failed (${outcome.replaceAll('_', ' ')})`;
  return html`${foreign(tool)}, ${moment(createdAt)}: ${how}`;
}

function pathOf({ id }: LiveGrant): string {
  return `${USER_PAGE_PATH}/clients/${id}`;
}

function titleOfGrant(grant: LiveGrant | undefined, request: UserRequest): string | null {
  return grant?.service == null ? null : titleOf(grant.service, request);
}

function titleOf(service: string, { deps }: UserRequest): string {
  return deps.catalogue.findConnector(service)?.title ?? service;
}
