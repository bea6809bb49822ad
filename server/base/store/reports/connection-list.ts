/** Lists connections with their users and partners, for operators. No credential is read. */

import { sql } from 'kysely';
import type { Realm } from '../../realm.ts';
import { isInRealm } from '../in-realm.ts';
import type { PageCursor } from '../list-page.ts';
import { accountKeysOf, columns, withService } from '../rows.ts';
import type { ConnectionStatus, Executor } from '../schema.ts';
import { dialectOf } from '../tables/table-set.ts';

interface ListedConnection {
  readonly id: string;
  /** Row id. */
  readonly userId: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Row id. */
  readonly partnerId: string;
  readonly partnerName: string;
  /** Row id of the live partner, if the connection is one of test mode. */
  readonly testOf: string | null;
  /** Connector name. */
  readonly service: string;
  /** Human-readable name of the connected upstream account. Null if it is not known. */
  readonly account: string | null;
  readonly status: ConnectionStatus;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** The search criteria; a connection must match all that are given. */
interface ConnectionFilter extends PageCursor {
  readonly service?: string;
  readonly status?: ConnectionStatus;
  /** Row id. */
  readonly partnerId?: string;
  /** Only of this realm. Default: of both. */
  readonly realm?: Realm;
  /** Created before this time, in milliseconds since 1970. */
  readonly madeBefore?: number;
}

/** The `limit` newest matches, newest first; with `after`, the nearest newer ones, oldest first. */
export async function searchConnections(
  executor: Executor,
  { service, status, partnerId, realm, madeBefore, before, after }: ConnectionFilter,
  limit: number,
): Promise<ListedConnection[]> {
  let query = selectConnections(executor)
    .orderBy('c.id', after === undefined ? 'desc' : 'asc')
    .limit(limit);
  if (service !== undefined) query = query.where('c.service', 'in', accountKeysOf(service));
  if (status !== undefined) query = query.where('c.status', '=', status);
  if (partnerId !== undefined) query = query.where('u.partner_id', '=', partnerId);
  if (realm !== undefined) query = query.where(isInRealm(realm, 'u.partner_id'));
  if (madeBefore !== undefined) query = query.where('c.created_at', '<', madeBefore);
  if (before !== undefined) query = query.where('c.id', '<', before);
  if (after !== undefined) query = query.where('c.id', '>', after);
  return (await query.execute()).map(withService);
}

/**
 * The first connections, of all users, whose upstream account begins with the text, in the order of their characters. Reads so many rows of an
 * index.
 */
export async function findConnectionsByAccount(
  executor: Executor,
  prefix: string,
  limit: number,
): Promise<ListedConnection[]> {
  // In the order of characters, all accounts with the prefix follow it.
  const account = sql<string>`c.account${sql.raw(dialectOf(executor) === 'postgres' ? ' collate "C"' : '')}`;
  const rows = await selectConnections(executor).where(account, '>=', prefix).orderBy(account).limit(limit).execute();
  return rows.filter((row) => row.account?.startsWith(prefix)).map(withService);
}

/** Finds a connection by row id. */
export async function findConnection(executor: Executor, id: string): Promise<ListedConnection | undefined> {
  const row = await selectConnections(executor).where('c.id', '=', id).executeTakeFirst();
  return row && withService(row);
}

function selectConnections(executor: Executor) {
  return executor
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .innerJoin('partners as p', 'p.id', 'u.partner_id')
    .select(columns('c.id', 'c.user_id', 'u.external_user_id', 'u.partner_id', 'p.test_of'))
    .select([...columns('c.service', 'c.account', 'c.status', 'c.created_at'), 'p.name as partnerName'])
    .select(columns('c.updated_at'));
}
