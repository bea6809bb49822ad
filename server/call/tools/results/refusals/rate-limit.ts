/** Reads from the headers of an answer which upstream limit was reached, and when it resets. */

import type { RateLimitHeaders } from '../../../../contract/index.ts';

/** The limit that was reached. */
export interface ReachedLimit {
  /** Whether it is a limit of a day or a month. */
  readonly quota: boolean;
  /** Seconds until it resets, at least 1; null if no header says. */
  readonly seconds: number | null;
}

/** Reads one header. @param name lower case. */
type ReadHeader = (name: string) => string | null;

/**
 * Finds the limit that refused a call: an exhausted quota, else the exhausted limit that resets last. If no header says
 * what is left, any limit with a reset header may be the one, and a short limit is assumed before a quota.
 *
 * @param now milliseconds since 1970. @returns null if no header says anything.
 */
export function findReachedLimit(
  limits: readonly RateLimitHeaders[],
  header: ReadHeader,
  now: number,
): ReachedLimit | null {
  const read = limits.map(({ remaining, reset, quota }) => ({
    left: remaining === undefined ? null : readNumber(header(remaining)),
    seconds: reset === undefined ? null : readReset(header(reset), now),
    quota: quota === true,
  }));
  const empty = read.filter(({ left }) => left !== null && left <= 0);
  const unknown = read.filter(({ left, seconds }) => left === null && seconds !== null);
  const quota = empty.find((limit) => limit.quota) ?? (empty.length === 0 ? onlyQuota(unknown) : undefined);
  if (quota !== undefined) return { quota: true, seconds: quota.seconds };
  const reached = empty.length > 0 ? empty : unknown.filter((limit) => !limit.quota);
  const waits = reached.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]));
  return reached.length === 0 ? null : { quota: false, seconds: waits.length === 0 ? null : Math.max(...waits) };
}

function onlyQuota<Limit extends { readonly quota: boolean }>(limits: readonly Limit[]): Limit | undefined {
  return limits.every(({ quota }) => quota) ? limits[0] : undefined;
}

function readNumber(value: string | null): number | null {
  const text = value?.trim() ?? '';
  return /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** Larger numbers are times, in seconds or milliseconds since 1970, because no reset is 31 years away. */
const FIRST_TIME_SECONDS = 1e9;
const FIRST_TIME_MS = 1e12;

/** @returns seconds from now, at least 1; null if the value is missing or unreadable. */
function readReset(value: string | null, now: number): number | null {
  if (value === null) return null;
  const number = readNumber(value);
  if (number !== null && number < FIRST_TIME_SECONDS) return Math.max(1, Math.ceil(number));
  const time = number === null ? Date.parse(value) : number < FIRST_TIME_MS ? number * 1000 : number;
  return Number.isNaN(time) ? null : Math.max(1, Math.ceil((time - now) / 1000));
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Formats a duration in the largest unit that fits at least twice: "12 days". */
export function describeSeconds(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1];
  const count = Math.round(seconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
