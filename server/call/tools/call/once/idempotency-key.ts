/** The idempotency key of a call: a name chosen by the client, so that a repeated call is not made twice. */

import { InvalidCallError, type ToolCallContext } from '../../provider.ts';

/**
 * Members of `params._meta` that hold the key.
 *
 * Clients send `idempotencyKey`, the name in SEP-3182 ("Request Idempotency"), which is closed; no revision of MCP has
 * a key. The other is the same name in the specification's namespace, which some SDKs already send.
 *
 * Ids such as `claudecode/toolUseId` are not accepted: only the model's host makes them unique, and hosts of other
 * models number their calls from `call_0` in every turn. An intended second call would get the answer of the first.
 */
const NAMES = ['idempotencyKey', 'io.modelcontextprotocol/idempotencyKey'] as const;

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * Reads the key; null: the call has none, and is made each time.
 *
 * @throws {InvalidCallError} if a key is not a text of 1 to 255 printable ASCII characters, or the two keys differ, so
 * that a client never wrongly assumes that its call is safe to repeat.
 */
export function readIdempotencyKey(meta: ToolCallContext['meta']): string | null {
  const given = NAMES.flatMap((name) => (Object.hasOwn(meta, name) ? [meta[name]] : []));
  const [key = null, ...others] = given;
  if (key === null && given.length === 0) return null;
  if (typeof key === 'string' && KEY.test(key) && others.every((other) => other === key)) return key;
  throw new InvalidCallError(
    `Invalid ${NAMES[0]} in _meta: it is one text of 1 to 255 printable ASCII characters without outer spaces.`,
  );
}
