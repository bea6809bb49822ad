/** One user of a partner: lists its connections, and removes it. */

import { RequestError } from '../base/http/errors.ts';
import { listConnections } from '../base/store/repositories/connections.ts';
import { findUser, type User } from '../base/store/repositories/users.ts';
import type { CredentialType, Executor } from '../base/store/schema.ts';
import { forgetUser } from '../identity/partners/forget-user.ts';
import type { ManagementEvent } from '../identity/partners/manage.ts';

/** The partner's name for a user. */
export interface UserKey {
  /** Row id. */
  readonly partnerId: string;
  readonly externalUserId: string;
}

/** A connection, as on the wire. Times are RFC 3339. */
interface ConnectionView {
  readonly id: string;
  readonly service: string;
  readonly title: string;
  /** `attention`: the service refused the credential, and the user must connect it again. */
  readonly status: 'active' | 'attention';
  /** Null: unknown. */
  readonly credential: CredentialType | null;
  /** The connected account, in the upstream's own text; null: unknown. */
  readonly account: string | null;
  readonly connected_at: string;
  readonly updated_at: string;
}

/** Connections by service; empty for a user that never connected anything. */
export async function listUserConnections(
  executor: Executor,
  key: UserKey,
  titles: ReadonlyMap<string, string>,
): Promise<ConnectionView[]> {
  const user = await findUser(executor, key);
  const connections = user === undefined ? [] : await listConnections(executor, user.id);
  return connections.map(({ id, service, status, credentialType, account, createdAt, updatedAt }) => ({
    id,
    service,
    title: titles.get(service) ?? service,
    status,
    credential: credentialType,
    account,
    connected_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }));
}

/** The user of that name. @throws {RequestError} `not_found`, status 404, also for another partner's user. */
export async function requireUser(executor: Executor, key: UserKey): Promise<User> {
  const user = await findUser(executor, key);
  if (user === undefined) throw new RequestError(404, 'not_found', 'There is no such user_id.');
  return user;
}

/** Removes a user with all its data; see `forgetUser`. Needs a transaction. @returns false when there is none. */
export async function removeUser(transaction: Executor, key: UserKey, event: ManagementEvent): Promise<boolean> {
  const user = await findUser(transaction, key);
  return user !== undefined && forgetUser(transaction, user, event);
}
