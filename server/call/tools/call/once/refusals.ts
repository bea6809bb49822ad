/** Endings of calls whose key belongs to another call, or to a call without a stored answer. */

import type { Call } from '../call.ts';
import { type Ending, refuse } from '../ending.ts';

const RUNNING_RETRY_SECONDS = 2;

/** The key was used for another tool, or other arguments. */
export function usedForAnother(): Ending {
  return refuse('idempotency_key_reused', {
    message: 'This idempotency key was used for another call, of another tool or with other arguments.',
  });
}

/** The first call was sent, and its outcome is unknown. */
export function outcomeUnknown({ connector, tool }: Call['entry']): Ending {
  return refuse('outcome_unknown', {
    message: `The first call of ${tool.name} with this idempotency key was sent to ${connector.title}, and whether it took effect is not known. It was not sent again.`,
  });
}

/** The first call is still running at this call's deadline. */
export function alreadyRunning(): Ending {
  return refuse('call_in_progress', {
    message: 'The first call with this idempotency key is still running.',
    advice: `Wait ${RUNNING_RETRY_SECONDS} seconds, then call again with the same key.`,
    retryAfterSeconds: RUNNING_RETRY_SECONDS,
  });
}

/** The client disconnected before anything was sent. */
export function cancelled(): Ending {
  return refuse('cancelled', { message: 'The call was cancelled.' });
}

/** @param limit keys per grant. */
export function tooManyKeys(limit: number): Ending {
  return refuse('too_many_idempotency_keys', {
    message: `This client has used ${limit} idempotency keys within a day.`,
  });
}
