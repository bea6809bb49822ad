/**
 * The queue of subscriptions for the worker that delivers: in order per subscription, and only what the grant still allows.
 *
 * `webhook-id` is the eventId (SEP-3415, Signature scheme), which the AI SDK and ChatGPT require. Messages that are not events have their own ids.
 */

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Executor } from '../../../base/store/schema.ts';
import type { Core } from '../../../module.ts';
import { writeAnswer } from '../../../partners/answer.ts';
import type { Attempt, QueuedDelivery } from '../delivery/attempt.ts';
import { signingSecrets } from '../delivery/subscribers.ts';
import type { DeliveryQueue } from '../delivery/worker.ts';
import { connectionOf, type EventsContext, listAvailable, toPayload } from './available-events.ts';
import { findPosition, listStored, toCursor } from './occurrences.ts';
import { CODES, OCCURRENCE } from './params.ts';
import { deliveryErrorOf } from './subscribe.ts';
import { endWhere, SEALED_SUBSCRIPTIONS } from './subscriptions.ts';
import type { SubscriptionRow } from './tables.ts';

/** The next message of a subscription. */
interface PendingMessage {
  /** `webhook-id`. */
  readonly messageId: string;
  readonly body: unknown;
  /** Cursor of the subscription once this is accepted; null if nothing follows. */
  readonly seq: number | null;
}

/** Stored events that are read at once. */
const BATCH = 10;

/** Statuses that refuse one event for good, and not the next. */
const REFUSES_EVENT = [410, 413];

interface QueueContext extends Omit<EventsContext, 'now'> {
  readonly callerOf: Core['callerOf'];
}

/** Creates the queue. */
export function createEventQueue(
  context: QueueContext,
): DeliveryQueue<SubscriptionRow, PendingMessage & QueuedDelivery> {
  return {
    table: 'event_subscriptions',
    isDue: (now) => sql<boolean>`s.next_attempt_at <= ${now}`,
    async listDue(executor, row, { now }) {
      const { attempts, first_attempt_at, next_attempt_at: dueAt } = row;
      if (dueAt === null || dueAt > now) return [];
      const message = row.ended === null ? await findNext(executor, row, now, context) : terminatedMessage(row);
      return message === undefined ? [] : [{ attempts, first_attempt_at, ...message }];
    },
    async messageOf(_, row, { messageId, body }, now) {
      const fields = SEALED_SUBSCRIPTIONS.open(context.vault, row);
      return {
        id: messageId,
        url: fields.url ?? '',
        body: JSON.stringify(body),
        secrets: signingSecrets(fields, row.previous_until, now),
        headers: { 'x-mcp-subscription-id': row.id },
      };
    },
    async settle(executor, row, message, attempt) {
      const changes = changesAfter(row, message, attempt);
      if (changes === undefined) await deleteSubscription(executor, row);
      else await update(executor, row, changes).execute();
    },
  };
}

function update(executor: Executor, { id }: SubscriptionRow, changes: Partial<SubscriptionRow>) {
  return executor.updateTable('event_subscriptions').set(changes).where('id', '=', id);
}

async function deleteSubscription(executor: Executor, { id }: SubscriptionRow): Promise<void> {
  await executor.deleteFrom('event_subscriptions').where('id', '=', id).execute();
}

/** Returns the changes after an attempt. Undefined deletes a subscription whose end was reported or cannot be reported. */
function changesAfter(
  row: SubscriptionRow,
  { attempts, first_attempt_at: firstAttemptAt, seq }: PendingMessage & QueuedDelivery,
  { status, answerStatus, problem, startedAt, endedAt, nextAttemptAt, subscriber }: Attempt,
): Partial<SubscriptionRow> | undefined {
  const isOver = status === 'delivered' || REFUSES_EVENT.includes(answerStatus ?? 0);
  const isDisabled = subscriber?.disabled === 'failing';
  if (seq === null && (isOver || isDisabled || status === 'failed')) return undefined;
  const changes: Partial<SubscriptionRow> = isOver
    ? { attempts: 0, first_attempt_at: null, next_attempt_at: endedAt, failing_since: null }
    : {
        attempts: attempts + 1,
        first_attempt_at: firstAttemptAt ?? startedAt,
        next_attempt_at: nextAttemptAt,
        failing_since: subscriber?.failingSince ?? row.failing_since,
      };
  changes.last_error = deliveryErrorOf(answerStatus, problem);
  if (status === 'delivered') changes.last_delivered_at = endedAt;
  if (isOver && seq !== null) changes.cursor = seq;
  if (isDisabled && !isOver) changes.disabled_at = endedAt;
  return changes;
}

function terminatedMessage({ id, created_at }: SubscriptionRow): PendingMessage {
  const error = { code: CODES.forbidden, message: 'Forbidden', data: { reason: 'Access revoked' } };
  const messageId = `msg_terminated_${id.slice(4)}_${created_at}`;
  return { messageId, body: { type: 'terminated', error }, seq: null };
}

/** Returns the next message of a subscription that has not ended. Undefined if nothing waits or it expired, which is then stored. */
async function findNext(
  executor: Executor,
  row: SubscriptionRow,
  now: number,
  { db, rules, vault, sealer, callerOf }: QueueContext,
): Promise<PendingMessage | undefined> {
  const { inlet_id: connectionId, name, cursor } = row;
  if (row.refresh_before <= now) {
    await deleteSubscription(executor, row);
    return undefined;
  }
  // Expired tokens are stored for a day, so the grant of a subscription that is refreshed within a day is found.
  const caller = await callerOf({ userId: row.user_id, grantId: row.grant_id, tokenId: '' });
  if (caller?.isSuspended === true) return undefined;
  const available = caller && (await listAvailable(db, caller, rules)).find(({ type }) => type.name === name);
  const args = JSON.parse(SEALED_SUBSCRIPTIONS.open(vault, row).arguments ?? '{}');
  if (!caller || !available || connectionOf(available, args) !== connectionId) {
    await endWhere(executor, { id: row.id }, now);
    return terminatedMessage(row);
  }

  const position = await findPosition(executor, connectionId, { cursor: toCursor(connectionId, cursor) }, now);
  if (position.truncated) {
    const messageId = `msg_gap_${randomBytes(12).toString('base64url')}`;
    return { messageId, body: { type: 'gap', cursor: toCursor(connectionId, position.seq) }, seq: position.seq };
  }

  let after = cursor;
  for (;;) {
    const page = await listStored(executor, sealer, { connectionId, name, after, limit: BATCH }, now);
    for (const event of page.events) {
      const { eventId: messageId, seq } = event;
      const data = toPayload(available, args, event.data);
      if (data === null) continue;
      const body = writeAnswer(OCCURRENCE, { ...event, data, cursor: toCursor(connectionId, seq) });
      return { messageId, body, seq };
    }
    after = page.last;
    if (page.isFull) continue;
    // If another event was stored meanwhile, `wakes` is higher, and this changes nothing.
    await update(executor, row, { cursor: after, next_attempt_at: null }).where('wakes', '=', row.wakes).execute();
    return undefined;
  }
}
