/** Deliveries, each of one event to one endpoint, with the last answer. */

import { sql } from 'kysely';
import type { Attempt } from '../../base/deliveries/attempt.ts';
import type { DeliveryProblem } from '../../base/deliveries/send.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { listPartnerEvents } from './outbox.ts';
import type { WebhookDeliveriesTable } from './tables.ts';

export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  /** The event's type; `webhook.test` for a test. */
  readonly type: string;
  readonly kind: WebhookDeliveriesTable['kind'];
  readonly status: WebhookDeliveriesTable['status'];
  readonly attempts: number;
  /** Milliseconds since 1970, like all times here; null: not yet. */
  readonly firstAttemptAt: number | null;
  readonly nextAttemptAt: number;
  readonly lastAttemptAt: number | null;
  /** Status of the last answer; null: there was none. */
  readonly answerStatus: number | null;
  /** Null: there was an answer, or no attempt yet. */
  readonly problem: DeliveryProblem | null;
  readonly durationMs: number | null;
  readonly createdAt: number;
}

/** The part of an endpoint that `takeEvents` needs. */
interface Taker {
  readonly id: string;
  /** Row id. */
  readonly partnerId: string;
  /** Types of events that are sent; null: all. */
  readonly types: readonly string[] | null;
  /** Events up to this number have become deliveries. */
  readonly cursor: number;
}

/** SQL condition: delivery `d` does not wait for an earlier one of the same user. */
export const UNBLOCKED = sql`not exists (
  select 1 from webhook_deliveries b
   where b.endpoint_id = d.endpoint_id and b.order_key = d.order_key and b.status = 'waiting' and b.seq < d.seq)`;

/** Maximum of waiting deliveries per endpoint. Further events stay in the outbox. */
const MAX_WAITING = 1000;

const EVENTS_AT_ONCE = 200;

/**
 * Creates deliveries for the partner's next events. Needs a transaction, and the lease of the endpoint.
 *
 * All events of one user are ordered, so a connection's events are too, and nothing follows `user.removed`.
 */
export async function takeEvents(transaction: Executor, endpoint: Taker, now: number): Promise<void> {
  const waiting = await transaction
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('endpoint_id', '=', endpoint.id)
    .where('status', '=', 'waiting')
    .executeTakeFirstOrThrow();
  const limit = Math.min(EVENTS_AT_ONCE, MAX_WAITING - Number(waiting.rows));
  if (limit <= 0) return;
  const { partnerId, cursor: after, types } = endpoint;
  const events = await listPartnerEvents(transaction, { partnerId, after, limit });
  const last = events.at(-1);
  if (last === undefined) return;
  const rows = events
    .filter(({ type }) => types?.includes(type) ?? true)
    .map(({ id, type, seq, userId }) =>
      toRow({ endpointId: endpoint.id, eventId: id, type, kind: 'event', orderKey: userId ?? id, seq, now }),
    );
  if (rows.length > 0) await transaction.insertInto('webhook_deliveries').values(rows).execute();
  await transaction
    .updateTable('webhook_endpoints')
    .set({ cursor: last.seq })
    .where('id', '=', endpoint.id)
    .where('cursor', '=', after)
    .executeTakeFirstOrThrow();
}

/** Adds a delivery outside the order: a replay of an event, or a test. */
export async function insertOwnDelivery(
  executor: Executor,
  delivery: { endpointId: string; eventId: string; type: string; kind: 'replay' | 'test'; now: number },
): Promise<WebhookDelivery> {
  const row = toRow({ ...delivery, orderKey: newId(delivery.now), seq: 0 });
  await executor.insertInto('webhook_deliveries').values(row).execute();
  return toDelivery(row);
}

/** The due deliveries of an endpoint that do not wait for an earlier one, longest waiting first. */
export async function listDueDeliveries(
  executor: Executor,
  { endpointId, now, limit }: { endpointId: string; now: number; limit: number },
): Promise<WebhookDelivery[]> {
  const { rows } = await sql<WebhookDeliveriesTable>`
    select d.* from webhook_deliveries d
     where d.endpoint_id = ${endpointId} and d.status = 'waiting' and d.next_attempt_at <= ${now} and ${UNBLOCKED}
     order by d.next_attempt_at, d.seq limit ${sql.lit(limit)}`.execute(executor);
  return rows.map(toDelivery);
}

/** Stores the outcome of an attempt, unless the delivery has ended meanwhile. */
export async function recordAttempt(
  executor: Executor,
  id: string,
  attempt: Omit<Attempt, 'endedAt' | 'target'>,
): Promise<void> {
  await executor
    .updateTable('webhook_deliveries')
    .set((row) => ({
      status: attempt.status,
      attempts: row('attempts', '+', 1),
      first_attempt_at: row.fn.coalesce('first_attempt_at', row.val(attempt.startedAt)),
      last_attempt_at: attempt.startedAt,
      next_attempt_at: attempt.nextAttemptAt,
      answer_status: attempt.answerStatus,
      problem: attempt.problem,
      duration_ms: attempt.durationMs,
    }))
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .execute();
}

/** Makes an endpoint's waiting deliveries due now and restarts their retries, for example when it is enabled again. */
export async function restartWaiting(executor: Executor, endpointId: string, now: number): Promise<void> {
  await executor
    .updateTable('webhook_deliveries')
    .set({ first_attempt_at: null, next_attempt_at: now })
    .where('endpoint_id', '=', endpointId)
    .where('status', '=', 'waiting')
    .execute();
}

/** The newest deliveries of some endpoints, or those before one. */
export async function listDeliveries(
  executor: Executor,
  options: { endpointIds: readonly string[]; before?: string; limit: number },
): Promise<WebhookDelivery[]> {
  if (options.endpointIds.length === 0) return [];
  let query = executor.selectFrom('webhook_deliveries').selectAll().where('endpoint_id', 'in', options.endpointIds);
  if (options.before !== undefined) query = query.where('id', '<', options.before);
  return (await query.orderBy('id', 'desc').limit(options.limit).execute()).map(toDelivery);
}

/** One delivery of an endpoint, or undefined. */
export async function findDelivery(
  executor: Executor,
  key: { id: string; endpointId: string },
): Promise<WebhookDelivery | undefined> {
  const query = executor.selectFrom('webhook_deliveries').selectAll().where('id', '=', key.id);
  const row = await query.where('endpoint_id', '=', key.endpointId).executeTakeFirst();
  return row && toDelivery(row);
}

function toRow(delivery: {
  endpointId: string;
  eventId: string;
  type: string;
  kind: WebhookDeliveriesTable['kind'];
  orderKey: string;
  seq: number;
  now: number;
}): WebhookDeliveriesTable {
  return {
    id: newId(delivery.now),
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    type: delivery.type,
    kind: delivery.kind,
    order_key: delivery.orderKey,
    seq: delivery.seq,
    status: 'waiting',
    attempts: 0,
    first_attempt_at: null,
    next_attempt_at: delivery.now,
    last_attempt_at: null,
    answer_status: null,
    problem: null,
    duration_ms: null,
    created_at: delivery.now,
  };
}

function toDelivery(row: WebhookDeliveriesTable): WebhookDelivery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    kind: row.kind,
    status: row.status,
    attempts: row.attempts,
    firstAttemptAt: row.first_attempt_at,
    nextAttemptAt: row.next_attempt_at,
    lastAttemptAt: row.last_attempt_at,
    answerStatus: row.answer_status,
    problem: row.problem as DeliveryProblem | null,
    durationMs: row.duration_ms,
    createdAt: row.created_at,
  };
}
