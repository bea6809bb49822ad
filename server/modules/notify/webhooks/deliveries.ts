/** Deliveries, each of one event to one endpoint, with the last answer. */

import { type RawBuilder, sql } from 'kysely';
import { countRows, newId } from '../../../base/store/rows.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Attempt } from '../delivery/attempt.ts';
import { updateEndpoint } from './endpoints.ts';
import { TEST_TYPE } from './event-view.ts';
import { findEventHead, findPartnerEvent, listPartnerEvents } from './outbox.ts';
import type { WebhookDeliveryRow, WebhookEndpointRow } from './tables.ts';

/** SQL condition: delivery `d` is due, and does not wait for an earlier one of the same user. */
export function isDue(now: number): RawBuilder<boolean> {
  return sql`d.status = 'waiting' and d.next_attempt_at <= ${now} and not exists (
  select 1 from webhook_deliveries b
   where b.endpoint_id = d.endpoint_id and b.order_key = d.order_key and b.status = 'waiting' and b.seq < d.seq)`;
}

/** Most waiting deliveries of an endpoint. Further events stay in the outbox. */
const MAX_WAITING = 1000;

const MAX_EVENTS_AT_ONCE = 200;

/** SQL condition: there are events after the cursor of the endpoint `s`, and room for their deliveries. */
export function canCreate(): RawBuilder<boolean> {
  return sql`exists (select 1 from partner_event_heads h where h.partner_id = s.partner_id and h.seq > s.cursor)
  and ${sql.lit(MAX_WAITING)} > (
    select count(*) from webhook_deliveries w where w.endpoint_id = s.id and w.status = 'waiting')`;
}

/**
 * Creates deliveries of the partner's next events. Needs a transaction, and the lease of the endpoint.
 *
 * All events of one user are ordered, so a connection's events are too, and nothing follows `user.removed`.
 */
export async function createDeliveries(
  transaction: Executor,
  endpoint: WebhookEndpointRow,
  now: number,
): Promise<void> {
  const { id: endpoint_id, partner_id: partnerId, cursor: after } = endpoint;
  const waiting = await countRows(
    transaction.selectFrom('webhook_deliveries').where('endpoint_id', '=', endpoint_id).where('status', '=', 'waiting'),
  );
  const limit = Math.min(MAX_EVENTS_AT_ONCE, MAX_WAITING - waiting);
  if (limit <= 0) return;

  const head = await findEventHead(transaction, partnerId);
  const events = await listPartnerEvents(transaction, { partnerId, after, limit });
  // Numbers may be missing, also the last ones: without more events, the cursor is at the head.
  const isAtHead = events.length < limit;
  const cursor = Math.max(isAtHead ? head : after, events.at(-1)?.seq ?? after);
  const types = endpoint.types?.split(',');
  const rows = events
    .filter(({ type }) => types?.includes(type) ?? true)
    .map(({ id, type, seq, user_id: userId }) =>
      newDelivery({ endpoint_id, event_id: id, type, kind: 'event' }, { order_key: userId ?? id, seq }, now),
    );
  if (rows.length > 0) await transaction.insertInto('webhook_deliveries').values(rows).execute();
  await updateEndpoint(transaction, endpoint_id, { cursor });
}

/** Sends a test event, which is in no outbox. Returns the waiting delivery. */
export function testEndpoint(
  executor: Executor,
  { id }: { readonly id: string },
  now: number,
): Promise<WebhookDeliveryRow> {
  const test = { endpoint_id: id, event_id: `evt_${newId(now)}`, type: TEST_TYPE, kind: 'test' } as const;
  return insertUnordered(executor, test, now);
}

/**
 * Sends the event of a delivery again, under its id, whatever the outcome was.
 *
 * @returns the new, waiting delivery; undefined if there is no such delivery, or its event is no longer stored.
 */
export async function replayDelivery(
  executor: Executor,
  endpoint: WebhookEndpointRow,
  deliveryId: string,
  now: number,
): Promise<WebhookDeliveryRow | undefined> {
  const delivery = await executor
    .selectFrom('webhook_deliveries')
    .select(['endpoint_id', 'event_id', 'type'])
    .where('id', '=', deliveryId)
    .where('endpoint_id', '=', endpoint.id)
    .executeTakeFirst();
  if (delivery === undefined || delivery.type === TEST_TYPE) return undefined;
  const event = await findPartnerEvent(executor, { id: delivery.event_id, partnerId: endpoint.partner_id });
  if (event === undefined) return undefined;
  return insertUnordered(executor, { ...delivery, kind: 'replay' }, now);
}

type DeliveryFacts = Pick<WebhookDeliveryRow, 'endpoint_id' | 'event_id' | 'type' | 'kind'>;

/** Adds a delivery that waits for no other. */
async function insertUnordered(executor: Executor, facts: DeliveryFacts, now: number): Promise<WebhookDeliveryRow> {
  const row = newDelivery(facts, { order_key: newId(now), seq: 0 }, now);
  await executor.insertInto('webhook_deliveries').values(row).execute();
  return row;
}

function newDelivery(
  facts: DeliveryFacts,
  order: { readonly order_key: string; readonly seq: number },
  now: number,
): WebhookDeliveryRow {
  return {
    ...facts,
    ...order,
    id: newId(now),
    status: 'waiting',
    attempts: 0,
    first_attempt_at: null,
    next_attempt_at: now,
    last_attempt_at: null,
    answer_status: null,
    problem: null,
    duration_ms: null,
    created_at: now,
  };
}

/** Lists the due deliveries of an endpoint, longest waiting first. */
export async function listDueDeliveries(
  executor: Executor,
  endpoint: { readonly id: string },
  { now, limit }: { now: number; limit: number },
): Promise<WebhookDeliveryRow[]> {
  const { rows } = await sql<WebhookDeliveryRow>`
    select d.* from webhook_deliveries d
     where d.endpoint_id = ${endpoint.id} and ${isDue(now)}
     order by d.next_attempt_at, d.seq limit ${sql.lit(limit)}`.execute(executor);
  return rows;
}

/** Stores the outcome of an attempt, unless the delivery has ended meanwhile. */
export async function recordAttempt(executor: Executor, id: string, attempt: Attempt): Promise<void> {
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

/** Lists the newest deliveries of some endpoints. @param options.before id of a delivery; only earlier ones are listed. */
export async function listDeliveries(
  executor: Executor,
  { endpointIds, before, limit }: { endpointIds: readonly string[]; before?: string | undefined; limit: number },
): Promise<WebhookDeliveryRow[]> {
  if (endpointIds.length === 0) return [];
  let query = executor.selectFrom('webhook_deliveries').selectAll().where('endpoint_id', 'in', endpointIds);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.orderBy('id', 'desc').limit(limit).execute();
}
