/** Clients that act for one user, as partners register and remove them. */

import { randomBytes } from 'node:crypto';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { defineEvents } from '../../base/store/events.ts';
import { insertClient, type NewOAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import { revokeGrantsOf } from '../../base/store/repositories/oauth-grants.ts';
import { keepUser, lockUser, type User } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import { defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';
import type { ManagementEvent } from '../../identity/partners/manage.ts';

export const USER_CLIENT_TABLES = defineTables('client-credentials', {
  user_clients: {
    columns: {
      client_id: 'text primary key references oauth_clients (client_id) on delete cascade',
      user_id: 'text not null references users (id) on delete cascade',
    },
    indexes: {
      user_clients_by_user: '(user_id)',
    },
  },
});

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof USER_CLIENT_TABLES> {}
}

export const USER_CLIENT_EVENTS = defineEvents('client-credentials', {
  user_client_added: 'A partner registered a client for one user.',
  user_client_removed: 'A partner removed a client for one user.',
});

/** Largest number of clients of one user. A client that the user does not allow within a day is removed, as any registration is. */
export const MAX_CLIENTS_PER_USER = 20;

/** Finds the user that a client acts for. */
export async function findUserClient(executor: Executor, clientId: string): Promise<{ userId: string } | undefined> {
  const query = executor.selectFrom('user_clients').select('user_id as userId').where('client_id', '=', clientId);
  return query.executeTakeFirst();
}

/** Lists the ids of a user's clients. */
export async function listUserClients(executor: Executor, userId: string): Promise<string[]> {
  const query = executor.selectFrom('user_clients').select('client_id as clientId').where('user_id', '=', userId);
  return (await query.orderBy('client_id').execute()).map(({ clientId }) => clientId);
}

/** The metadata with which a client is registered. Its id and secret are created. */
type ClientMetadata = Omit<NewOAuthClient, 'clientId' | 'secretHash' | 'now'>;

/**
 * Registers a client for a user. The client has no access until the user allows it, which must happen within a day. Needs a transaction.
 *
 * @returns its id and secret, which is null for a client with keys; or null when the user has `MAX_CLIENTS_PER_USER`, or was removed meanwhile.
 */
export async function addUserClient(
  transaction: Executor,
  owner: User,
  metadata: ClientMetadata,
  event: ManagementEvent,
): Promise<{ clientId: string; secret: string | null } | null> {
  if ((await keepUser(transaction, owner)) === undefined) return null;
  await lockUser(transaction, owner.id);
  if ((await listUserClients(transaction, owner.id)).length >= MAX_CLIENTS_PER_USER) return null;
  const clientId = `client-${randomBytes(16).toString('base64url')}`;
  const secret = metadata.authenticationMethod === 'private_key_jwt' ? null : createSecret('clientSecret');
  const secretHash = secret === null ? null : hashSecret(transaction, secret);
  const { now } = event;
  await insertClient(transaction, { ...metadata, clientId, secretHash, now });
  await transaction.insertInto('user_clients').values({ client_id: clientId, user_id: owner.id }).execute();
  const names = { partnerId: owner.partnerId, userId: owner.id, clientId };
  await USER_CLIENT_EVENTS.emit(transaction, { type: 'user_client_added', ...names, ...event });
  return { clientId, secret };
}

/** Removes a client with its grants and their tokens. Needs a transaction. @returns false if the user has no such client. */
export async function removeUserClient(
  transaction: Executor,
  owner: User,
  clientId: string,
  event: ManagementEvent,
): Promise<boolean> {
  const bound = clientId.includes('\0') ? undefined : await findUserClient(transaction, clientId);
  if (bound?.userId !== owner.id) return false;
  const end = { reason: 'revoked-by-partner', now: event.now } as const;
  await revokeGrantsOf(transaction, { column: 'client_id', value: clientId }, end);
  await transaction.deleteFrom('oauth_clients').where('client_id', '=', clientId).execute();
  const names = { partnerId: owner.partnerId, userId: owner.id, clientId };
  await USER_CLIENT_EVENTS.emit(transaction, { type: 'user_client_removed', ...names, ...event });
  return true;
}
