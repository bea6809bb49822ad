/** Reads `Retry-After` (RFC 9110 §10.2.3). */

/**
 * Seconds to wait, from a number of seconds or an HTTP date.
 *
 * @param now milliseconds since 1970.
 * @returns null when the header is absent or unreadable; a date in the past is 0.
 */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, Math.ceil((time - now) / 1000));
}
