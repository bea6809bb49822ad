/** Reads users with their connections, grants, tokens and calls, for operators. */

import { sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { isInRealm } from '../in-realm.ts';
import { contains, type PageCursor } from '../list-page.ts';
import { callOrder, isOfUser } from '../repositories/calls/call-order.ts';
import { accountKeysOf, columns } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { dialectOf } from '../tables/table-set.ts';
import type { TimeSpan } from './call-statistics.ts';

interface FoundUser {
  readonly id: string;
  /** Row id. */
  readonly partnerId: string;
  readonly partnerName: string;
  /** Row id of the live partner, if the user is one of test mode. */
  readonly testOf: string | null;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Connections by status. */
  readonly active: number;
  readonly attention: number;
}

/** The search criteria; a user must match all that are given. */
interface UserFilter extends PageCursor {
  /** Row id. */
  readonly partnerId?: string;
  /** Part of the partner's name for the user. Case does not matter. */
  readonly text?: string;
  /** Only of this realm. Default: of both. */
  readonly realm?: Realm;
}

/** The `limit` newest matching users, newest first; with `after`, the nearest newer ones, oldest first. */
export async function searchUsers(executor: Executor, filter: UserFilter, limit: number): Promise<FoundUser[]> {
  const connectionsOf = (status: string) =>
    sql<number>`(select count(*) from connections c where c.user_id = u.id and c.status = ${status})`;
  let query = executor
    .selectFrom('users as u')
    .innerJoin('partners as p', 'p.id', 'u.partner_id')
    .select([
      ...columns('u.id', 'u.partner_id', 'u.external_user_id', 'u.created_at', 'p.test_of'),
      'p.name as partnerName',
      connectionsOf('active').as('active'),
      connectionsOf('attention').as('attention'),
    ])
    .orderBy('u.id', filter.after === undefined ? 'desc' : 'asc')
    .limit(limit);
  if (filter.partnerId !== undefined) query = query.where('u.partner_id', '=', filter.partnerId);
  if (filter.before !== undefined) query = query.where('u.id', '<', filter.before);
  if (filter.after !== undefined) query = query.where('u.id', '>', filter.after);
  if (filter.realm !== undefined) query = query.where(isInRealm(filter.realm, 'u.partner_id'));
  if (filter.text !== undefined) query = query.where(contains('u.external_user_id', filter.text));
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, active: Number(row.active), attention: Number(row.attention) }));
}

/** A user with the partner's name. */
export type NamedUser = Pick<FoundUser, 'id' | 'externalUserId' | 'partnerName' | 'testOf'>;

/** Finds a user with the partner's name by row id. */
export function findNamedUser(executor: Executor, id: string): Promise<NamedUser | undefined> {
  return namedUsers(executor).where('u.id', '=', id).executeTakeFirst();
}

function namedUsers(executor: Executor) {
  return executor
    .selectFrom('users as u')
    .innerJoin('partners as p', 'p.id', 'u.partner_id')
    .select([...columns('u.id', 'u.external_user_id', 'p.test_of'), 'p.name as partnerName']);
}

/** The first users of all partners whose name begins with the text, in the order of their characters. Reads so many rows of an index. */
export async function findUsersByPrefix(executor: Executor, prefix: string, limit: number): Promise<NamedUser[]> {
  // In the order of characters, all names with the prefix follow it.
  const name = sql<string>`u.external_user_id${sql.raw(dialectOf(executor) === 'postgres' ? ' collate "C"' : '')}`;
  const rows = await namedUsers(executor).where(name, '>=', prefix).orderBy(name).limit(limit).execute();
  return rows.filter(({ externalUserId }) => externalUserId.startsWith(prefix));
}

/** A user's newest tool calls in a time span, newest first; with `oldest`, the oldest calls, oldest first. */
export async function listUserCalls(
  executor: Executor,
  userId: string,
  limit: number,
  span: Partial<TimeSpan> & { oldest?: boolean } = {},
) {
  const order = callOrder(executor);
  return executor
    .selectFrom('call_records as r')
    .select(
      columns(
        'id',
        'created_at',
        'token_id',
        'service',
        'tool',
        'outcome',
        'upstream_status',
        'upstream_code',
        'duration_ms',
        'request_id',
      ),
    )
    .where(isOfUser(executor, userId))
    .$if(span.since !== undefined, (query) => query.where(order.since(span.since ?? 0)))
    .$if(span.until !== undefined, (query) => query.where(order.until(span.until ?? 0)))
    .orderBy(order.by(span.oldest === true ? 'asc' : 'desc'))
    .limit(limit)
    .execute();
}

/** Services, by name, for which the user completed a connect flow that the partner has not redeemed. */
export async function listUnredeemedServices(
  executor: Executor,
  user: { partnerId: string; externalUserId: string },
): Promise<string[]> {
  const rows = await executor
    .selectFrom('connection_attempts')
    .select('service')
    .distinct()
    .where('partner_id', '=', user.partnerId)
    .where('external_user_id', '=', user.externalUserId)
    .where('redeemed_at', 'is', null)
    .orderBy('service')
    .execute();
  return rows.map(({ service }) => service);
}

/** The `limit` newest users who have connected a service. @param text part of the partner's name for the user. */
export async function listUsersOfService(
  executor: Executor,
  service: string,
  limit: number,
  text: string | null = null,
): Promise<NamedUser[]> {
  return namedUsers(executor)
    .innerJoin('connections as c', 'c.user_id', 'u.id')
    .distinct()
    .where('c.service', 'in', accountKeysOf(service))
    .$if(text !== null, (query) => query.where(contains('u.external_user_id', text ?? '')))
    .orderBy('u.id', 'desc')
    .limit(limit)
    .execute();
}

/** A completed connect flow that the partner has not redeemed. Its user may not exist yet. */
interface WaitingFlow {
  readonly id: string;
  /** Row id. */
  readonly partnerId: string;
  readonly partnerName: string;
  /** Row id of the live partner, if the flow is one of test mode. */
  readonly testOf: string | null;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Connector name. */
  readonly service: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Time at which the code expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The `limit` newest flows that the partner has not redeemed, even expired ones; with `after`, nearest first. */
export async function listWaitingFlows(executor: Executor, filter: UserFilter, limit: number): Promise<WaitingFlow[]> {
  let query = executor
    .selectFrom('connection_attempts as a')
    .innerJoin('partners as p', 'p.id', 'a.partner_id')
    .select([
      ...columns(
        'a.id',
        'a.partner_id',
        'a.external_user_id',
        'a.service',
        'a.created_at',
        'a.expires_at',
        'p.test_of',
      ),
      'p.name as partnerName',
    ])
    .where('a.redeemed_at', 'is', null)
    .orderBy('a.id', filter.after === undefined ? 'desc' : 'asc')
    .limit(limit);
  if (filter.before !== undefined) query = query.where('a.id', '<', filter.before);
  if (filter.after !== undefined) query = query.where('a.id', '>', filter.after);
  if (filter.partnerId !== undefined) query = query.where('a.partner_id', '=', filter.partnerId);
  if (filter.realm !== undefined) query = query.where(isInRealm(filter.realm, 'a.partner_id'));
  if (filter.text !== undefined) query = query.where(contains('a.external_user_id', filter.text));
  return query.execute();
}
