/** Numbers in arguments that JavaScript cannot hold: the schema checks them rounded, and the request has all of their digits. */

import { parseRawNumbers, rawNumber, toRawNumber } from '../../../shared/exact-json.ts';
import type { Arguments } from '../upstream/index.ts';
import { mapBySchema, parsePointer, toPointer, typeName } from './json.ts';

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
  const rounded = mapBySchema({}, value, (part, _, pointer) => {
    const text = rawNumber(part);
    if (text === undefined) return part;
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
  return mapBySchema({}, value, (part, _, pointer) => {
    const text = typeof part === 'number' ? digits.get(pointer) : undefined;
    if (text === undefined) return part;
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

/** An array or object, and its place in another. */
interface Container {
  readonly value: object;
  readonly name: string;
  readonly parent: Container | null;
}

/** Finds a number that passes, the outer ones first. Does not recurse, so that no depth can exhaust the stack. */
function findNumber(root: unknown, isWanted: NumberTest): LocatedNumber | null {
  if (isMatchingNumber(root, isWanted)) return { pointer: '', number: root };
  const stack: Container[] = isContainer(root) ? [{ value: root, name: '', parent: null }] : [];
  for (let container = stack.pop(); container !== undefined; container = stack.pop()) {
    const members = container.value as Arguments;
    const names = Object.keys(members);
    for (const name of names) {
      const number = members[name];
      if (isMatchingNumber(number, isWanted)) return { pointer: pointerOf(container) + toPointer([name]), number };
    }
    for (const name of names.reverse()) {
      const value = members[name];
      if (isContainer(value)) stack.push({ value, name, parent: container });
    }
  }
  return null;
}

function pointerOf(container: Container): string {
  const tokens: string[] = [];
  for (let at = container; at.parent !== null; at = at.parent) tokens.unshift(at.name);
  return toPointer(tokens);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRaw(value);
}

function isMatchingNumber(value: unknown, isWanted: NumberTest): boolean {
  return (typeof value === 'number' || isRaw(value)) && isWanted(value);
}
