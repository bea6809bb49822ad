/** The idempotency key of a call: a name that its client gives it, so that repeating it does not make it twice. */

import { InvalidCallError, type ToolCallContext } from '../../provider.ts';

/**
 * Members of `params._meta` that hold the key.
 *
 * `idempotencyKey` is what clients send, and the name of SEP-3182 ("Request Idempotency"), which is closed; no revision of MCP
 * has a key. The other is the same name where the specification would put it, and what some SDKs send already.
 *
 * Not `claudecode/toolUseId` and its like: such an id is unique only as far as the model's host makes it so, and hosts of
 * other models number their calls from `call_0` in every turn. A second call on purpose would get the answer of the first.
 */
const NAMES = ['idempotencyKey', 'io.modelcontextprotocol/idempotencyKey'] as const;

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/**
 * Reads the key; null: the call has none, and is made each time.
 *
 * @throws {InvalidCallError} for what is no text of 1 to 255 printable ASCII characters, and for two keys that differ: a
 * client that meant to be safe hears that it is not.
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
