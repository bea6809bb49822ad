/** Judges the answer to an attempt: what follows for the delivery, and for its subscriber. */

import type { Answer, DeliveryProblem } from './send.ts';

/** The columns of a delivery that decide when it is tried again. */
export interface QueuedDelivery {
  readonly attempts: number;
  /** Milliseconds since 1970, like all times here; null before the first attempt. */
  readonly first_attempt_at: number | null;
}

/** An attempt that has ended. */
export interface Attempt {
  /** `waiting`: there will be another. */
  readonly status: 'waiting' | 'delivered' | 'failed';
  /** HTTP status; null without an answer. */
  readonly answerStatus: number | null;
  /** Null with an answer. */
  readonly problem: DeliveryProblem | null;
  /** Null if nothing was sent. */
  readonly durationMs: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly nextAttemptAt: number;
  /** Undefined if nothing changes for the subscriber. */
  readonly subscriber?: SubscriberChanges;
}

interface SubscriberChanges {
  /** Null after a success. */
  readonly failingSince: number | null;
  /** Nothing is sent before this time. Default: no change. */
  readonly heldUntil?: number;
  /** Reason to disable the subscriber: a day of failures, or an answer of 410. Default: it stays enabled. */
  readonly disabled?: 'failing' | 'gone';
}

const GONE = 410;

/** Returns true if the subscriber can get more now: it answered, and not with 410. */
export function canDeliverMore({ answerStatus, problem }: Attempt): boolean {
  return problem === 'event_gone' || (answerStatus !== null && answerStatus !== GONE);
}

/** Returns the failed attempt to deliver an event that is no longer stored. */
export function failWithoutEvent(at: number): Attempt {
  return {
    status: 'failed',
    answerStatus: null,
    problem: 'event_gone',
    durationMs: null,
    startedAt: at,
    endedAt: at,
    nextAttemptAt: at,
  };
}

/** Judges an answer. A subscriber that did not answer is held, so that it costs at most one request at a time. */
export function judgeAnswer(
  failingSince: number | null,
  delivery: QueuedDelivery,
  { status: answerStatus, problem, durationMs }: Answer,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): Attempt {
  const attempt = { answerStatus, problem, durationMs, startedAt, endedAt };
  if (answerStatus !== null && answerStatus >= 200 && answerStatus < 300) {
    const delivered = { ...attempt, status: 'delivered', nextAttemptAt: endedAt } as const;
    return failingSince === null ? delivered : { ...delivered, subscriber: { failingSince: null, heldUntil: 0 } };
  }

  const firstFailureAt = failingSince ?? startedAt;
  const next = nextAttemptAt(delivery.attempts + 1, delivery.first_attempt_at ?? startedAt, endedAt);
  let subscriber: SubscriberChanges = { failingSince: firstFailureAt };
  if (answerStatus === null && next !== null) subscriber = { ...subscriber, heldUntil: next };
  if (answerStatus === GONE) subscriber = { ...subscriber, disabled: 'gone' };
  else if (endedAt - firstFailureAt >= PATIENCE_MS) subscriber = { ...subscriber, disabled: 'failing' };
  return {
    ...attempt,
    status: next === null && subscriber.disabled === undefined ? 'failed' : 'waiting',
    nextAttemptAt: next ?? endedAt,
    subscriber,
  };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Time for which deliveries are tried at a subscriber that accepts none. */
const PATIENCE_MS = 24 * HOUR_MS;

/** Delays after the first failure, the second, and so on; the last one repeats. */
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

/** Returns the time of the next attempt, or null once `PATIENCE_MS` is over. The last attempt comes at its end. */
function nextAttemptAt(attempts: number, firstAttemptAt: number, now: number): number | null {
  const endsAt = firstAttemptAt + PATIENCE_MS;
  if (now >= endsAt) return null;
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
  return Math.min(endsAt, now + Math.round(delay * (1 + JITTER * (2 * Math.random() - 1))));
}
