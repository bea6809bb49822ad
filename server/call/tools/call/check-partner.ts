/** Stage `partner`: whether the user's partner allows this call. */

import { describeSuspension } from '../../../base/principal/suspension.ts';
import type { Call } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** The partner must not be suspended, and must still offer the service. */
export function checkPartner({ principal, entry }: Call): Ending | null {
  const suspended = checkSuspension({ principal });
  if (suspended !== null) return suspended;
  const { partnerName, offered } = principal;
  const { name, title } = entry.connector;
  if (offered?.includes(name) ?? true) return null;
  return refuse('not_offered', {
    message: `${partnerName} does not offer ${title}, so its tools cannot be called.`,
    advice: `Calling again will not help: the user can ask ${partnerName} about it.`,
  });
}

/** The partner must not be suspended. */
export function checkSuspension({ principal }: Pick<Call, 'principal'>): Ending | null {
  if (!principal.isSuspended) return null;
  const { text, advice } = describeSuspension(principal.partnerName);
  return refuse('partner_suspended', { message: text, advice: `Calling again will not help now. ${advice}` });
}
