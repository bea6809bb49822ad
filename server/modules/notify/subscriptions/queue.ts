/**
 * The queue of subscriptions for the worker that delivers: in order per subscription, and only what the grant still allows.
 *
 * `webhook-id` is the eventId (SEP-3415, Signature scheme), which the AI SDK and ChatGPT require. Messages that are not events have their own ids.
 */

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import type { Core } from '../../../module.ts';
import type { Attempt } from '../delivery/attempt.ts';
import { signingSecrets } from '../delivery/subscribers.ts';
import type { DeliveryQueue } from '../delivery/worker.ts';
import { connectionOf, type EventRules, listAvailable, toPayload } from './available-events.ts';
import { findPosition, listStored, toCursor } from './occurrences.ts';
import { CODES } from './params.ts';
import { deliveryErrorOf } from './subscribe.ts';
import { openSubscription } from './subscriptions.ts';
import type { SubscriptionRow } from './tables.ts';

/** The next message of a subscription, with the attempts so far. */
interface PendingMessage {
  readonly attempts: number;
  readonly first_attempt_at: number | null;
  /** `webhook-id`. */
  readonly messageId: string;
  readonly body: object;
  /** Cursor of the subscription once this is accepted; null if nothing follows. */
  readonly seq: number | null;
}

type SubscriptionChanges = Partial<SubscriptionRow>;

/** Stored events that are read at once. */
const BATCH = 10;

/** Time after which a subscription of a suspended partner is checked again. */
const SUSPENDED_MS = 60_000;

/** Statuses that refuse one event for good, and not the next. */
const REFUSES_EVENT = [410, 413];

interface QueueContext {
  readonly db: Kysely<Database>;
  readonly rules: EventRules;
  readonly vault: CredentialVault;
  readonly sealer: ValueSealer;
  readonly callerOf: Core['callerOf'];
}

/** Creates the queue. */
export function createEventQueue(context: QueueContext): DeliveryQueue<SubscriptionRow, PendingMessage> {
  return {
    table: 'event_subscriptions',
    listDueSubscribers(executor, { now, limit }) {
      return executor
        .selectFrom('event_subscriptions')
        .select(['id', 'partner_id as partnerId'])
        .where('next_attempt_at', '<=', now)
        .where('leased_until', '<=', now)
        .where('disabled_at', 'is', null)
        .orderBy('next_attempt_at')
        .limit(limit)
        .execute();
    },
    async listDue(executor, row, { now }) {
      if (row.next_attempt_at === null || row.next_attempt_at > now) return [];
      if (row.ended !== null) return [terminatedMessage(row)];
      if (row.refresh_before <= now) {
        await deleteSubscription(executor, row);
        return [];
      }
      const next = await findNext(executor, row, now, context);
      if ('body' in next) return [next];
      // If another event was stored meanwhile, `wakes` is higher, and this changes nothing.
      await update(executor, row, next).where('wakes', '=', row.wakes).execute();
      return [];
    },
    async messageOf(_, row, { messageId, body }, now) {
      const opened = openSubscription(context.vault, row);
      return {
        id: messageId,
        url: opened.url,
        body: JSON.stringify(body),
        secrets: signingSecrets(opened, row.previous_until, now),
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

function update(executor: Executor, { id }: SubscriptionRow, changes: SubscriptionChanges) {
  return executor.updateTable('event_subscriptions').set(changes).where('id', '=', id);
}

async function deleteSubscription(executor: Executor, { id }: SubscriptionRow): Promise<void> {
  await executor.deleteFrom('event_subscriptions').where('id', '=', id).execute();
}

/** Returns the changes after an attempt. Undefined deletes a subscription whose end was reported or cannot be reported. */
function changesAfter(
  row: SubscriptionRow,
  { attempts, first_attempt_at: firstAttemptAt, seq }: PendingMessage,
  { status, answerStatus, problem, startedAt, endedAt, nextAttemptAt, subscriber }: Attempt,
): SubscriptionChanges | undefined {
  const isOver = status === 'delivered' || REFUSES_EVENT.includes(answerStatus ?? 0);
  const isDisabled = subscriber?.disabled === 'failing';
  if (seq === null && (isOver || isDisabled || status === 'failed')) return undefined;
  const error = deliveryErrorOf(answerStatus, problem);
  if (isOver) {
    const changes: SubscriptionChanges = {
      attempts: 0,
      first_attempt_at: null,
      failing_since: null,
      last_error: error,
      next_attempt_at: endedAt,
    };
    if (status === 'delivered') changes.last_delivered_at = endedAt;
    if (seq !== null) changes.cursor = seq;
    return changes;
  }

  const changes: SubscriptionChanges = {
    attempts: attempts + 1,
    first_attempt_at: firstAttemptAt ?? startedAt,
    next_attempt_at: nextAttemptAt,
    last_error: error,
    failing_since: subscriber?.failingSince ?? row.failing_since,
  };
  if (isDisabled) changes.disabled_at = endedAt;
  return changes;
}

function terminatedMessage({ attempts, first_attempt_at, id, created_at }: SubscriptionRow): PendingMessage {
  const error = { code: CODES.forbidden, message: 'Forbidden', data: { reason: 'Access revoked' } };
  const messageId = `msg_terminated_${id.slice(4)}_${created_at}`;
  return { attempts, first_attempt_at, messageId, body: { type: 'terminated', error }, seq: null };
}

/** Returns the next message, or the changes of the row if there is no message. */
async function findNext(
  executor: Executor,
  row: SubscriptionRow,
  now: number,
  { db, rules, vault, sealer, callerOf }: QueueContext,
): Promise<PendingMessage | SubscriptionChanges> {
  const { attempts, first_attempt_at, inlet_id: connectionId, name, cursor } = row;
  // Expired tokens are stored for a day, so the grant of a subscription that is refreshed within a day is found.
  const caller = await callerOf({ userId: row.user_id, grantId: row.grant_id, tokenId: '' });
  if (caller?.isSuspended === true) return { next_attempt_at: now + SUSPENDED_MS };
  const available = caller && (await listAvailable(db, caller, rules)).find(({ type }) => type.name === name);
  const { args } = openSubscription(vault, row);
  if (!caller || !available || connectionOf(available, caller, args) !== connectionId) {
    await update(executor, row, { ended: 'forbidden' }).execute();
    return terminatedMessage({ ...row, attempts: 0, first_attempt_at: null });
  }

  const position = await findPosition(executor, connectionId, { cursor: toCursor(connectionId, cursor) }, now);
  if (position.truncated) {
    const messageId = `msg_gap_${randomBytes(12).toString('base64url')}`;
    const body = { type: 'gap', cursor: toCursor(connectionId, position.seq) };
    return { attempts, first_attempt_at, messageId, body, seq: position.seq };
  }

  let after = cursor;
  for (;;) {
    const page = await listStored(executor, sealer, { connectionId, name, after, limit: BATCH }, now);
    for (const { seq, data, ...event } of page.events) {
      const payload = toPayload(available, args, data);
      if (payload === null) continue;
      const body = { ...event, data: payload, cursor: toCursor(connectionId, seq) };
      return { attempts, first_attempt_at, messageId: event.eventId, body, seq };
    }
    after = page.last;
    if (!page.isFull) return { cursor: after, next_attempt_at: null };
  }
}
