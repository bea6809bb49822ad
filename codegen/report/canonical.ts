/** JSON values compared and written without regard to the order of members. */

import { createHash } from 'node:crypto';
import { canonicalJson, isRecord } from '../json.ts';

/** Whether two values are the same but for the order of members. A member that is undefined is not there. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item ?? null, b[at] ?? null));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  const isThere = (name: string): boolean => Object.hasOwn(b, name) || a[name] === undefined;
  return (
    names.every((name) => isThere(name) && isSame(a[name], b[name])) &&
    Object.keys(b).every((name) => Object.hasOwn(a, name) || b[name] === undefined)
  );
}

/** The first 12 hexadecimal digits of SHA-256. */
export function shortHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 12);
}
