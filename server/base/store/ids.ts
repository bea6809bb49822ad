/** Row ids. */

import { randomUUID } from 'node:crypto';

/**
 * Creates a UUID version 7 (RFC 9562 §5.7): the time in milliseconds, then 74 random bits.
 *
 * Rows created one after another are next to each other in the index.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  // A version 4 UUID has random bits where version 7 needs them, and Node generates them in advance.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
