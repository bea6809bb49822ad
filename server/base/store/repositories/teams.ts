/** Teams: groups of a partner's users, their members, and the connections that a user shares with them. */

import { sql } from 'kysely';
import { locksRows } from '../conflicts.ts';
import { emit } from '../events.ts';
import { fromCursor, type PageCursor } from '../list-page.ts';
import { columns, columnsOf, hasRow, newId, type Row } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';
import { isNameTaken, nameAccountsOfMember } from './account-names.ts';
import type { ShareOwner } from './users.ts';

/** Teams of one partner. Their names are compared with each other. */
export const MAX_TEAMS = 200;
/** Members of one team. */
export const MAX_MEMBERS = 1000;
/** Teams that one user may be in: the token lookup reads what all of them share. */
export const MAX_TEAMS_OF_USER = 20;

const TEAM = columnsOf(CORE_TABLES.tables.teams);
const SHARE = columnsOf(CORE_TABLES.tables.team_shares, { alias: 's' });

export type Team = Row<'teams', typeof TEAM>;

/** A team, with the numbers of its members and shares. */
export interface ListedTeam extends Team {
  readonly members: number;
  readonly shares: number;
}

/** A share, with the owner of its connection. */
export type ListedShare = Awaited<ReturnType<typeof listShares>>[number];

export async function findTeam(
  executor: Executor,
  key: { readonly partnerId: string; readonly externalTeamId: string } | { readonly id: string },
): Promise<Team | undefined> {
  const query = executor.selectFrom('teams').select(TEAM);
  if ('id' in key) return query.where('id', '=', key.id).executeTakeFirst();
  return query
    .where('partner_id', '=', key.partnerId)
    .where('external_team_id', '=', key.externalTeamId)
    .executeTakeFirst();
}

/** The `limit` newest teams of a partner that are older than `before`, newest first. */
export async function listTeams(
  executor: Executor,
  { partnerId, before }: { readonly partnerId: string; readonly before?: string | undefined },
  limit: number,
): Promise<ListedTeam[]> {
  const query = executor
    .selectFrom('teams')
    .select(TEAM)
    .select((row) => [
      row
        .selectFrom('team_members')
        .select(({ fn }) => fn.countAll().as('members'))
        .whereRef('team_id', '=', 'teams.id')
        .as('members'),
      row
        .selectFrom('team_shares')
        .select(({ fn }) => fn.countAll().as('shares'))
        .whereRef('team_id', '=', 'teams.id')
        .as('shares'),
    ])
    .where('partner_id', '=', partnerId);
  const rows = await fromCursor(query, 'id', { before }).limit(limit).execute();
  return rows.map((row) => ({ ...row, members: Number(row.members), shares: Number(row.shares) }));
}

/** The teams of a user, by name. */
export async function listTeamsOfUser(executor: Executor, userId: string): Promise<Team[]> {
  return executor
    .selectFrom('teams')
    .select(TEAM)
    .where('id', 'in', (row) => row.selectFrom('team_members').select('team_id').where('user_id', '=', userId))
    .orderBy('name')
    .execute();
}

interface NewTeam {
  readonly partnerId: string;
  readonly externalTeamId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Adds a team, or renames it. Needs a transaction.
 *
 * @returns `taken` if another team of the partner has the name, or one that looks like it; `full` if the partner has `MAX_TEAMS`.
 */
export async function putTeam(
  transaction: Executor,
  { partnerId, externalTeamId, name, now }: NewTeam,
): Promise<'added' | 'renamed' | 'unchanged' | 'taken' | 'full'> {
  // Names of a partner's teams change only together, so that no two become the same.
  const partner = transaction.selectFrom('partners').select('id').where('id', '=', partnerId);
  await (locksRows(transaction) ? partner.forNoKeyUpdate() : partner).execute();
  const teams = await transaction.selectFrom('teams').select(TEAM).where('partner_id', '=', partnerId).execute();
  const existing = teams.find((team) => team.externalTeamId === externalTeamId);
  if (existing?.name === name) return 'unchanged';
  const others = teams.filter((team) => team !== existing).map((team) => ({ accountName: team.name }));
  if (isNameTaken(others, name)) return 'taken';
  if (existing !== undefined) {
    await transaction.updateTable('teams').set({ name }).where('id', '=', existing.id).execute();
    return 'renamed';
  }
  if (teams.length >= MAX_TEAMS) return 'full';
  const team = { id: newId(now), partner_id: partnerId, external_team_id: externalTeamId, name, created_at: now };
  await transaction.insertInto('teams').values(team).execute();
  return 'added';
}

/** Removes a team with its members and shares. Needs a transaction that has locked the team. @returns false if there is no such team. */
export async function deleteTeam(transaction: Executor, id: string): Promise<boolean> {
  await changeMembers(transaction, { id, add: [], remove: await listMemberIds(transaction, id), now: 0 });
  return hasRow(transaction.deleteFrom('teams').where('id', '=', id).returning('id'));
}

/** Lets changes of a team's members take turns. Needs a transaction. @returns false if there is no such team. */
export async function lockTeam(transaction: Executor, id: string): Promise<boolean> {
  const query = transaction.selectFrom('teams').select('id').where('id', '=', id);
  return hasRow(locksRows(transaction) ? query.forNoKeyUpdate() : query);
}

/** Row ids of the members of a team. */
export async function listMemberIds(executor: Executor, teamId: string): Promise<string[]> {
  const rows = await executor.selectFrom('team_members').select('user_id').where('team_id', '=', teamId).execute();
  return rows.map((row) => row.user_id);
}

/** The `limit` newest members of a team, newest first; with `after`, the nearest newer ones, oldest first. */
export async function listMembers(
  executor: Executor,
  { teamId, ...place }: PageCursor & { readonly teamId: string },
  limit: number,
) {
  const query = executor
    .selectFrom('team_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(columns('m.id', 'm.user_id', 'm.created_at', 'u.external_user_id'))
    .where('m.team_id', '=', teamId);
  return fromCursor(query, 'm.id', place).limit(limit).execute();
}

export async function isMember(executor: Executor, teamId: string, userId: string): Promise<boolean> {
  const query = executor.selectFrom('team_members').select('id').where('team_id', '=', teamId);
  return hasRow(query.where('user_id', '=', userId));
}

/**
 * Adds and removes members by row id. Needs a transaction that has locked the team.
 *
 * @returns row id of a user who is in `MAX_TEAMS_OF_USER` teams already, in which case nothing was changed. Otherwise null.
 */
export async function changeMembers(
  transaction: Executor,
  { id: teamId, add, remove, now }: { id: string; add: readonly string[]; remove: readonly string[]; now: number },
): Promise<string | null> {
  const changed = [...add, ...remove];
  if (changed.length === 0) return null;
  const users = transaction.selectFrom('users').select('id').where('id', 'in', changed).orderBy('id');
  const locked = await (locksRows(transaction) ? users.forNoKeyUpdate() : users).execute();
  const rows = transaction.selectFrom('team_members').where('user_id', 'in', changed);
  const counted = await rows
    .select(['user_id', ({ fn }) => fn.countAll().as('teams')])
    .groupBy('user_id')
    .execute();
  const full = counted.find((row) => Number(row.teams) >= MAX_TEAMS_OF_USER && add.includes(row.user_id));
  if (full !== undefined) return full.user_id;
  if (remove.length > 0) {
    await transaction.deleteFrom('team_members').where('team_id', '=', teamId).where('user_id', 'in', remove).execute();
  }
  const added = locked.filter(({ id }) => add.includes(id));
  if (added.length > 0) {
    const members = added.map((user) => ({ id: newId(now), team_id: teamId, user_id: user.id, created_at: now }));
    await transaction.insertInto('team_members').values(members).execute();
  }
  const isInTeams = sql<
    number | null
  >`case when exists (select 1 from team_members where user_id = users.id) then 1 end`;
  await transaction.updateTable('users').set({ in_teams: isInTeams }).where('id', 'in', changed).execute();
  return null;
}

/** The shares of a team by service, or those of a connection by team; `externalUserId` is the owner of the connection. */
export async function listShares(
  executor: Executor,
  of: { readonly teamId: string } | { readonly connectionIds: readonly string[] },
) {
  let query = executor
    .selectFrom('team_shares as s')
    .innerJoin('teams as t', 't.id', 's.team_id')
    .innerJoin('connections as c', 'c.id', 's.connection_id')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .select(SHARE)
    .select(columns('c.user_id', 'c.account_name', 'c.status', 'u.external_user_id', 't.partner_id'))
    .select(['t.name as teamName', 't.external_team_id as externalTeamId'])
    .orderBy('s.service')
    .orderBy('t.name');
  if ('teamId' in of) query = query.where('s.team_id', '=', of.teamId);
  else query = query.where('s.connection_id', 'in', [...of.connectionIds, '']);
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, readOnly: row.readOnly === 1 }));
}

/** Adds a share. The team must have none of the service. */
export async function insertShare(
  executor: Executor,
  share: {
    readonly teamId: string;
    readonly connectionId: string;
    readonly service: string;
    readonly readOnly: boolean;
    readonly now: number;
  },
): Promise<void> {
  const { teamId, connectionId, service, readOnly, now } = share;
  const row = { id: newId(now), team_id: teamId, connection_id: connectionId, service, created_at: now };
  await executor
    .insertInto('team_shares')
    .values({ ...row, read_only: Number(readOnly) })
    .execute();
}

/** Sets whether the members may only read. */
export async function setShareReadOnly(executor: Executor, id: string, readOnly: boolean): Promise<void> {
  await executor
    .updateTable('team_shares')
    .set({ read_only: Number(readOnly) })
    .where('id', '=', id)
    .execute();
}

/** Who changes a share, and when. */
export interface ShareChange {
  readonly by: 'partner' | 'user' | 'operator';
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly address?: string | null;
  readonly requestId?: string | null;
}

/** Ends a share, with its event: from the next call on, members do not have the account. Needs a transaction. @returns false if it had ended already. */
export async function endShare(
  transaction: Executor,
  { id, partnerId, userId, service, connectionId, externalTeamId: teamId }: ListedShare,
  { by, ...event }: ShareChange,
): Promise<boolean> {
  if (!(await hasRow(transaction.deleteFrom('team_shares').where('id', '=', id).returning('id')))) return false;
  const details = { team: teamId, service, by };
  const share = { partnerId, userId, service, connectionId, teamId, by, details };
  await emit(transaction, { type: 'connection_share_ended', ...share, ...event });
  return true;
}

/** An account that a user may use because a team shares it. */
export interface SharedAccount {
  /** Row id of the share, by which a grant pins the account. */
  readonly id: string;
  readonly connectionId: string;
  /** Connector name. */
  readonly service: string;
  /** The name by which the user's tools choose it. */
  readonly accountName: string;
  readonly readOnly: boolean;
  readonly owner: ShareOwner;
}

/**
 * The accounts that teams share with a user, as the token lookup finds and names them.
 *
 * @param own the user's own connections.
 */
export async function listSharedAccounts(
  executor: Executor,
  userId: string,
  own: readonly { readonly service: string; readonly accountName: string | null }[],
): Promise<SharedAccount[]> {
  const rows = await executor
    .selectFrom('team_members as m')
    .innerJoin('team_shares as s', 's.team_id', 'm.team_id')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .innerJoin('connections as c', 'c.id', 's.connection_id')
    .innerJoin('users as o', 'o.id', 'c.user_id')
    .innerJoin('partners as p', 'p.id', 'o.partner_id')
    .select(columns('s.id', 's.connection_id', 's.service', 's.read_only', 't.name'))
    .select(columns('o.allowance', 'o.allowance_until', 'p.requires_allowance', 'c.account_name', 'c.account'))
    .where('m.user_id', '=', userId)
    .whereRef('c.user_id', '!=', 'm.user_id')
    .orderBy('s.id')
    .execute();
  return [...Map.groupBy(rows, ({ service }) => service)].flatMap(([service, shares]) => {
    const ownNames = own.filter((account) => account.service === service).map(({ accountName }) => accountName);
    const names = nameAccountsOfMember(
      ownNames,
      shares.map(({ name }) => name),
    ).shared;
    return shares.map((share, index) => ({
      id: share.id,
      connectionId: share.connectionId,
      service,
      accountName: names[index] ?? share.name,
      readOnly: share.readOnly === 1,
      owner: {
        name: share.accountName ?? undefined,
        account: share.account ?? undefined,
        allowance: share.allowance,
        allowanceUntil: share.allowanceUntil,
        requiresAllowance: share.requiresAllowance,
      },
    }));
  });
}

/** Returns the number of calls that the members of a team made with a connection since a time. */
export async function countCallsOfMembers(
  executor: Executor,
  { teamId, connectionId, since }: { readonly teamId: string; readonly connectionId: string; readonly since: number },
): Promise<number> {
  const members = executor.selectFrom('team_members').select('user_id').where('team_id', '=', teamId);
  const row = await executor
    .selectFrom('call_records')
    .select(({ fn }) => fn.countAll().as('calls'))
    .where('connection_id', '=', connectionId)
    .where('created_at', '>=', since)
    .where('user_id', 'in', members)
    .executeTakeFirst();
  return Number(row?.calls ?? 0);
}
