/** Times in queries and responses of the partner API. */

import type { TimeSpan } from '../base/store/reports/call-statistics.ts';
import { invalid } from './grants.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** A day (UTC) as on the wire, such as `2026-01-31`. @param time milliseconds since 1970. */
export function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Reads `since` and `until`: days, or with `time` also times (RFC 3339). A day means its start (UTC).
 *
 * @param fallback for a time that is not given.
 * @throws {RequestError} `invalid_request`, status 400.
 */
export function readSpan(query: URLSearchParams, fallback: TimeSpan, precision: 'day' | 'time'): TimeSpan {
  const read = (name: 'since' | 'until'): number => {
    const text = query.get(name);
    if (text === null) return fallback[name];
    const time = DATE.test(text) || (precision === 'time' && DATE_TIME.test(text)) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    const example = precision === 'day' ? 'a day' : 'a day or an RFC 3339 time';
    throw invalid(`${name} must be ${example}, such as 2026-01-31${precision === 'day' ? '' : 'T12:00:00Z'}.`);
  };
  const span = { since: read('since'), until: read('until') };
  if (span.since >= span.until) throw invalid('since must be before until.');
  return span;
}
