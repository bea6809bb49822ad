/** How long a fetched metadata document is fresh. */

const SECOND_MS = 1000;
const MIN_FRESH_MS = 60 * SECOND_MS;
const MAX_FRESH_MS = 86_400 * SECOND_MS;
const DEFAULT_FRESH_MS = 3600 * SECOND_MS;

/**
 * Milliseconds for which a response is fresh (RFC 9111 §4.2.1): at least a minute, so that all steps of a sign-in see one
 * document; at most a day, so that a removed redirect URI stops working; an hour when the response does not say.
 */
export function freshnessOf(header: (name: string) => string | null, now: number): number {
  const control = header('cache-control')?.toLowerCase() ?? '';
  if (/(?:^|,)\s*(?:no-store|no-cache)\b/.test(control)) return MIN_FRESH_MS;
  const [, maxAge] = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})\b/.exec(control) ?? [];
  if (maxAge !== undefined) return bounded((Number(maxAge) - ageOf(header)) * SECOND_MS);
  const expires = header('expires');
  if (expires === null) return DEFAULT_FRESH_MS;
  const expiresAt = Date.parse(expires);
  return Number.isNaN(expiresAt) ? MIN_FRESH_MS : bounded(expiresAt - now);
}

function ageOf(header: (name: string) => string | null): number {
  const age = header('age') ?? '';
  return /^\d{1,10}$/.test(age) ? Number(age) : 0;
}

function bounded(milliseconds: number): number {
  return Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, milliseconds));
}
