/** Stage `partner`: whether the user's partner may have this call made. */

import { describeSuspension } from '../../principal/suspension.ts';
import type { Call } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** The partner must not be suspended, and must still offer the service. */
export function checkPartner({ principal, entry }: Call): Ending | null {
  const { partnerName, offered, isSuspended } = principal;
  if (isSuspended) {
    const { text, advice } = describeSuspension(partnerName);
    return refuse('partner_suspended', { message: text, advice: `Calling again will not help now. ${advice}` });
  }
  const { name, title } = entry.connector;
  if (offered?.includes(name) ?? true) return null;
  return refuse('not_offered', {
    message: `${partnerName} does not offer ${title}, so its tools cannot be called.`,
    advice: `Calling again will not help: the user can ask ${partnerName} about it.`,
  });
}
