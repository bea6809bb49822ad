/** The teams of a partner as a table, and the page of one team: its members and what is shared with it. An operator can end a share. */

import { dangerButton } from '../../../../base/dashboard/forms.ts';
import { list } from '../../../../base/dashboard/list.ts';
import { ADMIN_PATH, noSuchPage } from '../../../../base/dashboard/pages.ts';
import { figure, moment, partnerLink, table, untrusted, userLink } from '../../../../base/dashboard/parts.ts';
import { badge, connectionBadge } from '../../../../base/pages/components.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import type { PageCursor } from '../../../../base/store/list-page.ts';
import { findPartner, type Partner } from '../../../../base/store/repositories/partners.ts';
import {
  endShare,
  findTeam,
  listMembers,
  listShares,
  listTeams,
  MAX_TEAMS,
  type Team,
} from '../../../../base/store/repositories/teams.ts';
import { type AdminActionOn, type AdminContext, type AdminPage, type AdminRequest, titleOf } from '../../context.ts';
import { accountTitle } from '../links.ts';

/** Returns the teams of a partner. Null if it has none. */
export async function teamTable({ deps }: AdminRequest, { id: partnerId }: Partner): Promise<Html | null> {
  const teams = await listTeams(deps.db, { partnerId }, MAX_TEAMS);
  if (teams.length === 0) return null;
  return html`<h2 id="teams">Teams</h2>
${table(teams, {
  caption: 'Teams',
  columns: {
    Team: ({ id, name }) => html`<a href="${ADMIN_PATH}/teams/${id}">${untrusted(name)}</a>`,
    team_id: ({ externalTeamId }) => html`<code>${externalTeamId}</code>`,
    Members: ['number', ({ members }) => figure(members)],
    Shares: ['number', ({ shares }) => figure(shares)],
    Created: ({ createdAt }) => moment(createdAt),
  },
  empty: '',
})}`;
}

const END_SHARE: AdminActionOn<Team> = {
  path: '/shares/:share/end',
  async ask({ deps, params }, team) {
    const share = await findShare(deps, team, params);
    if (share === undefined) return null;
    return {
      title: `Stop sharing ${titleOf(deps, share.service)} with this team?`,
      losses: [html`Members of ${untrusted(team.name)} lose the account at their next call. The connection stays.`],
      button: 'Stop sharing',
    };
  },
  async run({ deps, params, commit, event }, team) {
    const share = await findShare(deps, team, params);
    if (share !== undefined) await commit((transaction) => endShare(transaction, share, { by: 'operator', ...event }));
    return 'unshared';
  },
  done: { unshared: 'It is no longer shared.' },
};

async function findShare({ db }: AdminContext, { id: teamId }: Team, params: AdminRequest['params']) {
  return (await listShares(db, { teamId })).find(({ id }) => id === params.share);
}

export const TEAM: AdminPage<Team> = {
  path: '/teams/:id',
  section: '/partners',
  async find({ deps, params }) {
    const team = await findTeam(deps.db, { id: params.id ?? '' });
    if (team !== undefined) return team;
    const advice = html`Choose one on the page of its <a href="${ADMIN_PATH}/partners">partner</a>.`;
    throw noSuchPage('team', 'There is no team under this address.', advice);
  },
  async show(request, team, notice) {
    const { deps } = request;
    const { db } = deps;
    const partner = await findPartner(db, team.partnerId);
    if (partner === undefined) throw new Error('the partner of a team is not there');
    const path = `${ADMIN_PATH}/teams/${team.id}`;
    const ofRealm = { testOf: partner.testOf };
    const content = html`<h1>${untrusted(team.name)}</h1>
${notice}
<p>Team <code>${team.externalTeamId}</code> of ${partnerLink({ ...partner, partnerId: partner.id, partnerName: partner.name })}, created ${moment(team.createdAt)}.</p>
<h2>Shared with it</h2>
${table(await listShares(db, { teamId: team.id }), {
  caption: 'Shared connections',
  columns: {
    Service: ({ service, accountName }) => accountTitle(titleOf(deps, service), accountName),
    Owner: ({ userId, externalUserId }) => userLink({ userId, externalUserId, ...ofRealm }),
    Members: ({ readOnly }) => badge(readOnly ? 'read' : 'read and write'),
    Status: ['state', connectionBadge],
    Since: ({ createdAt }) => moment(createdAt),
  },
  buttons: [({ id }) => dangerButton(request, `${path}/shares/${id}/end`, 'Stop sharing')],
  empty: 'Nothing is shared with this team.',
})}
<h2>Members</h2>
${await list(request, (place: PageCursor, limit: number) => listMembers(db, { teamId: team.id, ...place }, limit), {
  caption: 'Members',
  path,
  parameters: {},
  keyOf: ({ id }) => id,
  columns: {
    User: ['long', (row) => userLink({ ...row, ...ofRealm })],
    Added: ({ createdAt }) => moment(createdAt),
  },
  empty: 'This team has no members',
})}`;
    return { title: team.name, content };
  },
  actions: [END_SHARE],
};
