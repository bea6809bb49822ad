/** Changes of teams, their members and what is shared with them, with their events: by the partner, the owner of a connection or an operator. */

import { emit } from '../../base/store/events.ts';
import type { Connection } from '../../base/store/repositories/connections.ts';
import {
  changeMembers,
  deleteTeam,
  endShare,
  insertShare,
  isMember,
  listMemberIds,
  listShares,
  lockTeam,
  putTeam,
  type ShareChange,
  setShareReadOnly,
  type Team,
} from '../../base/store/repositories/teams.ts';
import { ensureUsers, findUserById, keepUser, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ManagementEvent } from './manage.ts';

/** Adds or renames a team. Needs a transaction. @returns as `putTeam`. */
export async function saveTeam(
  transaction: Executor,
  team: { readonly partnerId: string; readonly externalTeamId: string; readonly name: string },
  event: ManagementEvent,
): ReturnType<typeof putTeam> {
  const outcome = await putTeam(transaction, { ...team, now: event.now });
  if (outcome === 'added' || outcome === 'renamed') {
    const { partnerId, externalTeamId, name } = team;
    await emit(transaction, { type: 'team_changed', partnerId, details: { team: externalTeamId, name }, ...event });
  }
  return outcome;
}

/** Removes a team; everything that is shared with it ends. Needs a transaction. @returns false if there is no such team. */
export async function removeTeam(
  transaction: Executor,
  { id, partnerId, externalTeamId }: Team,
  event: ManagementEvent,
): Promise<boolean> {
  // From here on no share begins, which would end without an event.
  if (!(await lockTeam(transaction, id))) return false;
  for (const share of await listShares(transaction, { teamId: id })) {
    await endShare(transaction, share, { by: 'partner', ...event });
  }
  if (!(await deleteTeam(transaction, id))) return false;
  await emit(transaction, { type: 'team_removed', partnerId, details: { team: externalTeamId }, ...event });
  return true;
}

/**
 * The members to set. `only`: all others are removed. `add` and `remove` keep the others. `only` and `add` have the partner's names of users, each
 * once; `remove` has row ids.
 */
type MemberChange =
  | { readonly only: readonly string[] }
  | { readonly add: readonly string[] }
  | { readonly remove: readonly string[] };

/**
 * Changes the members of a team. Users that the gateway does not know yet are added to it. Needs a transaction.
 *
 * @param most members of the team.
 * @returns `missing` if the team was removed meanwhile, `full` if it would have more than `most` members, or the name of a user who is in too
 * many teams. If nothing was refused, null.
 */
export async function setMembers(
  transaction: Executor,
  { id, partnerId, externalTeamId }: Team,
  change: MemberChange,
  { most, ...event }: ManagementEvent & { readonly most: number },
): Promise<'missing' | 'full' | { readonly tooMany: string } | null> {
  const { now } = event;
  if (!(await lockTeam(transaction, id))) return 'missing';
  const current = await listMemberIds(transaction, id);
  const names = 'only' in change ? change.only : 'add' in change ? change.add : [];
  const wanted = await ensureUsers(transaction, { partnerId, names, now });
  const add = wanted.filter((userId) => !current.includes(userId));
  let remove: readonly string[] = [];
  if ('only' in change) remove = current.filter((userId) => !wanted.includes(userId));
  if ('remove' in change) remove = current.filter((userId) => change.remove.includes(userId));
  if (current.length + add.length - remove.length > most) return 'full';
  const refused = await changeMembers(transaction, { id, add, remove, now });
  if (refused !== null) {
    const user = await findUserById(transaction, refused);
    return { tooMany: user?.externalUserId ?? '' };
  }
  const details = { team: externalTeamId };
  await emit(transaction, [
    ...add.map((userId) => ({ type: 'team_member_added' as const, partnerId, userId, details, ...event })),
    ...remove.map((userId) => ({ type: 'team_member_removed' as const, partnerId, userId, details, ...event })),
  ]);
  return null;
}

/**
 * Shares a connection with a team, or changes how. A team has one connection of a service: the partner replaces it, and a user can only replace
 * the own one. Needs a transaction.
 *
 * @returns `missing` if owner, connection or team was removed meanwhile, `not_member` for a user who is not in the team, `taken` if the team has
 * the connection of someone else.
 */
export async function shareConnection(
  transaction: Executor,
  {
    team,
    owner,
    connection,
    readOnly,
  }: { readonly team: Team; readonly owner: User; readonly connection: Connection; readonly readOnly: boolean },
  change: ShareChange,
): Promise<'shared' | 'missing' | 'not_member' | 'taken'> {
  const { by, ...event } = change;
  const { id: connectionId, service } = connection;
  if (owner.partnerId !== team.partnerId || connection.userId !== owner.id)
    throw new Error('not of this partner or user');
  if ((await keepUser(transaction, { id: owner.id })) === undefined) return 'missing';
  if (!(await lockTeam(transaction, team.id))) return 'missing';
  if (by === 'user' && !(await isMember(transaction, team.id, owner.id))) return 'not_member';
  const shares = await listShares(transaction, { teamId: team.id });
  const existing = shares.find((share) => share.service === service);
  if (existing?.connectionId === connectionId && existing.readOnly === readOnly) return 'shared';
  if (existing !== undefined && existing.connectionId !== connectionId) {
    if (by === 'user' && existing.userId !== owner.id) return 'taken';
    await endShare(transaction, existing, change);
  }
  if (existing?.connectionId === connectionId) await setShareReadOnly(transaction, existing.id, readOnly);
  else await insertShare(transaction, { teamId: team.id, connectionId, service, readOnly, now: event.now });
  await emit(transaction, {
    type: 'connection_shared',
    partnerId: team.partnerId,
    userId: owner.id,
    service,
    connectionId,
    teamId: team.externalTeamId,
    by,
    details: { team: team.externalTeamId, service, readOnly, by },
    ...event,
  });
  return 'shared';
}
