/** Compares values as models mean them: numbers, dates of any precision, and texts. */

import { compareNumbers, isExactNumber } from '../../../../shared/exact-json.ts';
import { unwrapRawNumber } from './items.ts';

/** A period of time: milliseconds since 1970 of its beginning and of its end. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** A value to compare with, read once. */
interface Bound {
  readonly value: Scalar;
  readonly period: Period | null;
  readonly number: Numeric | null;
}

/** A number of JavaScript, or the digits of a number that JavaScript would round. */
export type Numeric = number | string;

/** RFC 3339, also without seconds, a zone (UTC) or a time; or only a month. */
const DATE =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?)?$/;
/** Longer ones are texts. */
const NUMBER = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{3})?$/;
const LONGEST_DATE = 40;
/** Numbers of a date below it are seconds since 1970, others milliseconds. It is the year 5138 in seconds, and March 1973 in milliseconds. */
const MILLISECONDS_FROM = 1e11;
/** Numbers below it may be years. */
const YEARS = 10_000;

/** Returns the time that a text names, or null if it is no date. */
export function periodOf(text: string): Period | null {
  if (text.length > LONGEST_DATE) return null;
  const match = DATE.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const utcWithOffset = (monthOffset: number, dayOffset: number) =>
    Date.UTC(Number(year), Number(month) - 1 + monthOffset, Number(day ?? 1) + dayOffset);
  const start = new Date(utcWithOffset(0, 0));
  const isValidDate = start.getUTCMonth() === Number(month) - 1 && start.getUTCDate() === Number(day ?? 1);
  if (!isValidDate || Number(hour ?? 0) > 24 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 60) return null;
  if (day === undefined) return { from: utcWithOffset(0, 0), to: utcWithOffset(1, 0) - 1 };
  if (hour === undefined) return { from: utcWithOffset(0, 0), to: utcWithOffset(0, 1) - 1 };
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  const moment = utcWithOffset(0, 0) + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second ?? 0)) * 1000 + ms;
  const from = moment - offsetOf(zone);
  return { from, to: second === undefined ? from + 59_999 : from };
}

function offsetOf(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Reads a value to compare with. @param isDate whether four digits are a year. */
export function toBound(value: Scalar, isDate = false): Bound {
  const text = String(value);
  const year = isDate && /^\d{4}$/.test(text) ? { from: Date.UTC(+text, 0), to: Date.UTC(+text + 1, 0) - 1 } : null;
  return { value, period: year ?? (typeof value === 'string' ? periodOf(value) : null), number: numberOf(value) };
}

/** Returns the number of a value that is a number or the text of one, with all digits. Null for all other values. */
export function numberOf(rawValue: unknown): Numeric | null {
  const value = unwrapRawNumber(rawValue);
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !NUMBER.test(value)) return null;
  return isExactNumber(value) ? Number(value) : value;
}

/** The time of a value that is compared with a date: that of its text, or seconds or milliseconds since 1970. */
export function timeOf(rawValue: unknown): Period | null {
  const value = unwrapRawNumber(rawValue);
  if (typeof value === 'string') return periodOf(value);
  if (typeof value !== 'number') return null;
  const ms = Math.abs(value) < MILLISECONDS_FROM ? value * 1000 : value;
  return { from: ms, to: ms };
}

/** A value that can be compared. */
export type Scalar = string | number | boolean;

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The relation of a value to a bound. */
export type Relation = 'less' | 'more' | 'atLeast' | 'atMost';

/**
 * True if a value has the relation to a bound. False if they cannot be compared.
 *
 * A date without a time is the beginning of its day. As the bound of `atMost` it is the whole day. Texts that are neither numbers nor dates are
 * compared without case.
 */
export function isRelated(value: unknown, relation: Relation, bound: Bound): boolean {
  const { period, number, value: boundValue } = bound;
  const valueNumber = number === null ? null : numberOf(value);
  // A larger number next to a bound that is a year is a time since 1970.
  const isNumeric = period === null || Math.abs(Number(valueNumber)) < YEARS;
  if (valueNumber !== null && number !== null && isNumeric)
    return holds(compareNumerics(valueNumber, number), relation, 0);
  if (period !== null) {
    const time = timeOf(value);
    if (time === null) return false;
    return relation === 'atMost' ? time.from <= period.to : holds(time.from, relation, period.from);
  }
  if (typeof value !== 'string' || typeof boundValue !== 'string' || number !== null) return false;
  return holds(value.toLowerCase(), relation, boundValue.toLowerCase());
}

/** Negative: `a` is less. Compares exact values. */
function compareNumerics(a: Numeric, b: Numeric): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareNumbers(String(a), String(b));
}

function holds<Value extends string | number>(value: Value, relation: Relation, bound: Value): boolean {
  switch (relation) {
    case 'less':
      return value < bound;
    case 'more':
      return value > bound;
    case 'atLeast':
      return value >= bound;
    case 'atMost':
      return value <= bound;
  }
}

/** A value's place in an order of mixed values: numbers, then dates, then texts. Null if it has no place. */
export type Rank =
  | readonly [kind: 0, value: Numeric]
  | readonly [kind: 1, value: number]
  | readonly [kind: 2, value: string];

/** The rank of a value. */
export function rankOf(rawValue: unknown): Rank | null {
  const value = unwrapRawNumber(rawValue);
  const number = numberOf(value);
  if (number !== null) return [0, number];
  if (typeof value === 'boolean') return [0, Number(value)];
  if (typeof value !== 'string') return null;
  const time = periodOf(value);
  return time === null ? [2, value.toLowerCase()] : [1, time.from];
}

/** Negative: `a` comes first. */
export function compareRanks(a: Rank, b: Rank): number {
  if (a[0] !== b[0]) return a[0] - b[0];
  if (a[0] === 0) return compareNumerics(a[1], b[1]);
  if (a[1] === b[1]) return 0;
  return a[1] < b[1] ? -1 : 1;
}
