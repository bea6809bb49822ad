/** JSON values compared and written without regard to the order of members. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../json.ts';

/** Whether two values are the same but for the order of members. A member that is undefined is not there. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return canonicalJson(a) === canonicalJson(b);
}

/** The first 12 hexadecimal digits of SHA-256. */
export function shortHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 12);
}
