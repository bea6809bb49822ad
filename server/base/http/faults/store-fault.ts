/** Refusals for failures of the store that neither the request nor the gateway caused. */

import { isForeignKeyViolation } from '../../store/conflicts.ts';
import { isStoreOutage } from '../../store/outage.ts';
import { RequestError } from '../errors.ts';

/** Long enough for a database failover, short enough for a waiting person. */
const RETRY_AFTER_SECONDS = 5;

/**
 * What the caller may know when the store failed.
 *
 * `temporarily_unavailable` (503 with `Retry-After`; RFC 6749 §4.1.2.1) for an outage: OAuth clients treat a 500 as the end of the
 * session and ask their user to sign in. `not_found` (404) for a row that was removed meanwhile. Null for a defect.
 */
export function toStoreRefusal(cause: unknown): RequestError | null {
  if (isForeignKeyViolation(cause)) {
    return new RequestError(404, 'not_found', 'What this request refers to was removed in the meantime.', { cause });
  }
  if (!isStoreOutage(cause)) return null;
  const description = `The gateway cannot reach its database. Try again in ${RETRY_AFTER_SECONDS} seconds.`;
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' };
  return new RequestError(503, 'temporarily_unavailable', description, { headers, cause });
}
