/** Connections: one user's authorized link to an upstream, at most one per user and service. */

import { newId } from '../ids.ts';
import type { ConnectionStatus, Executor } from '../schema.ts';

export interface Connection {
  readonly id: string;
  readonly userId: string;
  /** Connector name. */
  readonly service: string;
  readonly status: ConnectionStatus;
  /** What `CredentialVault.open` reads with this connection's id; null for open services. */
  readonly sealedCredential: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

const COLUMNS = [
  'id',
  'user_id as userId',
  'service',
  'status',
  'sealed_credential as sealedCredential',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

export async function findConnection(
  executor: Executor,
  userId: string,
  service: string,
): Promise<Connection | undefined> {
  return executor
    .selectFrom('connections')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('service', '=', service)
    .executeTakeFirst();
}

/** All connections of a user, by service. */
export async function listConnections(executor: Executor, userId: string): Promise<Connection[]> {
  return executor.selectFrom('connections').select(COLUMNS).where('user_id', '=', userId).orderBy('service').execute();
}

/**
 * Returns the connection of that user and service, made now as `pending` without a credential if there was none.
 *
 * Safe when several callers do so at once. The credential follows in a second step, because it is sealed for the row's id.
 */
export async function ensureConnection(
  executor: Executor,
  connection: { userId: string; service: string; now: number },
): Promise<Connection> {
  await executor
    .insertInto('connections')
    .values({
      id: newId(connection.now),
      user_id: connection.userId,
      service: connection.service,
      status: 'pending',
      sealed_credential: null,
      created_at: connection.now,
      updated_at: connection.now,
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'service']).doNothing())
    .execute();
  return executor
    .selectFrom('connections')
    .select(COLUMNS)
    .where('user_id', '=', connection.userId)
    .where('service', '=', connection.service)
    .executeTakeFirstOrThrow();
}

/** Writes the credential and the status together, so that no reader sees one without the other. */
export async function updateConnection(
  executor: Executor,
  id: string,
  change: { sealedCredential: string | null; status: ConnectionStatus; now: number },
): Promise<void> {
  await executor
    .updateTable('connections')
    .set({ sealed_credential: change.sealedCredential, status: change.status, updated_at: change.now })
    .where('id', '=', id)
    .execute();
}

/**
 * Moves a connection from one status to another.
 *
 * @returns false when it no longer had the status `from`, for example because the user connected again meanwhile.
 */
export async function changeConnectionStatus(
  executor: Executor,
  id: string,
  change: { from: ConnectionStatus; to: ConnectionStatus; now: number },
): Promise<boolean> {
  const changed = await executor
    .updateTable('connections')
    .set({ status: change.to, updated_at: change.now })
    .where('id', '=', id)
    .where('status', '=', change.from)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/**
 * Marks an active connection whose credential was refused.
 *
 * @param refused.updatedAt of the connection that was used: one that was replaced since then stays as it is.
 * @returns false when it was replaced, removed or marked meanwhile.
 */
export async function markConnectionRefused(
  executor: Executor,
  refused: { id: string; updatedAt: number; now: number },
): Promise<boolean> {
  const changed = await executor
    .updateTable('connections')
    .set({ status: 'attention', updated_at: refused.now })
    .where('id', '=', refused.id)
    .where('status', '=', 'active')
    .where('updated_at', '=', refused.updatedAt)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

export async function deleteConnection(executor: Executor, userId: string, service: string): Promise<boolean> {
  const removed = await executor
    .deleteFrom('connections')
    .where('user_id', '=', userId)
    .where('service', '=', service)
    .returning('id')
    .executeTakeFirst();
  return removed !== undefined;
}
