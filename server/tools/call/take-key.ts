/** Stage `once`: a call that repeats an idempotency key gets the outcome of the first. The last stage before anything is sent. */

import type { Call, CallDependencies } from './call.ts';
import type { Ending } from './ending.ts';

/** Takes the key of the call, or ends it with what its key stands for. Costs nothing without a key. */
export function takeKey(call: Call, { once }: CallDependencies): null | Promise<Ending | null> {
  return call.idempotencyKey === null ? null : once.take(call, call.idempotencyKey);
}
