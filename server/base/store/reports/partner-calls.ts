/** Reads the call records of a partner, newest first, examining a bounded number of rows at a time. */

import type { CallRecord } from '../repositories/call-records.ts';
import { type CallPosition, callOrder, isOfUser } from '../repositories/calls/call-order.ts';
import { columns } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { hasEveryIndex } from './call-search.ts';
import type { TimeSpan } from './call-statistics.ts';

/** One recorded call. */
export interface PartnerCall extends Omit<CallRecord, 'partnerId' | 'tokenId' | 'grantId'> {
  readonly id: string;
  readonly grantId: string | null;
  /** The partner's own name for the user. Null if the user was removed. */
  readonly externalUserId: string | null;
}

/** The calls of a partner; those of one service, tool or outcome if it is given. */
export interface CallCriteria {
  /** Row id. */
  readonly partnerId: string;
  readonly service?: string | undefined;
  readonly tool?: string | undefined;
  readonly outcome?: string | undefined;
}

/** The search criteria; a call must match all that are given. */
export interface CallFilter extends CallCriteria {
  /** Row id. */
  readonly userId?: string | undefined;
  readonly span: TimeSpan;
  /** Only calls after this position, which are older. Default: from the newest. */
  readonly after?: CallPosition | undefined;
}

/** Records that one page examines at most. */
const MAX_EXAMINED = 5000;

/**
 * Reads the `limit` newest matching calls, and the position to continue from, which is null at the end of the list.
 *
 * A page examines at most `MAX_EXAMINED` records, so that a filter with few matches never scans the whole table. These are records of the partner or
 * user, but on SQLite a filter without a user examines the records of all partners. A page may therefore have fewer than `limit` calls, or zero,
 * although the list continues.
 */
export async function listPartnerCalls(
  executor: Executor,
  filter: CallFilter,
  limit: number,
  maxExamined = MAX_EXAMINED,
): Promise<{ calls: PartnerCall[]; next: CallPosition | null }> {
  const { service, tool, outcome, partnerId, userId } = filter;
  const isOfAll = userId === undefined && !hasEveryIndex(executor);
  const isNarrowed = isOfAll || service !== undefined || tool !== undefined || outcome !== undefined;
  const end = isNarrowed ? await findEnd(executor, filter, maxExamined) : undefined;
  let query = candidates(executor, filter)
    .leftJoin('users as u', 'u.id', 'r.user_id')
    .select(
      columns(
        'r.id',
        'r.created_at',
        'r.user_id',
        'u.external_user_id',
        'r.grant_id',
        'r.connection_id',
        'r.service',
        'r.tool',
        'r.outcome',
        'r.request_id',
        'r.upstream_code',
        'r.upstream_status',
        'r.duration_ms',
        'r.request_bytes',
        'r.response_bytes',
      ),
    )
    .limit(limit + 1);
  if (end !== undefined) query = query.where(callOrder(executor).is('>=', end));
  if (isOfAll) query = query.where('r.partner_id', '=', partnerId);
  if (service !== undefined) query = query.where('r.service', '=', service);
  if (tool !== undefined) query = query.where('r.tool', '=', tool);
  if (outcome !== undefined) query = query.where('r.outcome', '=', outcome);
  const rows = await query.execute();
  const calls = rows.slice(0, limit);
  return { calls, next: rows.length > limit ? (calls.at(-1) ?? null) : (end ?? null) };
}

/** Finds the last record that a page examines. Returns undefined if the page examines all remaining records. */
function findEnd(executor: Executor, filter: CallFilter, maxExamined: number): Promise<CallPosition | undefined> {
  return candidates(executor, filter)
    .select(columns('r.created_at', 'r.id'))
    .offset(maxExamined - 1)
    .limit(1)
    .executeTakeFirst();
}

function candidates(executor: Executor, { partnerId, userId, span, after }: CallFilter) {
  const order = callOrder(executor);
  let query = executor
    .selectFrom('call_records as r')
    .where(order.since(span.since))
    .where(order.until(span.until))
    .orderBy(order.by('desc'));
  if (userId !== undefined) query = query.where(isOfUser(executor, userId));
  else if (hasEveryIndex(executor)) query = query.where('r.partner_id', '=', partnerId);
  return after === undefined ? query : query.where(order.is('<', after));
}
