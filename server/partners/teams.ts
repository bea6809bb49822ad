/** Teams of the partner: their members, and the connections that the members may use. */

import { z } from 'zod';
import type { RequestError } from '../base/http/errors.ts';
import { ACCOUNT_NAME_RULE, readAccountName } from '../base/store/repositories/account-names.ts';
import {
  endShare,
  findTeam,
  type ListedShare,
  listMembers,
  listShares,
  listTeams,
  MAX_MEMBERS,
  MAX_TEAMS,
  MAX_TEAMS_OF_USER,
  type Team,
} from '../base/store/repositories/teams.ts';
import { findUser } from '../base/store/repositories/users.ts';
import type { Executor } from '../base/store/schema.ts';
import { removeTeam, saveTeam, setMembers, shareConnection } from '../identity/partners/teams.ts';
import { isUserId, USER_ID_RULE } from '../identity/partners/user-id.ts';
import { invalid, missing, operation, type PartnerCall, requireUser } from './operation.ts';
import { count, next, pageOf, ROW_ID, time, toPage } from './shapes.ts';
import { requireAccount } from './users.ts';

/** Enough for `MAX_MEMBERS` names of the usual length. */
const MAX_MEMBERS_BYTES = 262_144;
const TEAM_RULE =
  'team_id must be 1 to 100 letters, digits, dots, hyphens, underscores and colons, and begin with a letter or digit.';
const TEAM_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;

const team = z
  .object({
    team_id: z.string(),
    name: z.string().meta({ description: 'What members and their assistants see as the account.' }),
    created_at: time,
    members: count,
    shares: count,
  })
  .meta({ id: 'Team' });

const share = z
  .object({
    service: z.string(),
    user_id: z.string().meta({ description: 'The owner of the connection. Members never see it.' }),
    account_name: z.string().optional().meta({ description: 'Which of several accounts of the owner it is.' }),
    status: z.enum(['active', 'attention']),
    read_only: z.boolean(),
    created_at: time,
  })
  .meta({ id: 'Share' });

const teamName = z.object({ name: z.string().meta({ description: ACCOUNT_NAME_RULE }) });

const memberNames = z.object({
  user_ids: z.array(z.string()).max(MAX_MEMBERS).meta({ description: 'Every member. All others are removed.' }),
});

const shareRequest = z.object({
  user_id: z.string().meta({ description: 'The owner of the connection.' }),
  account: z.string().nullish().meta({ description: '`account_name`, where the owner has several of the service.' }),
  read_only: z.boolean().default(true).meta({ description: 'Whether members may only read.' }),
});

export const TEAM_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/teams',
      id: 'listTeams',
      summary: 'The teams of the partner, the youngest first.',
      query: pageOf(ROW_ID),
      answers: { 200: 'The teams.' },
      answer: z.object({ teams: z.array(team), next }),
    },
    async ({ partner, query: { cursor: before, limit } }, { db }) => {
      const rows = await listTeams(db, { partnerId: partner.id, before }, limit + 1);
      const page = toPage(rows, limit, ({ id }) => id);
      return { teams: page.rows.map((row) => ({ ...row, teamId: row.externalTeamId })), next: page.next };
    },
  ),
  operation(
    {
      method: 'put',
      path: '/teams/:team_id',
      id: 'putTeam',
      summary: 'Adds a team, or gives it another name.',
      body: { schema: teamName, explain: () => `name must be a string. ${ACCOUNT_NAME_RULE}` },
      answers: { 204: 'There is such a team.' },
      refusals: [413, 415],
    },
    async (call, { db }) => {
      const name = readAccountName((await call.body()).name);
      if (name === null) throw invalid(`name cannot be used. ${ACCOUNT_NAME_RULE}`);
      const saved = { partnerId: call.partner.id, externalTeamId: teamIdOf(call), name };
      const outcome = await db.transaction().execute((transaction) => saveTeam(transaction, saved, call.event()));
      if (outcome === 'taken') throw invalid('Another team has this name, or one that looks like it.');
      if (outcome === 'full') throw invalid(`A partner has at most ${MAX_TEAMS} teams.`);
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/teams/:team_id',
      id: 'deleteTeam',
      summary: 'Removes a team. What was shared with it ends at the next call.',
      answers: { 204: 'The team is removed.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const row = await requireTeam(db, call);
      const isDone = await db.transaction().execute((transaction) => removeTeam(transaction, row, call.event()));
      if (!isDone) throw noSuchTeam();
    },
  ),
  operation(
    {
      method: 'get',
      path: '/teams/:team_id/members',
      id: 'listMembers',
      summary: 'The members of a team, those added last first.',
      query: pageOf(ROW_ID),
      answers: { 200: 'The members.' },
      answer: z.object({ members: z.array(z.object({ user_id: z.string(), added_at: time })), next }),
      refusals: [404],
    },
    async (call, { db }) => {
      const { cursor: before, limit } = call.query;
      const { id: teamId } = await requireTeam(db, call);
      const page = toPage(await listMembers(db, { teamId, before }, limit + 1), limit, ({ id }) => id);
      const members = page.rows.map((row) => ({ userId: row.externalUserId, addedAt: row.createdAt }));
      return { members, next: page.next };
    },
  ),
  operation(
    {
      method: 'put',
      path: '/teams/:team_id/members',
      id: 'setMembers',
      summary:
        'Sets all members of a team at once, for example from a directory. Users whom the gateway does not know yet are added.',
      body: {
        schema: memberNames,
        explain: () => `user_ids must be a list of at most ${MAX_MEMBERS} strings.`,
        maxBytes: MAX_MEMBERS_BYTES,
      },
      answers: { 204: 'These are the members.' },
      refusals: [404, 413, 415],
    },
    async (call, { db }) => {
      const only = [...new Set((await call.body()).user_ids)];
      if (!only.every(isUserId)) throw invalid(`Each of user_ids ${USER_ID_RULE}.`);
      await changeTeam(db, call, { only });
    },
  ),
  operation(
    {
      method: 'put',
      path: '/teams/:team_id/members/:user_id',
      id: 'addMember',
      summary: 'Adds one member.',
      answers: { 204: 'The user is a member.' },
      refusals: [404],
    },
    async (call, { db }) => changeTeam(db, call, { add: [call.userId()] }),
  ),
  operation(
    {
      method: 'delete',
      path: '/teams/:team_id/members/:user_id',
      id: 'removeMember',
      summary: 'Removes one member, who loses what the team shares at the next call.',
      answers: { 204: 'The user is no member.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const user = await findUser(db, { partnerId: call.partner.id, externalUserId: call.userId() });
      await changeTeam(db, call, { remove: user === undefined ? [] : [user.id] });
    },
  ),
  operation(
    {
      method: 'get',
      path: '/teams/:team_id/shares',
      id: 'listShares',
      summary: 'What is shared with a team: at most one connection of each service.',
      answers: { 200: 'The shares, by service.' },
      answer: z.object({ team_id: z.string(), shares: z.array(share) }),
      refusals: [404],
    },
    async (call, { db }) => {
      const { id: teamId, externalTeamId } = await requireTeam(db, call);
      return { teamId: externalTeamId, shares: (await listShares(db, { teamId })).map(describeShare) };
    },
  ),
  operation(
    {
      method: 'put',
      path: '/teams/:team_id/shares/:service',
      id: 'shareConnection',
      summary: 'Shares a connection of a user with a team, in place of another of the service.',
      body: {
        schema: shareRequest,
        explain: () => 'user_id and account must be strings, and read_only true or false.',
      },
      answers: { 204: 'The connection is shared.' },
      refusals: [404, 409, 413, 415],
    },
    async (call, { db }) => {
      const { user_id: ownerName, account: name, read_only: readOnly } = await call.body();
      const sharedTeam = await requireTeam(db, call);
      const owner = await requireUser(db, call.partner, ownerName);
      const requested = { service: call.param('service'), name: name ?? undefined };
      const connection = await requireAccount(db, owner.id, requested);
      const sharing = { team: sharedTeam, owner, connection, readOnly };
      const change = { by: 'partner', ...call.event() } as const;
      const outcome = await db.transaction().execute((transaction) => shareConnection(transaction, sharing, change));
      if (outcome !== 'shared') throw missing('The team, the user or the connection was removed meanwhile.');
    },
  ),
  operation(
    {
      method: 'delete',
      path: '/teams/:team_id/shares/:service',
      id: 'endShare',
      summary: 'Ends a share. Members lose the account at the next call.',
      answers: { 204: 'It is no longer shared.' },
      refusals: [404],
    },
    async (call, { db }) => {
      const { id: teamId } = await requireTeam(db, call);
      const shares = await listShares(db, { teamId });
      const ended = shares.find(({ service }) => service === call.param('service'));
      if (ended === undefined) throw missing('The team has no connection of that service.');
      const change = { by: 'partner', ...call.event() } as const;
      await db.transaction().execute((transaction) => endShare(transaction, ended, change));
    },
  ),
];

type TeamCall = PartnerCall<unknown, unknown>;

function teamIdOf(call: TeamCall): string {
  const id = call.param('team_id');
  if (!TEAM_ID.test(id)) throw invalid(TEAM_RULE);
  return id;
}

/** @throws {RequestError} `not_found`, status 404, also for a team of another partner. */
async function requireTeam(executor: Executor, call: TeamCall): Promise<Team> {
  const row = await findTeam(executor, { partnerId: call.partner.id, externalTeamId: teamIdOf(call) });
  if (row === undefined) throw noSuchTeam();
  return row;
}

async function changeTeam(
  db: Parameters<typeof requireTeam>[0],
  call: TeamCall,
  change: Parameters<typeof setMembers>[2],
): Promise<void> {
  const row = await requireTeam(db, call);
  const options = { most: MAX_MEMBERS, ...call.event() };
  await db.transaction().execute(async (transaction) => {
    const refusal = await setMembers(transaction, row, change, options);
    if (refusal === 'missing') throw noSuchTeam();
    if (refusal === 'full') throw invalid(`A team has at most ${MAX_MEMBERS} members. Nothing was changed.`);
    if (refusal !== null)
      throw invalid(`${refusal.tooMany} is in ${MAX_TEAMS_OF_USER} teams already. Nothing was changed.`);
  });
}

function describeShare(row: ListedShare) {
  return { ...row, userId: row.externalUserId };
}

function noSuchTeam(): RequestError {
  return missing('There is no such team_id.');
}
