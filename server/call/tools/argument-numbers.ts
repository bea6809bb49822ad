/** Numbers in arguments that JavaScript cannot hold: the schema checks them rounded, and the request has all of their digits. */

import { parseRawNumbers, rawNumber, toRawNumber } from '../../../shared/exact-json.ts';
import type { Arguments } from '../upstream/index.ts';
import { parsePointer, toPointer, typeName } from './json.ts';

/** A value whose raw numbers were rounded. */
export interface RoundedNumbers<Value> {
  readonly rounded: Value;
  /** The digits of each number that was rounded, by RFC 6901 pointer. */
  readonly digits: ReadonlyMap<string, string>;
}

const NO_DIGITS: ReadonlyMap<string, string> = new Map();

/** Replaces raw numbers by JavaScript's. Returns the value itself if it has none. */
export function roundNumbers<Value>(value: Value): RoundedNumbers<Value> {
  if (findNumber(value, isRaw) === null) return { rounded: value, digits: NO_DIGITS };
  const digits = new Map<string, string>();
  const rounded = mapLeaves(value, '', (leaf, pointer) => {
    const text = rawNumber(leaf);
    if (text === undefined) return leaf;
    digits.set(pointer, text);
    return Number(text);
  });
  return { rounded: rounded as Value, digits };
}

/** Raw numbers of arguments that were checked: items of a batch are checked again. */
const checkedNumbers = new WeakSet<object>();

/** Puts the digits back, as raw numbers. */
export function withDigits(value: unknown, digits: ReadonlyMap<string, string>): unknown {
  if (digits.size === 0) return value;
  return mapLeaves(value, '', (leaf, pointer) => {
    const text = typeof leaf === 'number' ? digits.get(pointer) : undefined;
    if (text === undefined) return leaf;
    const number = toRawNumber(text);
    checkedNumbers.add(number);
    return number;
  });
}

/** Parses JSON for a request. Returns undefined if the text is not JSON, or holds a number that is not finite. */
export function parseArgument(text: string): unknown {
  try {
    const value = parseRawNumbers(text);
    return findNumber(value, isInfinite) === null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The name of a value's type in JSON, also of a raw number. */
export function typeOfArgument(value: unknown): string {
  const text = rawNumber(value);
  if (text === undefined) return typeName(value);
  return /[.eE]/.test(text) ? 'number' : 'integer';
}

/** Copies a value of bounded depth. Raw numbers are leaves. */
function mapLeaves(value: unknown, pointer: string, map: (leaf: unknown, pointer: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null || isRaw(value)) return map(value, pointer);
  if (Array.isArray(value)) return value.map((item, index) => mapLeaves(item, `${pointer}/${index}`, map));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [name, mapLeaves(member, pointer + toPointer([name]), map)]),
  );
}

/** A number that cannot be sent as its caller meant it. */
interface UnsendableNumber {
  /** Place of the number, as RFC 6901 pointer. */
  readonly pointer: string;
  /** Description of the problem, and of the way to avoid it. It follows the name of its place. */
  readonly problem: string;
}

const LOST_DIGITS =
  'is a whole number beyond 9007199254740991, which may have lost digits in transit. Send it as a string with all its digits.';
const MAX_SHOWN_LENGTH = 40;

/**
 * Finds a number that is not finite, or that may have lost digits before it came here.
 *
 * A client in JavaScript rounds 725653563933458433 and writes 725653563933458400, the shortest text for what is left. A longer text was not
 * rounded, and is sent as it is.
 */
export function findUnsendableNumber(args: Arguments): UnsendableNumber | null {
  const unsendableNumber = findNumber(args, (number) => isInfinite(number) || mayBeRounded(number));
  if (unsendableNumber === null) return null;
  const { pointer, number } = unsendableNumber;
  if (!isInfinite(number)) return { pointer, problem: LOST_DIGITS };
  const text = (rawNumber(number) ?? String(number)).slice(0, MAX_SHOWN_LENGTH);
  return { pointer, problem: `is not a finite number (got ${text}). Send one below 1.8e308.` };
}

/** Returns the dotted path of a number that is not finite, such as `items.0.amount`, or null if all numbers are finite. */
export function findInfiniteNumber(value: unknown): string | null {
  const infiniteNumber = findNumber(value, isInfinite);
  return infiniteNumber === null ? null : parsePointer(infiniteNumber.pointer).join('.');
}

type NumberTest = (number: unknown) => boolean;

const isRaw: NumberTest = (value) => typeof value === 'object' && rawNumber(value) !== undefined;

const isInfinite: NumberTest = (number) => !Number.isFinite(toNumber(number));

function toNumber(number: unknown): number {
  return typeof number === 'number' ? number : Number(rawNumber(number));
}

/** True if a number may be an integer beyond 2^53 that a client in JavaScript has rounded. */
function mayBeRounded(number: unknown): boolean {
  if (typeof number === 'object' && number !== null && checkedNumbers.has(number)) return false;
  const value = toNumber(number);
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false;
  return (rawNumber(number) ?? String(value)) === String(value);
}

interface LocatedNumber {
  readonly pointer: string;
  /** A number of JavaScript, or a raw one. */
  readonly number: unknown;
}

function findNumber(root: unknown, isWanted: NumberTest): LocatedNumber | null {
  if (!holdsNumber(root, isWanted)) return null;
  const tokens: string[] = [];
  let value = root;
  while (!isMatchingNumber(value, isWanted)) {
    const [name, member] = Object.entries(value as object).find(([, inner]) => holdsNumber(inner, isWanted)) ?? [
      '',
      null,
    ];
    tokens.push(name);
    value = member;
  }
  return { pointer: toPointer(tokens), number: value };
}

/** Does not recurse, so that no depth can exhaust the stack. */
function holdsNumber(root: unknown, isWanted: NumberTest): boolean {
  if (isMatchingNumber(root, isWanted)) return true;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const member of Array.isArray(node) ? node : Object.values(node)) {
      if (isMatchingNumber(member, isWanted)) return true;
      if (typeof member === 'object' && member !== null) stack.push(member);
    }
  }
  return false;
}

function isMatchingNumber(value: unknown, isWanted: NumberTest): boolean {
  return (typeof value === 'number' || isRaw(value)) && isWanted(value);
}
