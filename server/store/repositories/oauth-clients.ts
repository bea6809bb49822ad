/** OAuth clients that registered themselves (RFC 7591). */

import type { ApplicationType, ClientAuthenticationMethod, Executor } from '../schema.ts';

export interface OAuthClient {
  readonly clientId: string;
  /** As the client calls itself; nobody has verified it. */
  readonly clientName: string | null;
  /** At least one. */
  readonly redirectUris: readonly string[];
  readonly applicationType: ApplicationType;
  /** True for a client that has a secret. */
  readonly confidential: boolean;
  /** SHA-256 of the secret as base64url; null for a public client. */
  readonly secretHash: string | null;
}

/** A registration to keep. */
export interface NewOAuthClient extends Omit<OAuthClient, 'confidential'> {
  readonly authenticationMethod: ClientAuthenticationMethod;
  /** The other registered members, as they are on the wire. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export async function insertClient(executor: Executor, client: NewOAuthClient): Promise<void> {
  await executor
    .insertInto('oauth_clients')
    .values({
      client_id: client.clientId,
      secret_hash: client.secretHash,
      authentication_method: client.authenticationMethod,
      application_type: client.applicationType,
      client_name: client.clientName,
      redirect_uris: JSON.stringify(client.redirectUris),
      metadata: JSON.stringify(client.metadata),
      created_at: client.now,
      first_used_at: null,
    })
    .execute();
}

/** Any text may be asked for: one that no client id can be finds nothing. */
export async function findClient(executor: Executor, clientId: string): Promise<OAuthClient | undefined> {
  if (clientId.includes('\0')) return undefined;
  const row = await executor
    .selectFrom('oauth_clients')
    .select([
      'client_id as clientId',
      'client_name as clientName',
      'redirect_uris as redirectUris',
      'application_type as applicationType',
      'secret_hash as secretHash',
    ])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && { ...row, redirectUris: JSON.parse(row.redirectUris), confidential: row.secretHash !== null };
}

/**
 * Marks a client as used, which keeps its registration.
 *
 * In a transaction it also keeps the row from being purged until the transaction ends.
 *
 * @returns false when there is no such client, for example because its registration has just expired.
 */
export async function markClientUsed(executor: Executor, clientId: string, now: number): Promise<boolean> {
  const used = await executor
    .updateTable('oauth_clients')
    .set((row) => ({ first_used_at: row.fn.coalesce('first_used_at', row.val(now)) }))
    .where('client_id', '=', clientId)
    .returning('client_id')
    .executeTakeFirst();
  return used !== undefined;
}
