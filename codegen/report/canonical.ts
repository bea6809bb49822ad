/** Compares and writes JSON values without regard to the order of members. */

import { createHash } from 'node:crypto';
import { canonicalJson, isRecord } from '../json.ts';

/** True if two values are equal apart from the order of members. An undefined member counts as missing. */
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
