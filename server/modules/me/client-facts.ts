/** Facts about a client on a user's start page: who it is, what it may use, and when it used it. */

import { isLoopbackHostname } from '../../base/http/loopback.ts';
import { partnerNameOf } from '../../base/pages/brand.ts';
import { type ClientName, readClientName } from '../../base/pages/client-name.ts';
import { badge, type Fact, foreign } from '../../base/pages/components.ts';
import { type Html, html, shownName } from '../../base/pages/html.ts';
import { dayOf, relativeTime } from '../../base/pages/times.ts';
import { mayWrite, type Permission, readPermission, toScopes } from '../../base/principal/permission.ts';
import type { Connection } from '../../base/store/repositories/connections.ts';
import type { LastCall, LiveGrant } from '../../base/store/repositories/live-access.ts';
import type { SharedAccount } from '../../base/store/repositories/teams.ts';
import { isToolApprovalRequired } from '../../call/tools/approvals/policy.ts';
import { toolCounts } from '../../call/tools/catalogue/facts.ts';
import { effectsOf } from '../../identity/grants/allowed/consent-options.ts';
import type { Allowed } from '../../identity/grants/allowed/list.ts';
import type { UserRequest } from './request.ts';
import { serviceTitle } from './view.ts';

/** A request with the user's connections and the accounts that teams share, which grants name by row id. */
export interface OverviewRequest extends UserRequest {
  readonly connections: readonly Connection[];
  readonly shared: readonly SharedAccount[];
}

/** Describes the identity of a client. */
export function clientRemark(grant: LiveGrant, { partner }: OverviewRequest): Html {
  const website =
    grant.isDocument && grant.clientId !== null
      ? html`It identifies itself through ${foreign(new URL(grant.clientId).host)}. `
      : null;
  const kind = readClientName(grant.clientName, partner.name)?.kind;
  const nameRemark = kind === undefined ? null : NAME_REMARKS[kind];
  const hosts = [...new Set(grant.redirectUris.map(destinationOf))].slice(0, 5);
  return html`<p class="quiet">${website}${nameRemark}It sends you back to ${hosts.map((host, index) => [index > 0 ? ', ' : '', foreign(host)])}.</p>`;
}

/** Marks a name that a client gave itself, also while the details are folded. Null if the client has no name. */
export function nameBadge(grant: LiveGrant, { partner }: OverviewRequest): Html | null {
  const kind = readClientName(grant.clientName, partner.name)?.kind;
  if (kind === undefined) return null;
  return kind === 'misleading' ? badge('misleading name', 'warn') : badge('unverified name');
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

/** Returns what clients may use, and what the partner set for them. */
export function accessFacts({ grants, may, leftOut }: Allowed, request: OverviewRequest): readonly Fact[] {
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
      : html`<ul>${may.toSorted((a, b) => a.title.localeCompare(b.title, 'en')).map((service) => html`<li>${service.title}: ${toolCounts(effectsOf(service))}${asking(service, request)}</li>`)}</ul>`;
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
  const { connections, shared } = request;
  const names = new Map([...connections, ...shared].map(({ id, accountName }) => [id, accountName ?? 'your only one']));
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

/** Says when a client was used last and when its access expires, such as `Used today, expires 28 Dec`. */
export function usage({ grants }: Allowed, { now }: UserRequest): Html {
  const lastUsedAt = Math.max(...grants.map((grant) => grant.lastUsedAt ?? 0));
  const used = lastUsedAt === 0 ? 'Never used' : html`Used ${dayOf(lastUsedAt, now)}`;
  return html`${used}, expires ${dayOf(Math.max(...grants.map(({ expiresAt }) => expiresAt)), now)}`;
}

/** Returns when access was allowed, what was done with it last, and when it expires whether it is used or not. */
export function timeFacts({ grants }: Allowed, request: UserRequest): readonly Fact[] {
  const [lastCall] = grants.flatMap((grant) => grant.lastCall ?? []).sort((a, b) => b.createdAt - a.createdAt);
  const ends = grants.flatMap(({ endsAt }) => endsAt ?? []);
  const list: Fact[] = [
    { term: 'Allowed', value: relativeTime(Math.max(...grants.map(({ createdAt }) => createdAt)), request.now) },
    { term: 'Last action', value: lastCall === undefined ? 'None on record' : lastAction(lastCall, request) },
  ];
  if (ends.length >= grants.length) {
    const remark = 'However often it is used.';
    list.push({ term: 'Expires at the latest', value: dayOf(Math.max(...ends), request.now), remark });
  }
  return list;
}

const ACTION_RESULTS: Readonly<Record<string, string>> = {
  ok: 'succeeded',
  needs_approval: 'waiting for you',
  awaiting_approval: 'waiting for you',
};

function lastAction({ tool, outcome, createdAt }: LastCall, { deps, now }: UserRequest): Html {
  const title = deps.catalogue.find(tool)?.tool.title ?? tool;
  return html`${foreign(title)}, ${ACTION_RESULTS[outcome] ?? `failed (${outcome.replaceAll('_', ' ')})`}, ${relativeTime(createdAt, now)}`;
}
