/**
 * What waits for subscribers, for the worker that delivers it: in order per subscription, and only what its grant still carries.
 *
 * `webhook-id` is the eventId (SEP-3415, Signature scheme), which the AI SDK and ChatGPT require; messages that are no events have an id
 * of their own.
 */

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { CredentialVault } from '../../base/credentials/index.ts';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Attempt } from '../../base/deliveries/attempt.ts';
import type { DeliveryQueue } from '../../base/deliveries/worker.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import type { Core } from '../../module.ts';
import { CODES, errorOf } from './methods.ts';
import { connectionOf, listOffered, type Offering, toPayload } from './offered.ts';
import { findPosition, listKept, openDelivery, toCursor } from './subscriptions.ts';
import type { EventSubscriptionsTable } from './tables.ts';

interface Subscription extends EventSubscriptionsTable {
  readonly failingSince: number | null;
}

/** What is sent next. */
interface Sent {
  readonly attempts: number;
  readonly firstAttemptAt: number | null;
  /** `webhook-id`. */
  readonly messageId: string;
  readonly body: object;
  /** Where the subscriber is when it has accepted this; null: nothing follows. */
  readonly seq: number | null;
}

/** Of the kept events, this many are read at once. */
const READ = 10;

/** How long a subscription of a suspended partner is left alone. */
const SUSPENDED_MS = 60_000;

/** Statuses that refuse one event for good, and say nothing of the next. */
const REFUSES_ONE = [410, 413];

interface QueueContext extends Offering {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly sealer: ValueSealer;
  readonly callerOf: Core['callerOf'];
}

/** Creates the queue. */
export function createEventQueue(context: QueueContext): DeliveryQueue<Subscription, Sent> {
  const { vault } = context;
  const change = (executor: Executor, { id }: { id: string }, changes: Partial<EventSubscriptionsTable>) =>
    executor.updateTable('event_subscriptions').set(changes).where('id', '=', id);
  return {
    async listDueTargets(executor, { now, limit }) {
      const due = executor.selectFrom('event_subscriptions').select(['id', 'partner_id as partnerId']);
      const idle = due
        .where('next_attempt_at', '<=', now)
        .where('leased_until', '<=', now)
        .where('disabled_at', 'is', null);
      return idle.orderBy('next_attempt_at').limit(limit).execute();
    },
    async lease(transaction, { id, node, now, until }) {
      const free = transaction.updateTable('event_subscriptions').set({ leased_by: node, leased_until: until });
      const row = await free
        .where('id', '=', id)
        .where('disabled_at', 'is', null)
        .where((is) => is.or([is('leased_until', '<=', now), is('leased_by', '=', node)]))
        .returningAll()
        .executeTakeFirst();
      return row && { ...row, failingSince: row.failing_since };
    },
    async release(executor, { id, node, now }) {
      await change(executor, { id }, { leased_by: null, leased_until: now }).where('leased_by', '=', node).execute();
    },
    // What is idle has no time at which it is due.
    async hold() {},
    async listDue(executor, row, { now }) {
      if (row.next_attempt_at === null || row.next_attempt_at > now) return [];
      const next = row.ended === null ? await findNext(executor, row, now, context) : toEnd(row);
      if (next !== null && 'body' in next) return [next];
      if (next === null) await executor.deleteFrom('event_subscriptions').where('id', '=', row.id).execute();
      // Another event may have come meanwhile: then this changes nothing.
      else await change(executor, row, next).where('wakes', '=', row.wakes).execute();
      return [];
    },
    async messageOf(_, row, { messageId, body }, now) {
      const { url, current, previous } = openDelivery(vault, row);
      const isValid = row.previous_until !== null && row.previous_until > now;
      const secrets = previous !== undefined && isValid ? [current, previous] : [current];
      return { id: messageId, url, body: JSON.stringify(body), secrets, headers: { 'x-mcp-subscription-id': row.id } };
    },
    async settle(executor, row, sent, attempt) {
      const changes = settled(row, sent, attempt);
      await (changes === null
        ? executor.deleteFrom('event_subscriptions').where('id', '=', row.id)
        : change(executor, row, changes)
      ).execute();
    },
  };
}

/** What an attempt changes; null: the subscription has ended, and its subscriber knows it or cannot be told. */
function settled(
  row: Subscription,
  { attempts, firstAttemptAt, seq }: Sent,
  attempt: Attempt,
): Partial<EventSubscriptionsTable> | null {
  const { status, answerStatus, startedAt, endedAt, nextAttemptAt, target } = attempt;
  const isOver = status === 'delivered' || REFUSES_ONE.includes(answerStatus ?? 0);
  const isDisabled = target?.disabled === 'failing';
  if (seq === null && (isOver || isDisabled || status === 'failed')) return null;
  const error = errorOf({ status: answerStatus, problem: attempt.problem });
  if (isOver) {
    const accepted = status === 'delivered' ? { last_delivered_at: endedAt } : {};
    const done = { attempts: 0, first_attempt_at: null, failing_since: null, last_error: error, ...accepted };
    return { ...done, ...(seq === null ? {} : { cursor: seq }), next_attempt_at: endedAt };
  }
  return {
    ...{
      attempts: attempts + 1,
      first_attempt_at: firstAttemptAt ?? startedAt,
      next_attempt_at: nextAttemptAt,
      last_error: error,
    },
    failing_since: target?.failingSince ?? row.failingSince,
    ...(isDisabled ? { disabled_at: endedAt } : {}),
  };
}

function toEnd({ attempts, first_attempt_at: firstAttemptAt, id, created_at: createdAt }: Subscription): Sent {
  const error = { code: CODES.forbidden, message: 'Forbidden', data: { reason: 'Access revoked' } };
  const messageId = `msg_terminated_${id.slice(4)}_${createdAt}`;
  return { attempts, firstAttemptAt, messageId, body: { type: 'terminated', error }, seq: null };
}

/** What is sent next, what the row becomes if that is nothing, or null: it was not refreshed in time. */
async function findNext(
  executor: Executor,
  row: Subscription,
  now: number,
  { db, vault, sealer, callerOf, ...offering }: QueueContext,
): Promise<Sent | Partial<EventSubscriptionsTable> | null> {
  if (row.refresh_before <= now) return null;
  // Expired tokens are kept for a day, so the grant of a subscription that is refreshed within a day is found.
  const holder = await callerOf({ userId: row.user_id, grantId: row.grant_id, tokenId: '' });
  if (holder?.isSuspended === true) return { next_attempt_at: now + SUSPENDED_MS };
  const offered = holder && (await listOffered(db, holder, offering)).find(({ type }) => type.name === row.name);
  const { args } = openDelivery(vault, row);
  if (!holder || !offered || connectionOf(offered, holder, args) !== row.inlet_id) {
    await executor.updateTable('event_subscriptions').set({ ended: 'forbidden' }).where('id', '=', row.id).execute();
    return toEnd({ ...row, attempts: 0, first_attempt_at: null });
  }
  const of = { attempts: row.attempts, firstAttemptAt: row.first_attempt_at };
  const from = await findPosition(executor, row.inlet_id, { cursor: toCursor(row.inlet_id, row.cursor), now });
  if (from.truncated) {
    const messageId = `msg_gap_${randomBytes(12).toString('base64url')}`;
    return { ...of, messageId, body: { type: 'gap', cursor: toCursor(row.inlet_id, from.seq) }, seq: from.seq };
  }
  for (let after = row.cursor; ; ) {
    const wanted = { inletId: row.inlet_id, name: row.name, after, limit: READ, now };
    const { kept, last, isFull } = await listKept(executor, sealer, wanted);
    for (const { seq, data, ...event } of kept) {
      const payload = toPayload(offered, args, data);
      if (payload === null) continue;
      const body = { ...event, data: payload, cursor: toCursor(row.inlet_id, seq) };
      return { ...of, messageId: event.eventId, body, seq };
    }
    if (!isFull) return { cursor: last, next_attempt_at: null };
    after = last;
  }
}
