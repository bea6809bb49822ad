/** Recognises, compares and writes JSON values without regard to the order of members. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../shared/canonical-json.ts';

export { byCodeUnit, canonicalJson } from '../shared/canonical-json.ts';

/** True for a plain object: not null, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object as a record; an empty one for any other value. */
export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Sets an own member. `__proto__` is defined, because assignment would set the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The type of an object whose members are missing where they could be undefined. */
type WithoutUndefined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** The object without the members that are undefined; the others in their order. */
export function withoutUndefined<const Members extends object>(members: Members): WithoutUndefined<Members> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as WithoutUndefined<Members>;
}

/** The JSON Schema type of a value; whole numbers are `integer`. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Length of a value as JSON, in characters. */
export function charsOf(value: unknown): number {
  return JSON.stringify(value).length;
}

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
