/** Reads registered OAuth clients with what was granted to them, for operators. */

import { sql } from 'kysely';
import { contains } from '../contains.ts';
import type { Executor } from '../schema.ts';

interface ListedClient {
  readonly clientId: string;
  readonly clientName: string | null;
  readonly redirectUris: readonly string[];
  readonly confidential: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When a user first allowed the client something, or null. */
  readonly firstUsedAt: number | null;
  /** Grants that are neither revoked nor over. */
  readonly liveGrants: number;
}

/** The `limit` youngest clients, those registered before `before` (a time in milliseconds) where it is given. */
export async function listClients(
  executor: Executor,
  options: { now: number; limit: number; before?: number; text?: string },
): Promise<ListedClient[]> {
  let query = executor
    .selectFrom('oauth_clients as c')
    .select([
      'c.client_id as clientId',
      'c.client_name as clientName',
      'c.redirect_uris as redirectUris',
      'c.authentication_method as authenticationMethod',
      'c.created_at as createdAt',
      'c.first_used_at as firstUsedAt',
      sql<number>`(select count(*) from oauth_grants g
        where g.client_id = c.client_id and g.revoked_at is null and g.expires_at > ${options.now})`.as('liveGrants'),
    ])
    .orderBy('c.created_at', 'desc')
    .orderBy('c.client_id')
    .limit(options.limit);
  if (options.before !== undefined) query = query.where('c.created_at', '<', options.before);
  if (options.text !== undefined) {
    const { text } = options;
    const columns = ['c.client_id', 'c.client_name', 'c.redirect_uris'];
    query = query.where(({ or }) => or(columns.map((column) => contains(column, text))));
  }
  const rows = await query.execute();
  return rows.map(({ authenticationMethod, ...row }) => ({
    ...row,
    redirectUris: JSON.parse(row.redirectUris),
    confidential: authenticationMethod !== 'none',
    liveGrants: Number(row.liveGrants),
  }));
}

/** Removes a client with its grants and their tokens, which are revoked at once. @returns false when there is none. */
export async function deleteClient(executor: Executor, clientId: string): Promise<boolean> {
  const removed = await executor
    .deleteFrom('oauth_clients')
    .where('client_id', '=', clientId)
    .returning('client_id')
    .executeTakeFirst();
  return removed !== undefined;
}
