/** Lists connections with their users and partners, for operators. No credential is read. */

import type { PageCursor } from '../list-page.ts';
import { accountKeysOf, columns, withService } from '../rows.ts';
import type { ConnectionStatus, Executor } from '../schema.ts';

interface ListedConnection {
  readonly id: string;
  /** Row id. */
  readonly userId: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Row id. */
  readonly partnerId: string;
  readonly partnerName: string;
  /** Connector name. */
  readonly service: string;
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
  /** Created before this time, in milliseconds since 1970. */
  readonly madeBefore?: number;
}

/** The `limit` newest matches, newest first; with `after`, the nearest newer ones, oldest first. */
export async function searchConnections(
  executor: Executor,
  { service, status, partnerId, madeBefore, before, after }: ConnectionFilter,
  limit: number,
): Promise<ListedConnection[]> {
  let query = executor
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .innerJoin('partners as p', 'p.id', 'u.partner_id')
    .select(columns('c.id', 'c.user_id', 'u.external_user_id', 'u.partner_id'))
    .select([...columns('c.service', 'c.status', 'c.created_at'), 'p.name as partnerName'])
    .select(columns('c.updated_at'))
    .orderBy('c.id', after === undefined ? 'desc' : 'asc')
    .limit(limit);
  if (service !== undefined) query = query.where('c.service', 'in', accountKeysOf(service));
  if (status !== undefined) query = query.where('c.status', '=', status);
  if (partnerId !== undefined) query = query.where('u.partner_id', '=', partnerId);
  if (madeBefore !== undefined) query = query.where('c.created_at', '<', madeBefore);
  if (before !== undefined) query = query.where('c.id', '<', before);
  if (after !== undefined) query = query.where('c.id', '>', after);
  return (await query.execute()).map(withService);
}
