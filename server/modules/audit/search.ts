/** Searches the audit trail, newest first. */

import { contains, type PageCursor } from '../../base/store/list-page.ts';
import type { Executor } from '../../base/store/schema.ts';

/** An event with the names of the rows it refers to, if they still exist. */
export interface FoundAuditEvent {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly type: string;
  readonly partnerId: string | null;
  /** `client_id` of the partner. */
  readonly partnerClientId: string | null;
  /** Row id of the live partner, if the event is one of test mode. */
  readonly testOf: string | null;
  readonly userId: string | null;
  /** The partner's own name for the user. */
  readonly externalUserId: string | null;
  readonly clientId: string | null;
  readonly clientName: string | null;
  readonly grantId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The search criteria. An event must match all of them. */
interface AuditFilter extends PageCursor {
  readonly type?: string;
  /** Row id. */
  readonly userId?: string;
  /** Row id. */
  readonly partnerId?: string;
  readonly clientId?: string;
  /** Part of an address, a request id, the details, a name of the user, or a `client_id`. Case does not matter. */
  readonly text?: string;
  /** Milliseconds since 1970, inclusive. */
  readonly since?: number;
  /** Milliseconds since 1970, exclusive. */
  readonly until?: number;
  /** True to start with the oldest event. By default the search starts with the newest. */
  readonly oldest?: boolean;
}

/** Returns the newest `limit` matches, newest first. With `after` or `oldest`, it returns the oldest matches, oldest first. */
export async function searchAuditEvents(
  executor: Executor,
  filter: AuditFilter,
  limit: number,
): Promise<FoundAuditEvent[]> {
  let query = executor
    .selectFrom('audit_events as e')
    .leftJoin('partners as p', 'p.id', 'e.partner_id')
    .leftJoin('users as u', 'u.id', 'e.user_id')
    .leftJoin('oauth_clients as c', 'c.client_id', 'e.client_id')
    .select([
      'e.id',
      'e.created_at as createdAt',
      'e.type',
      'e.partner_id as partnerId',
      'p.client_id as partnerClientId',
      'p.test_of as testOf',
      'e.user_id as userId',
      'u.external_user_id as externalUserId',
      'e.client_id as clientId',
      'c.client_name as clientName',
      'e.grant_id as grantId',
      'e.address',
      'e.request_id as requestId',
      'e.details',
    ])
    .orderBy('e.id', filter.after === undefined && filter.oldest !== true ? 'desc' : 'asc')
    .limit(limit);
  if (filter.type !== undefined) query = query.where('e.type', '=', filter.type);
  if (filter.userId !== undefined) query = query.where('e.user_id', '=', filter.userId);
  if (filter.partnerId !== undefined) query = query.where('e.partner_id', '=', filter.partnerId);
  if (filter.clientId !== undefined) query = query.where('e.client_id', '=', filter.clientId);
  if (filter.since !== undefined) query = query.where('e.created_at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('e.created_at', '<', filter.until);
  if (filter.before !== undefined) query = query.where('e.id', '<', filter.before);
  if (filter.after !== undefined) query = query.where('e.id', '>', filter.after);
  if (filter.text !== undefined) {
    const columns = ['e.address', 'e.request_id', 'e.details', 'e.client_id', 'p.client_id', 'u.external_user_id'];
    const { text } = filter;
    query = query.where(({ or }) => or(columns.map((column) => contains(column, text))));
  }
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }));
}

/** Lists every event type in the trail, sorted by name. */
export async function listAuditEventTypes(executor: Executor): Promise<string[]> {
  const rows = await executor.selectFrom('audit_events').select('type').distinct().orderBy('type').execute();
  return rows.map(({ type }) => type);
}
