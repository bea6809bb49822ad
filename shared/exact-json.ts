/** JSON with every digit of its numbers: those that JavaScript would round, or turn into `Infinity`, are kept as JSON or as text. */

/** The ECMAScript proposal "JSON.parse source text access": in Node since 21, not yet in TypeScript's library. */
interface ExactJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const exactJson = JSON as unknown as ExactJson;

/** Only these numbers can be inexact: sixteen digits or more, or an exponent of three digits. */
const MAY_BE_INEXACT = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** Such numbers, and what looks like one inside of a text. */
const CANDIDATES = /(?:^|[\s:,[])(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE][+-]?\d{3,}))(?=[\s,\]}]|$)/g;

const INTEGER = /^-?\d+$/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON for a request. Inexact numbers become raw numbers, which `JSON.stringify` writes unchanged; see `isExactNumber`.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parseRawNumbers(text: string): unknown {
  return mayHoldInexactNumber(text) ? parseNumbers(text, exactJson.rawJSON) : JSON.parse(text);
}

/**
 * Parses JSON for a reader. Inexact numbers become texts with their digits, which no client rounds; see `isExactNumber`.
 *
 * @throws {SyntaxError} if the text is not JSON.
 */
export function parseDigitsAsText(text: string): unknown {
  return mayHoldInexactNumber(text) ? parseNumbers(text, (source) => source) : JSON.parse(text);
}

function parseNumbers(text: string, read: (source: string) => unknown): unknown {
  return exactJson.parse(text, (_, member, { source }) =>
    typeof member === 'number' && source !== undefined && !isExactNumber(source) ? read(source) : member,
  );
}

/** False if JavaScript holds every number of a JSON text. May be true because of a text in it that looks like a number. */
export function mayHoldInexactNumber(text: string): boolean {
  if (!MAY_BE_INEXACT.test(text)) return false;
  for (const [, source = ''] of text.matchAll(CANDIDATES)) if (!isExactNumber(source)) return true;
  return false;
}

/**
 * True if a number in JSON syntax keeps its value as a number of JavaScript, also in clients that cannot tell integers beyond 2^53 apart:
 * an integer of up to 9007199254740991, or a decimal that JavaScript writes with the same value.
 */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  if (INTEGER.test(source)) return Number.isSafeInteger(value);
  return compareNumbers(source, String(value)) === 0;
}

/** The text of a raw number, or undefined for any other value. */
export function rawNumber(value: unknown): string | undefined {
  return exactJson.isRawJSON(value) ? JSON.stringify(value) : undefined;
}

/** A number that `JSON.stringify` writes with exactly these digits. @throws {SyntaxError} if the text is no number in JSON syntax. */
export function toRawNumber(digits: string): object {
  return exactJson.rawJSON(digits);
}

/** Copies a value, with texts in place of raw numbers. Returns the value itself if it holds none. */
export function rawNumbersAsText(value: unknown): unknown {
  const text = rawNumber(value);
  if (text !== undefined) return text;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const copies = entries.map(([name, member]) => [name, rawNumbersAsText(member)] as const);
  if (copies.every(([, copy], index) => copy === entries[index]?.[1])) return value;
  return Array.isArray(value) ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}

/** True for a text in JSON's syntax of numbers. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text) && !/^-?0\d/.test(text);
}

/** The value 0.`digits` x 10^`exponent`. */
interface Decimal {
  /** -1, 0 or 1. */
  readonly sign: number;
  /** Without zeros at its ends; empty for zero. */
  readonly digits: string;
  readonly exponent: number;
}

/** Compares the exact values of two numbers in JSON syntax. Negative: `a` is less. Zero: they are equal. */
export function compareNumbers(a: string, b: string): number {
  const [one, other] = [toDecimal(a), toDecimal(b)];
  if (one.sign !== other.sign) return one.sign - other.sign;
  if (one.exponent !== other.exponent) return one.exponent < other.exponent ? -one.sign : one.sign;
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -one.sign : one.sign;
}

/** Writes a number in JSON syntax so that equal values have one text. */
export function toNormalForm(text: string): string {
  const { sign, digits, exponent } = toDecimal(text);
  return `${sign}.${digits}e${exponent}`;
}

function toDecimal(text: string): Decimal {
  const [, minus = '', whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const all = whole + fraction;
  let start = 0;
  while (all[start] === '0') start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return { sign: 0, digits: '', exponent: 0 };
  return { sign: minus === '' ? 1 : -1, digits: all.slice(start, end), exponent: whole.length - start + Number(power) };
}

/** Returns a number in JSON syntax as an integer, and how many of its digits are decimals. */
export function toUnits(text: string): [units: bigint, scale: number] {
  const [number = '', power = '0'] = text.toLowerCase().split('e');
  const [integerDigits = '', fraction = ''] = number.split('.');
  const scale = fraction.length - Number(power);
  const units = BigInt(integerDigits + fraction);
  return scale < 0 ? [units * 10n ** BigInt(-scale), 0] : [units, scale];
}
