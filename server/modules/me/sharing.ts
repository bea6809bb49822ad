/** Teams on a user's own page: what the user shares with teams, and the accounts that teams share with the user. */

import { partnerNameOf } from '../../base/pages/brand.ts';
import { badge, button, checkbox, confirmation, foreign, hiddenFields } from '../../base/pages/components.ts';
import { type Html, html } from '../../base/pages/html.ts';
import { isShareWithheld } from '../../base/principal/allowance.ts';
import type { Connection } from '../../base/store/repositories/connections.ts';
import {
  countCallsOfMembers,
  type ListedShare,
  listShares,
  listTeamsOfUser,
  type SharedAccount,
  type Team,
} from '../../base/store/repositories/teams.ts';
import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';
import type { UserRequest } from './request.ts';
import { serviceTitle } from './view.ts';

const DAYS = 30;

/** What a user shares, and could share. */
export interface Sharing {
  readonly shares: readonly (ListedShare & { readonly calls: number })[];
  /** Teams with which the user may share now. */
  readonly teams: readonly Team[];
}

/** Reads what a user shares. Calls are counted only for shares, and teams are listed only where owners may share. */
export async function readSharing(request: UserRequest, connections: readonly Connection[]): Promise<Sharing> {
  const { deps, user, partner, now } = request;
  const shares = await listShares(deps.db, { connectionIds: connections.map(({ id }) => id) });
  const since = now - DAYS * 86_400_000;
  const counted: (ListedShare & { calls: number })[] = [];
  for (const share of shares)
    counted.push({ ...share, calls: await countCallsOfMembers(deps.db, { ...share, since }) });
  return { shares: counted, teams: partner.ownerSharing ? await listTeamsOfUser(deps.db, user.id) : [] };
}

/** The part of a connection that says with whom it is shared, and changes that. */
export function sharingOf(connection: Connection, { shares, teams }: Sharing, request: UserRequest): Html {
  const own = shares.filter(({ connectionId }) => connectionId === connection.id);
  const others = teams.filter(({ id }) => own.every(({ teamId }) => teamId !== id));
  const action = `${USER_PAGE_PATH}/connections/${encodeURIComponent(connection.service)}/share`;
  return html`${own.map((share) => shareItem(share, request))}
${others.map(
  (team) => html`<details><summary>Share with ${foreign(team.name)}</summary>
<form method="post" action="${action}">${hiddenFields({ csrf: request.csrf, account: connection.id, team: team.id })}
<p>Clients of every member can use this connection. They see the name of the team, not yours; what the service answers may still show whose account it is.</p>
${checkbox('writes', { value: 'yes', label: 'Members may also write with it', remark: 'In your name at the service' }, false)}
<div class="actions">${button('Share')}</div></form></details>`,
)}`;
}

function shareItem({ id, teamName, readOnly, calls }: Sharing['shares'][number], { csrf }: UserRequest): Html {
  const times = calls === 1 ? '1 call' : `${calls} calls`;
  return html`<p>Shared with ${foreign(teamName)}, ${readOnly ? 'for reading' : 'for reading and writing'}. Its members made ${times} in ${DAYS} days.</p>
${confirmation({
  opener: `Stop sharing with ${teamName}`,
  text: 'Its members lose the account at their next call.',
  action: `${USER_PAGE_PATH}/shares/${id}/end`,
  fields: { csrf },
})}`;
}

/** The accounts that teams share with the user. Null if there are none. */
export function sharedWithUser(shared: readonly SharedAccount[], request: UserRequest): Html | null {
  if (shared.length === 0) return null;
  const rows = shared.map(
    (account) =>
      html`<li>${serviceTitle(account.service, request)}: ${foreign(account.accountName)} ${badge(useOf(account, request.now))}</li>`,
  );
  return html`<h2>Shared with you by teams</h2>
<p class="quiet">Clients that you allowed a service may use these accounts of it, too. ${foreign(partnerNameOf(request.partner))} says who is in a team.</p>
<ul>${rows}</ul>`;
}

function useOf({ owner, service, readOnly }: SharedAccount, now: number): string {
  if (isShareWithheld(owner, service, now)) return 'not allowed to its owner now';
  return readOnly ? 'reading only' : 'reading and writing';
}
