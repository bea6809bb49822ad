/** Marks a connection whose credential an upstream refused: it needs attention until it is replaced. */

import { emit } from '../store/events.ts';
import { markConnectionRefused } from '../store/repositories/connections.ts';
import type { Executor } from '../store/schema.ts';

/** A connection as it was used when its credential was refused. */
export interface LostCredential {
  readonly connectionId: string;
  /** Time of the connection that was used. A connection that was replaced since then stays as it is. */
  readonly updatedAt: number;
  readonly partnerId: string;
  readonly userId: string;
  readonly service: string;
}

/** Marks the connection and writes its events. Needs a transaction. @returns false if it was replaced or marked meanwhile. */
export async function markLostCredential(transaction: Executor, lost: LostCredential, now: number): Promise<boolean> {
  const { connectionId, updatedAt, partnerId, userId, service } = lost;
  if (!(await markConnectionRefused(transaction, { id: connectionId, updatedAt, now }))) return false;
  await emit(transaction, {
    type: 'connection_needs_attention',
    now,
    partnerId,
    userId,
    service,
    connectionId,
    reason: 'credential_refused',
    details: { service, connectionId },
  });
  return true;
}
