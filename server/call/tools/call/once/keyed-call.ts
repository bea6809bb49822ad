/** What a key is bound to, and how long it lasts. */

import { createHash, randomUUID } from 'node:crypto';
import type { KeyedCall, KeyOwner } from '../../../../base/store/repositories/calls/calls-made-once.ts';
import { isHandWritten } from '../../catalogue/hand-written.ts';
import type { Call } from '../call.ts';

/** How long an answer is kept. */
const KEY_TTL_MS = 24 * 3_600_000;

/** Time after its deadline in which a call may still report its outcome. */
const SETTLE_MS = 2_000;

/** Describes a call with a key as a new attempt. @throws if the call's connection does not exist. */
export function toKeyedCall(call: Call, key: string, now: number): KeyedCall {
  const { principal, entry } = call;
  const { userId, grantId, tokenId } = principal;
  const connectionId = principal.connections.get(entry.connector.name)?.id;
  if (connectionId === undefined) throw new Error('the stage access lets no call without a connection pass');
  const owner: KeyOwner = { userId, grantId, tokenId };
  return {
    ...owner,
    keyHash: hash(grantId === null ? ['token', tokenId, key] : ['grant', grantId, key]),
    callHash: hash([key, entry.tool.name, call.arguments]),
    connectionId,
    holder: randomUUID(),
    heldUntil: call.deadline + SETTLE_MS,
    now,
    expiresAt: now + KEY_TTL_MS,
    repeatable:
      entry.tool.annotations.idempotentHint || (!isHandWritten(entry.tool) && entry.tool.idempotency !== undefined),
  };
}

/** Hashes a JSON value; the order of members does not matter. */
function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortMembers)).digest('base64url');
}

function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
