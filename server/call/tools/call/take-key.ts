/** Stage `once`, the last before sending: a call with a repeated idempotency key gets the outcome of the first call. */

import type { Call, CallDependencies } from './call.ts';
import type { Ending } from './ending.ts';

/** Takes the key of the call, or ends it with the key's stored outcome. Costs nothing without a key. */
export function takeKey(call: Call, { once }: CallDependencies): null | Promise<Ending | null> {
  return call.idempotencyKey === null ? null : once.take(call, call.idempotencyKey);
}
