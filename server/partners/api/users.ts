/** One user of a partner: what is connected, and how it ends. */

import { recordAuditEvent } from '../../store/repositories/audit-events.ts';
import { deleteAttemptsOfUser } from '../../store/repositories/connection-attempts.ts';
import { deleteConnection, listConnections } from '../../store/repositories/connections.ts';
import { findUser, keepUser } from '../../store/repositories/users.ts';
import type { Executor } from '../../store/schema.ts';
import { forgetUser } from '../forget-user.ts';
import type { ManagementEvent } from '../manage.ts';

/** A user as its partner names it. */
interface UserKey {
  /** Row id. */
  readonly partnerId: string;
  readonly externalUserId: string;
}

/** A connection, as on the wire. Times are RFC 3339. */
interface ConnectionView {
  readonly service: string;
  readonly title: string;
  /** `attention`: the service refused the credential, and the user must connect it again. */
  readonly status: 'active' | 'attention';
  readonly connected_at: string;
  readonly updated_at: string;
}

/** What is connected, by service; nothing for a user that never connected anything. */
export async function listUserConnections(
  executor: Executor,
  key: UserKey,
  titles: ReadonlyMap<string, string>,
): Promise<ConnectionView[]> {
  const user = await findUser(executor, key);
  const connections = user === undefined ? [] : await listConnections(executor, user.id);
  return connections.map(({ service, status, createdAt, updatedAt }) => ({
    service,
    title: titles.get(service) ?? service,
    status,
    connected_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }));
}

/** Removes one connection with its credential: its tools are gone at once. Needs a transaction. @returns false where there is none. */
export async function removeUserConnection(
  transaction: Executor,
  connection: UserKey & { service: string },
  event: ManagementEvent,
): Promise<boolean> {
  const user = await keepUser(transaction, connection);
  if (user === undefined) return false;
  const { service, partnerId } = connection;
  await deleteAttemptsOfUser(transaction, connection);
  if (!(await deleteConnection(transaction, user.id, service))) return false;
  const details = { service, by: 'partner' };
  await recordAuditEvent(transaction, { type: 'connection_removed', partnerId, userId: user.id, details, ...event });
  return true;
}

/** Removes a user with everything of it; see `forgetUser`. Needs a transaction. @returns false where there is none. */
export async function removeUser(transaction: Executor, key: UserKey, event: ManagementEvent): Promise<boolean> {
  const user = await findUser(transaction, key);
  return user !== undefined && forgetUser(transaction, user, event);
}
