/** Access tokens, stored by hash. The request path reads them through `Store.findAccessToken` instead. */

import { columns, columnsOf, hasRow, newId, type Row, toList, toOptionalList, toRow } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

/** The stored properties of an access token that is about to be issued. */
export interface NewAccessToken {
  /** Keyed hash of the token (`hashSecret`). */
  readonly tokenHash: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Null if it covers every service that the user has connected, now or later. */
  readonly services: readonly string[] | null;
  /** Resource indicator (RFC 8707). */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The grant that the token is revoked with. Default: none. */
  readonly grantId?: string;
}

const TOKEN = columnsOf(CORE_TABLES.tables.access_tokens);

/** Adds an access token unless it exists already. @returns the row id of a new one, which is safe to log. */
export async function insertAccessToken(executor: Executor, token: NewAccessToken): Promise<string> {
  const id = newId(token.now);
  const lists = { scopes: token.scopes.join(' '), services: token.services?.join(',') ?? null };
  await executor
    .insertInto('access_tokens')
    .values(toRow(TOKEN, { id, ...token, ...lists, createdAt: token.now }))
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .execute();
  return id;
}

/** Revokes an access token at once. @returns false if there is no such token or it was already revoked. */
export async function revokeAccessToken(executor: Executor, id: string, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('access_tokens')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id'),
  );
}

/** Gives the access tokens of a grant these scopes. Needs a transaction with the change of the grant. */
export async function setScopesOfTokens(executor: Executor, grantId: string, scopes: readonly string[]): Promise<void> {
  await executor
    .updateTable('access_tokens')
    .set({ scopes: scopes.join(' ') })
    .where('grant_id', '=', grantId)
    .execute();
}

/** Records when an access token was first used. Later calls change nothing. */
export async function markAccessTokenUsed(executor: Executor, id: string, now: number): Promise<void> {
  await executor
    .updateTable('access_tokens')
    .set({ first_used_at: now })
    .where('id', '=', id)
    .where('first_used_at', 'is', null)
    .execute();
}

/** Finds an access token whether or not it is still valid. */
export async function findAccessTokenByHash(
  executor: Executor,
  tokenHash: string,
): Promise<Row<'access_tokens', typeof TOKEN> | undefined> {
  return executor.selectFrom('access_tokens').select(TOKEN).where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** A stored access token with its grant and client; `revokedAt` is when the token or its grant was revoked. */
export type FoundUserToken = Awaited<ReturnType<typeof listUserTokens>>[number];

/** A user's stored access tokens, newest first. */
export async function listUserTokens(executor: Executor, userId: string, limit: number) {
  const rows = await executor
    .selectFrom('access_tokens as t')
    .leftJoin('oauth_grants as g', 'g.id', 't.grant_id')
    .leftJoin('oauth_clients as c', 'c.client_id', 'g.client_id')
    .select([
      ...columns(
        't.id',
        't.token_hash',
        't.scopes',
        't.services',
        't.resource',
        't.created_at',
        't.expires_at',
        't.revoked_at',
      ),
      ...columns('t.grant_id', 'g.permission', 'c.client_id', 'c.client_name'),
      'g.revoked_at as grantRevokedAt',
      'g.expires_at as grantExpiresAt',
    ])
    .where('t.user_id', '=', userId)
    .orderBy('t.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ grantRevokedAt, ...row }) => ({
    ...row,
    scopes: toList(row.scopes, ' '),
    services: toOptionalList(row.services),
    revokedAt: row.revokedAt ?? grantRevokedAt,
  }));
}
