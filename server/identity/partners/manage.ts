/** An operator's changes to partners, with their audit events, for the dashboard and the command line. */

import { emit } from '../../base/store/events.ts';
import {
  insertPartner,
  type Partner,
  type PartnerSettings,
  updatePartner,
} from '../../base/store/repositories/partners.ts';
import type { Executor } from '../../base/store/schema.ts';
import { addPartnerSecret } from './secrets.ts';

/** Time and origin of a change. A change from the command line has no request. */
export interface ManagementEvent {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly address?: string | null;
  readonly requestId?: string | null;
}

/**
 * Adds a partner with its first secret, which is stored only as a hash. Needs a transaction.
 *
 * @throws the driver's unique violation when `clientId` is taken (see `isUniqueViolation`).
 */
export async function addPartner(
  transaction: Executor,
  partner: { clientId: string; name: string } & Partial<PartnerSettings>,
  event: ManagementEvent,
): Promise<{ partner: Partner; secret: string }> {
  const { now } = event;
  const added = await insertPartner(transaction, { ...partner, now });
  const details = { name: partner.name };
  await emit(transaction, { type: 'partner_added', partnerId: added.id, details, ...event });
  return { partner: added, secret: await addPartnerSecret(transaction, { partnerId: added.id, now }) };
}

/** Changes only the given settings. Needs a transaction. @returns false when there is no such partner. */
export async function changePartner(
  transaction: Executor,
  partnerId: string,
  changes: Partial<PartnerSettings>,
  event: ManagementEvent,
): Promise<boolean> {
  if (!(await updatePartner(transaction, partnerId, changes))) return false;
  const { approvals, callLimits } = changes;
  const details = { changed: Object.keys(changes).sort(), approvals, callLimits };
  await emit(transaction, { type: 'partner_changed', partnerId, details, ...event });
  return true;
}

/**
 * Issues another secret. The previous one stays valid until the next rotation, or is revoked at once with `endOthers`. Needs a
 * transaction.
 */
export async function rotatePartnerSecret(
  transaction: Executor,
  options: { partnerId: string; endOthers: boolean },
  event: ManagementEvent,
): Promise<string> {
  const { partnerId, endOthers } = options;
  const details = { endOthers };
  await emit(transaction, { type: 'partner_secret_added', partnerId, details, ...event });
  return addPartnerSecret(transaction, { partnerId, now: event.now, endOthers });
}
