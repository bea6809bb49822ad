/** Makes one delivery: builds and signs the request, sends it, and records the outcome. */

import type { Kysely } from 'kysely';
import { CredentialUnreadableError, type CredentialVault } from '../../base/credentials/index.ts';
import type { Outgoing } from '../../base/guarded-fetch/outgoing.ts';
import type { Database } from '../../base/store/schema.ts';
import { type DeliveryProblem, recordAttempt, type WebhookDelivery } from './deliveries.ts';
import { type DisabledReason, updateEndpoint, type WebhookEndpoint } from './endpoints.ts';
import { WEBHOOK_EVENTS } from './event-types.ts';
import { type EventView, TEST_TYPE, toEventView, toTestView } from './event-view.ts';
import { findPartnerEvent } from './outbox.ts';
import { openSecrets, signatureHeaders } from './secrets.ts';
import { type Answer, sendWebhook } from './send.ts';

interface DeliveryDependencies {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
  readonly outgoing: Outgoing;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const GONE = 410;

/**
 * Makes an attempt. The outcome is written after the response, so when a node crashes in between, another attempt follows
 * with the same id.
 *
 * @returns whether the endpoint can get more now: it answered, and not with 410.
 */
export async function deliver(
  endpoint: WebhookEndpoint,
  delivery: WebhookDelivery,
  deps: DeliveryDependencies,
): Promise<boolean> {
  const startedAt = deps.now();
  const event = await findEvent(endpoint, delivery, deps);
  if (event === undefined) {
    await recordAttempt(deps.db, delivery.id, { ...failedFor('event_gone'), startedAt, nextAttemptAt: startedAt });
    return true;
  }
  const answer = await attempt(endpoint, event, startedAt, deps);
  const { status, problem, durationMs } = answer;
  const now = deps.now();
  if (status !== null && status >= 200 && status < 300) {
    const outcome = { status: 'delivered', answerStatus: status, problem, durationMs } as const;
    await recordAttempt(deps.db, delivery.id, { ...outcome, startedAt, nextAttemptAt: now });
    if (endpoint.failingSince !== null)
      await updateEndpoint(deps.db, endpoint.id, { failing_since: null, held_until: 0 });
    return true;
  }
  await recordFailure(endpoint, delivery, { answer, startedAt, now }, deps);
  return status !== null && status !== GONE;
}

async function findEvent(
  { id: endpointId, partnerId }: WebhookEndpoint,
  { type, eventId, createdAt }: WebhookDelivery,
  { db }: DeliveryDependencies,
): Promise<EventView | undefined> {
  if (type === TEST_TYPE) return toTestView({ eventId, endpointId, createdAt });
  const event = await findPartnerEvent(db, { id: eventId, partnerId });
  return event && toEventView(event);
}

async function attempt(
  endpoint: WebhookEndpoint,
  event: EventView,
  now: number,
  { vault, outgoing, userAgent, signal, timeoutMs }: DeliveryDependencies,
): Promise<Answer> {
  const body = JSON.stringify(event);
  let secrets: string[];
  try {
    const { current, previous } = openSecrets(vault, endpoint);
    const isValid = endpoint.previousUntil !== null && endpoint.previousUntil > now;
    secrets = previous !== undefined && isValid ? [current, previous] : [current];
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return { status: null, problem: 'secret_unreadable', durationMs: 0 };
  }
  const headers = signatureHeaders(secrets, { id: event.id, now, body });
  const options = {
    dispatcher: await outgoing.dispatcher(),
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return sendWebhook({ url: endpoint.url, body, headers, userAgent }, options);
}

/** All deliveries to an endpoint that did not answer are paused, so that it costs at most one request at a time. */
async function recordFailure(
  endpoint: WebhookEndpoint,
  delivery: WebhookDelivery,
  { answer, startedAt, now }: { answer: Answer; startedAt: number; now: number },
  { db }: DeliveryDependencies,
): Promise<void> {
  const { status: answerStatus, problem, durationMs } = answer;
  const failingSince = endpoint.failingSince ?? startedAt;
  const reason = answerStatus === GONE ? 'gone' : now - failingSince >= PATIENCE_MS ? 'failing' : null;
  const firstAt = delivery.firstAttemptAt ?? startedAt;
  const next = nextAttempt({ attempts: delivery.attempts + 1, firstAt, now });
  const isOver = next === null && reason === null;
  await db.transaction().execute(async (transaction) => {
    const outcome = { status: isOver ? 'failed' : 'waiting', answerStatus, problem, durationMs } as const;
    await recordAttempt(transaction, delivery.id, { ...outcome, startedAt, nextAttemptAt: next ?? now });
    const heldUntil = answerStatus === null && next !== null ? { held_until: next } : {};
    await updateEndpoint(transaction, endpoint.id, { failing_since: failingSince, ...heldUntil });
    if (reason !== null) await disable(transaction, endpoint, reason, now);
  });
}

async function disable(
  transaction: Parameters<typeof updateEndpoint>[0],
  { id, partnerId }: WebhookEndpoint,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  await updateEndpoint(transaction, id, { disabled_at: now, disabled_reason: reason });
  const details = { webhookEndpointId: id, reason };
  await WEBHOOK_EVENTS.tell(transaction, { type: 'webhook_endpoint_disabled', now, partnerId, details });
}

function failedFor(problem: DeliveryProblem) {
  return { status: 'failed', answerStatus: null, problem, durationMs: null } as const;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long deliveries are tried at an endpoint that accepts none. */
export const PATIENCE_MS = 24 * HOUR_MS;

/** After the first failure, the second, and so on; the last one repeats. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];

/** A delay varies by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/**
 * When to try again, in milliseconds since 1970; null: never, because `PATIENCE_MS` is over. The last attempt comes at
 * its end.
 *
 * @param tried.attempts made so far, including the one that just failed.
 * @param tried.firstAt when the first began, in milliseconds since 1970.
 */
function nextAttempt(
  tried: { attempts: number; firstAt: number; now: number },
  random: () => number = Math.random,
): number | null {
  const { attempts, firstAt, now } = tried;
  const endsAt = firstAt + PATIENCE_MS;
  if (now >= endsAt) return null;
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  return Math.min(endsAt, now + Math.round(delay * (1 + JITTER * (2 * random() - 1))));
}
