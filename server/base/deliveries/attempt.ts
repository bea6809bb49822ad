/** What follows from an attempt: for the delivery, and for the target that it was made to. */

import type { Answer, DeliveryProblem } from './send.ts';

/** The part of a target that is needed here. */
export interface DeliveryTarget {
  readonly id: string;
  /** In milliseconds since 1970, like all times here; null: the last attempt succeeded, or there was none. */
  readonly failingSince: number | null;
}

/** The part of a delivery that is needed here. */
export interface QueuedDelivery {
  readonly attempts: number;
  /** Null: there was no attempt. */
  readonly firstAttemptAt: number | null;
}

/** An attempt that has ended. */
export interface Attempt {
  /** `waiting`: there will be another. */
  readonly status: 'waiting' | 'delivered' | 'failed';
  /** HTTP status; null: there was no answer. */
  readonly answerStatus: number | null;
  readonly problem: DeliveryProblem | null;
  readonly durationMs: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly nextAttemptAt: number;
  /** What changes for the target; null: nothing. */
  readonly target: TargetChanges | null;
}

interface TargetChanges {
  readonly failingSince: number | null;
  /** Nothing is sent before this time; null: as it was. */
  readonly heldUntil: number | null;
  /** Why nothing more is sent to it: a day of failures, or an answer of 410; null: it goes on. */
  readonly disabled: 'failing' | 'gone' | null;
}

const GONE = 410;

/** Whether the target can get more now: it answered, and not with 410. */
export function goesOn({ answerStatus, problem }: Attempt): boolean {
  return problem === 'event_gone' || (answerStatus !== null && answerStatus !== GONE);
}

/** The attempt to deliver what is no longer kept: there is no other. */
export function nothingToSend(at: number): Attempt {
  const times = { durationMs: null, startedAt: at, endedAt: at, nextAttemptAt: at };
  return { status: 'failed', answerStatus: null, problem: 'event_gone', ...times, target: null };
}

/** Judges an answer. All deliveries to a target that did not answer are paused, so that it costs at most one request at a time. */
export function judge(
  { failingSince }: DeliveryTarget,
  delivery: QueuedDelivery,
  answer: Answer,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): Attempt {
  const { status, problem, durationMs } = answer;
  const made = { answerStatus: status, problem, durationMs, startedAt, endedAt };
  if (status !== null && status >= 200 && status < 300) {
    const target = failingSince === null ? null : { failingSince: null, heldUntil: 0, disabled: null };
    return { ...made, status: 'delivered', nextAttemptAt: endedAt, target };
  }
  const since = failingSince ?? startedAt;
  const disabled = status === GONE ? 'gone' : endedAt - since >= PATIENCE_MS ? 'failing' : null;
  const firstAt = delivery.firstAttemptAt ?? startedAt;
  const next = nextAttempt({ attempts: delivery.attempts + 1, firstAt, now: endedAt });
  return {
    ...made,
    status: next === null && disabled === null ? 'failed' : 'waiting',
    nextAttemptAt: next ?? endedAt,
    target: { failingSince: since, heldUntil: status === null ? next : null, disabled },
  };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long deliveries are tried at a target that accepts none. */
const PATIENCE_MS = 24 * HOUR_MS;

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
