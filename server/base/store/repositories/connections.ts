/** Connections: one user's authorized link to an upstream, at most one per user and service. */

import { columns, hasRow, newId, type Row } from '../rows.ts';
import type { CredentialType, Executor } from '../schema.ts';

const CONNECTION = columns(
  'id',
  'user_id',
  'service',
  'status',
  'sealed_credential',
  'created_at',
  'updated_at',
  'account',
  'credential_type',
);

export type Connection = Row<'connections', typeof CONNECTION>;

export async function findConnection(
  executor: Executor,
  userId: string,
  service: string,
): Promise<Connection | undefined> {
  return executor
    .selectFrom('connections')
    .select(CONNECTION)
    .where('user_id', '=', userId)
    .where('service', '=', service)
    .executeTakeFirst();
}

/** All connections of a user, by service. */
export async function listConnections(executor: Executor, userId: string): Promise<Connection[]> {
  return executor
    .selectFrom('connections')
    .select(CONNECTION)
    .where('user_id', '=', userId)
    .orderBy('service')
    .execute();
}

/**
 * Connects a user to a service, or replaces the credential of an existing connection. The connection is then active,
 * and its account is not known.
 *
 * Safe with concurrent callers, and while the connection is removed: a credential is stored only in the row that it was
 * sealed for, and a row id is never inserted again.
 *
 * @param connection.seal seals the credential for the row's id; null for an open service.
 * @returns the row id.
 */
export async function putConnection(
  executor: Executor,
  connection: {
    userId: string;
    service: string;
    credentialType?: CredentialType;
    now: number;
    /** Default false. */
    hasRefreshToken?: boolean;
    seal(connectionId: string): string | null;
  },
): Promise<string> {
  const { userId, service, credentialType = null, now, hasRefreshToken = false } = connection;
  const existing = await findConnection(executor, userId, service);
  const id = existing?.id ?? newId(now);
  const credential = { sealed_credential: connection.seal(id), credential_type: credentialType, account: null };
  const times = { updated_at: now, refreshed_at: hasRefreshToken ? now : null };
  const change = { status: 'active', ...credential, ...times } as const;
  const saved =
    existing === undefined
      ? await executor
          .insertInto('connections')
          .values({ id, user_id: userId, service, created_at: now, ...change })
          .onConflict((conflict) => conflict.columns(['user_id', 'service']).doNothing())
          .returning('id')
          .executeTakeFirst()
      : await executor.updateTable('connections').set(change).where('id', '=', id).returning('id').executeTakeFirst();
  return saved?.id ?? putConnection(executor, connection);
}

/** Stores the upstream account. @param connection as it was read; nothing changes if it was replaced since. */
export async function setConnectionAccount(
  executor: Executor,
  { id, updatedAt }: Pick<Connection, 'id' | 'updatedAt'>,
  account: string,
): Promise<void> {
  await executor
    .updateTable('connections')
    .set({ account })
    .where('id', '=', id)
    .where('updated_at', '=', updatedAt)
    .execute();
}

/**
 * Marks an active connection whose credential was refused.
 *
 * @param refused.updatedAt of the connection that was used; nothing changes if it was replaced since.
 * @returns false if it was replaced, removed or marked meanwhile.
 */
export async function markConnectionRefused(
  executor: Executor,
  refused: { id: string; updatedAt: number; now: number },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('connections')
      .set({ status: 'attention', updated_at: refused.now })
      .where('id', '=', refused.id)
      .where('status', '=', 'active')
      .where('updated_at', '=', refused.updatedAt)
      .returning('id'),
  );
}

export async function deleteConnection(executor: Executor, userId: string, service: string): Promise<boolean> {
  return hasRow(
    executor.deleteFrom('connections').where('user_id', '=', userId).where('service', '=', service).returning('id'),
  );
}
