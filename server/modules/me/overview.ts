/** The start page: its user, the connected services, and the clients that may use them. */

import { publicPartsOf } from '../../base/credentials/kinds.ts';
import { letterOf, markOf, partnerNameOf, serviceMarkOf } from '../../base/pages/brand.ts';
import { capitalize } from '../../base/pages/client-name.ts';
import {
  badge,
  button,
  caution,
  confirmation,
  connectionBadge,
  facts,
  foreign,
  hidden,
  hiddenFields,
} from '../../base/pages/components.ts';
import { type Html, type HtmlValue, html, shownName } from '../../base/pages/html.ts';
import { suspensionNotice } from '../../base/pages/partner-suspended.ts';
import { exactTime, relativeTime } from '../../base/pages/times.ts';
import { currentAllowance } from '../../base/principal/allowance.ts';
import { MAX_ACCOUNT_NAME_LENGTH } from '../../base/store/repositories/account-names.ts';
import { type Connection, listConnections } from '../../base/store/repositories/connections.ts';
import { countAccess, type LiveGrant } from '../../base/store/repositories/live-access.ts';
import { mayOffer } from '../../base/store/repositories/partners.ts';
import { listSharedAccounts } from '../../base/store/repositories/teams.ts';
import { toConnectPage } from '../../call/tools/ask-user.ts';
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
import { accessFacts, clientRemark, nameBadge, type OverviewRequest, timeFacts, usage } from './client-facts.ts';
import type { Outcome, UserRequest } from './request.ts';
import { readSharing, type Sharing, sharedWithUser, sharingOf } from './sharing.ts';
import { holderName, serviceTitle, userPage } from './view.ts';

const CLIENTS_PER_PAGE = 20;

/** The partner's own grants that its card shows at most. */
const MAX_OWN_GRANTS = 100;

const DONE: Readonly<Record<string, string>> = {
  removed: 'The connection and its credential are removed.',
  shared: 'The connection is shared with the team.',
  unshared: 'The team no longer has the connection.',
  renamed: 'The account has its new name. Assistants see it from now on.',
  revoked: 'The client has lost its access.',
  narrowed: 'The client has lost what you removed.',
  tokens: 'The operator’s access tokens no longer work.',
  answered: 'Your answer is ready. Ask the client to continue: it makes the call again, within 10 minutes.',
  declined: 'You declined. Ask the client to continue: the service is told so when it makes the call again.',
};

/** @param problem why the submitted form was refused. Default: none. */
export async function showOverview(received: UserRequest, problem: Html | null = null): Promise<Outcome> {
  const { deps, user, partner, now } = received;
  const { db, catalogue } = deps;
  const connections = await listConnections(db, user.id);
  const shared = await listSharedAccounts(db, user.id, connections);
  const request = { ...received, connections, shared };
  const sharing = await readSharing(received, connections);
  const connected = await listUsableServices(db, user.id, partner);
  const before = request.query('before');
  const filter = { userId: user.id, allowance: currentAllowance(user, now), connected, catalogue, now };
  const partners = before === null ? await findPartnersOwn(db, filter, MAX_OWN_GRANTS) : null;
  const clientFilter = { ...filter, holder: 'client' as const };
  const page = before === null ? clientFilter : { ...clientFilter, before };
  const { grants, next } = await listAllowed(db, page, CLIENTS_PER_PAGE);
  const { tokens } = await countAccess(db, { userId: user.id }, now);
  const { length: waiting } = await findWaiting(request);
  const byTitle = connections.toSorted((a, b) =>
    serviceTitle(a.service, request).localeCompare(serviceTitle(b.service, request), 'en'),
  );
  const clientRows = grants.map((allowed) => clientRow(allowed, request));
  if (partners !== null && partners.grants.length > 0) clientRows.unshift(await partnerRow(partners, request));
  if (tokens > 0) clientRows.push(tokensRow(tokens, request));
  const suspension = partner.suspendedAt === null ? null : suspensionNotice(partner.name);
  const content = html`${suspension === null ? null : caution(suspension.title, `${suspension.text} ${suspension.advice} You can still revoke what you have allowed.`)}
${waiting === 0 ? null : waitingNotice(waiting)}
<h2>Connected services</h2>
${connections.length === 0 ? html`<p>No service is connected.</p>` : html`<ul class="list folded">${byTitle.map((connection) => connectionRow(connection, request, sharing))}</ul>`}
${sharedWithUser(shared, request)}
<p><a href="${APPROVAL_RULES_PATH}">Choose when to be asked</a></p>
<h2>Clients that may use them</h2>
${clientRows.length === 0 ? html`<p>No client may use them.</p>` : html`<ul class="list folded">${clientRows}</ul>`}
${next === null ? null : html`<p><a href="${USER_PAGE_PATH}?before=${next}" rel="next">Older clients</a></p>`}
${before === null ? null : html`<p><a href="${USER_PAGE_PATH}">Newest clients</a></p>`}
${before === null ? await latestActivity(request) : null}
<form method="post" action="${USER_PAGE_PATH}/leave">${hidden('csrf', request.csrf)}
<div class="actions">${button('Leave this page')}</div></form>`;
  return userPage(request, { title: 'What you have allowed', content, problem, done: DONE });
}

/** The first lines of the page, if calls wait for the user. */
function waitingNotice(count: number): Html {
  const text = count === 1 ? '1 action needs your approval.' : `${count} actions need your approval.`;
  return html`<div class="notice caution one-line" role="note"><strong>${text}</strong> <a class="button" href="${USER_APPROVALS_PATH}">Review</a></div>`;
}

/** A row that says the most important facts, and opens to show the rest. */
interface FoldedRow {
  /** Shown before the heading. Default: nothing. */
  readonly mark?: Html | null;
  readonly heading: HtmlValue;
  /** A badge next to the heading. Default: none. */
  readonly state?: Html | null;
  /** Shown below the heading. */
  readonly remark: Html | string;
  readonly details: Html;
  /** Default: closed. */
  readonly isOpen?: boolean;
}

function foldedRow({ mark = null, heading, state = null, remark, details, isOpen = false }: FoldedRow): Html {
  return html`<li><details${isOpen ? html` open` : null}><summary>${mark}<div><h3>${heading}</h3> ${state}<small>${remark}</small></div></summary>
<div class="folded-details">${details}</div></details></li>`;
}

function connectionRow(connection: Connection, request: OverviewRequest, sharing: Sharing): Html {
  const { id, service, status, createdAt, updatedAt, sealedCredential } = connection;
  const title = serviceTitle(service, request);
  const partner = partnerNameOf(request.partner);
  const { connectUri, suspendedAt } = request.partner;
  const isOffered = mayOffer(request.partner, service);
  let problem: string | null = null;
  let state: Html | null = null;
  if (!isOffered) {
    state = badge('not offered', 'warn');
    problem = `${partner} does not offer it now, so no client can use it.`;
  } else if (status !== 'active') {
    state = connectionBadge(connection);
    problem = `${title} refused the credential. Connect it again.`;
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
  const changedText = updatedAt === createdAt ? null : html` · Changed ${relativeTime(updatedAt, request.now)}`;
  const details = html`${problem === null ? null : html`<p>${problem}</p>`}
${isOffered && connectUri !== null && suspendedAt === null ? html`<a href="${toConnectPage(connectUri, service, name)}">Reconnect ${what}</a>${lacking.map((extra) => html`<p><a href="${toConnectPage(connectUri, service, name, extra)}">Connect more of ${what}: ${extra}</a> in ${foreign(partner)}. Some tools need it.</p>`)}` : null}
${sharingOf(connection, sharing, request)}
${name === null ? null : renameForm(request, { id, name, what, action: `${path}/rename` })}
${confirmation({
  opener: `Remove ${what}`,
  text: `Its credential is deleted, and no client can use ${what} any more.${rest} To use it again, connect it again in ${partner}.`,
  action: `${path}/remove`,
  fields: { csrf: request.csrf, account: name === null ? null : id },
})}`;
  return foldedRow({
    mark: connector === undefined ? null : serviceMarkOf(connector),
    heading: what,
    state,
    remark: html`${signedInText}Connected ${relativeTime(createdAt, request.now)}${changedText}`,
    details,
    isOpen: problem !== null,
  });
}

function renameForm(request: UserRequest, account: { id: string; name: string; what: string; action: string }): Html {
  const { id, name, what, action } = account;
  return html`<details><summary>Rename ${what}</summary>
<form method="post" action="${action}">${hiddenFields({ csrf: request.csrf, account: id })}
<label for="name-${id}">Name that assistants see</label>
<input type="text" id="name-${id}" name="name" value="${name}" required maxlength="${MAX_ACCOUNT_NAME_LENGTH}" autocomplete="off" spellcheck="false">
<div class="actions">${button('Rename')}</div></form></details>`;
}

function clientRow(allowed: AllowedGrant, request: OverviewRequest): Html {
  const { grant } = allowed;
  const holder = holderName(allowed.grant, request.partner);
  const path = pathOf(grant);
  const details = html`${clientRemark(grant, request)}
${facts([...accessFacts(allowed, request), ...timeFacts(allowed, request)])}
${allowed.may.length === 0 ? null : html`<p><a href="${path}">Reduce the access of ${foreign(holder)}</a></p>`}
${confirmation({
  opener: `Revoke ${holder}`,
  text: 'It loses all access at once. To allow it again, connect it again.',
  action: `${path}/revoke`,
  fields: { csrf: request.csrf },
})}`;
  return foldedRow({
    mark: letterOf(holder),
    heading: foreign(capitalize(holder)),
    state: nameBadge(grant, request),
    remark: usage(allowed, request),
    details,
  });
}

/** Each connect flow gives the partner another grant; the row shows them as one. */
async function partnerRow(allowed: Allowed, request: OverviewRequest): Promise<Html> {
  const { deps, user, now } = request;
  const [youngest] = allowed.grants;
  const { grants: count } = await countAccess(deps.db, { userId: user.id, clientId: null }, now);
  const partner = partnerNameOf(request.partner);
  const times = count === 1 ? null : `It has ${count} grants, one for each time that you connected something.`;
  const reduce = allowed.may.length === 0 ? [] : allowed.grants;
  const details = html`<p class="quiet">The application in which you connected ${(count === 1 && titleOfGrant(youngest, request)) || 'your services'}. ${times}</p>
${facts([...accessFacts(allowed, request), ...timeFacts(allowed, request)])}
${
  reduce.length < 2
    ? reduce.map((grant) => html`<p><a href="${pathOf(grant)}">Reduce the access of ${foreign(partner)}</a></p>`)
    : html`<details><summary>Reduce the access of a single grant</summary><ul>${reduce.map(
        (grant) =>
          html`<li><a href="${pathOf(grant)}">${exactTime(grant.createdAt, 'minute')}, ${titleOfGrant(grant, request) ?? 'several services'}</a></li>`,
      )}</ul></details>`
}
${confirmation({
  opener: `Disconnect ${partner}`,
  text: `${count === 1 ? '' : `All ${count} grants are revoked. `}It loses all access at once. To allow it again, connect it again.`,
  action: `${USER_PAGE_PATH}/partner/revoke`,
  fields: { csrf: request.csrf },
})}`;
  return foldedRow({
    mark: markOf(request.partner) ?? letterOf(partner),
    heading: foreign(partner),
    remark: usage(allowed, request),
    details,
  });
}

/** Access tokens minted outside OAuth: all that is known of their holder is that an operator minted them. */
function tokensRow(tokens: number, request: UserRequest): Html {
  const [count, they] = tokens === 1 ? ['1 access token', 'It'] : [`${tokens} access tokens`, 'They'];
  const details = html`<p class="quiet">Made for your account, for example to investigate a problem. ${they} can use what you have connected.</p>
${confirmation({
  opener: `Revoke ${count}`,
  text: 'They stop working at once.',
  action: `${USER_PAGE_PATH}/tokens/revoke`,
  fields: { csrf: request.csrf },
})}`;
  return foldedRow({
    mark: letterOf('Operator'),
    heading: 'The operator of this gateway',
    remark: `Has ${count} for your account`,
    details,
  });
}

function pathOf({ id }: LiveGrant): string {
  return `${USER_PAGE_PATH}/clients/${id}`;
}

function titleOfGrant(grant: LiveGrant | undefined, request: UserRequest): string | null {
  return grant?.service == null ? null : serviceTitle(grant.service, request);
}
