/** Refusals for what the store could not do through no fault of the gateway. */

import { isForeignKeyViolation } from '../../store/conflicts.ts';
import { RequestError } from '../errors.ts';

/** What the caller of a request may know whose store failed: `not_found` (404) for what was removed meanwhile; null for a defect. */
export function toStoreRefusal(cause: unknown): RequestError | null {
  if (!isForeignKeyViolation(cause)) return null;
  return new RequestError(404, 'not_found', 'What this request is about was removed meanwhile.', { cause });
}
