/** One attempt: sends an event to an endpoint, and reads the response. */

import type { Dispatcher } from 'undici';
import { GuardedFetchError } from '../../base/guarded-fetch/index.ts';
import type { DeliveryProblem } from './deliveries.ts';

/** How an attempt ended. */
export interface Answer {
  /** HTTP status; null: there was no answer. */
  readonly status: number | null;
  readonly problem: DeliveryProblem | null;
  readonly durationMs: number;
}

interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  /** Signature and id. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
}

/** From the connection to the end of the response. */
const TIMEOUT_MS = 15_000;

/** The body of a response is not used; it is read up to this size so that the connection can be reused. */
const MAX_ANSWER_BYTES = 16_384;

/**
 * Sends the request and waits for its status. A redirect is not followed, and counts like any other status.
 *
 * @param options.signal aborts the attempt.
 * @throws the reason of `signal`.
 */
export async function sendWebhook(
  request: WebhookRequest,
  options: { dispatcher: Dispatcher; signal: AbortSignal; timeoutMs?: number },
): Promise<Answer> {
  const { origin, pathname, search } = new URL(request.url);
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const started = performance.now();
  const durationMs = () => Math.round(performance.now() - started);
  try {
    const { statusCode, body } = await options.dispatcher.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': request.userAgent, ...request.headers },
      body: request.body,
      signal: AbortSignal.any([timeout, options.signal]),
    });
    await body.dump({ limit: MAX_ANSWER_BYTES, signal: timeout }).catch(() => {});
    return { status: statusCode, problem: null, durationMs: durationMs() };
  } catch (error) {
    options.signal.throwIfAborted();
    return { status: null, problem: timeout.aborted ? 'timeout' : problemOf(error), durationMs: durationMs() };
  }
}

function problemOf(error: unknown): DeliveryProblem {
  return error instanceof GuardedFetchError && error.reason === 'address' ? 'address_not_allowed' : 'unreachable';
}
