/** OAuth clients: those that registered themselves (RFC 7591), and those that publish a metadata document. */

import type { ApplicationType, ClientAuthenticationMethod, Executor } from '../schema.ts';

export interface OAuthClient {
  /** For a client with a metadata document, its URL. */
  readonly clientId: string;
  /** As the client calls itself; no one has verified it. */
  readonly clientName: string | null;
  /** At least one. */
  readonly redirectUris: readonly string[];
  readonly applicationType: ApplicationType;
  readonly authenticationMethod: ClientAuthenticationMethod;
  /** True for a client that must authenticate at the token endpoint. */
  readonly confidential: boolean;
  /** SHA-256 of the secret as base64url; null for a client without one. */
  readonly secretHash: string | null;
  /** JSON Web Key Set; null: there is none, or it is at `jwksUri`. */
  readonly jwks: unknown;
  readonly jwksUri: string | null;
  /** When the metadata document was read; null: the client registered itself. */
  readonly document: ReadDocument | null;
  /** Whether a user ever granted the client access. */
  readonly wasAllowed: boolean;
}

/** When a metadata document was read, and when that expires, in milliseconds since 1970. */
interface ReadDocument {
  readonly fetchedAt: number;
  readonly expiresAt: number;
}

/** A client to store. */
export interface NewOAuthClient
  extends Omit<OAuthClient, 'confidential' | 'jwks' | 'jwksUri' | 'document' | 'wasAllowed'> {
  /** Default: none. */
  readonly jwks?: unknown;
  /** Default: none. */
  readonly jwksUri?: string | null;
  /** Default: the client registered itself. */
  readonly document?: ReadDocument;
  /** The network that registers it (see `siteOf`). Default: none, the client has a document. */
  readonly registeredFrom?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export async function insertClient(executor: Executor, client: NewOAuthClient): Promise<void> {
  await executor.insertInto('oauth_clients').values(toRow(client)).execute();
}

/** Stores the current content of a metadata document, replacing its earlier content. */
export async function saveDocumentClient(executor: Executor, client: NewOAuthClient): Promise<void> {
  const row = toRow(client);
  const { client_id, created_at, first_used_at, ...changes } = row;
  await executor
    .insertInto('oauth_clients')
    .values(row)
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet(changes))
    .execute();
}

/** Extends the stored content of a metadata document until `expiresAt`, because it cannot be read at present. */
export async function prolongDocument(executor: Executor, clientId: string, expiresAt: number): Promise<void> {
  await executor
    .updateTable('oauth_clients')
    .set({ document_expires_at: expiresAt })
    .where('client_id', '=', clientId)
    .execute();
}

function toRow(client: NewOAuthClient) {
  return {
    client_id: client.clientId,
    secret_hash: client.secretHash,
    authentication_method: client.authenticationMethod,
    application_type: client.applicationType,
    client_name: client.clientName,
    redirect_uris: JSON.stringify(client.redirectUris),
    created_at: client.now,
    first_used_at: null,
    jwks: client.jwks == null ? null : JSON.stringify(client.jwks),
    jwks_uri: client.jwksUri ?? null,
    document_fetched_at: client.document?.fetchedAt ?? null,
    document_expires_at: client.document?.expiresAt ?? null,
    registered_from: client.registeredFrom ?? null,
  };
}

/** Finds a client. Any text is a valid argument: one that cannot be a client id finds nothing. */
export async function findClient(executor: Executor, clientId: string): Promise<OAuthClient | undefined> {
  if (clientId.includes('\0')) return undefined;
  const row = await executor
    .selectFrom('oauth_clients')
    .select([
      'client_id as clientId',
      'client_name as clientName',
      'redirect_uris as redirectUris',
      'application_type as applicationType',
      'authentication_method as authenticationMethod',
      'secret_hash as secretHash',
      'jwks',
      'jwks_uri as jwksUri',
      'document_fetched_at as fetchedAt',
      'document_expires_at as expiresAt',
      'first_used_at as firstUsedAt',
    ])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { fetchedAt, expiresAt, firstUsedAt, ...client } = row;
  return {
    ...client,
    redirectUris: JSON.parse(row.redirectUris),
    confidential: row.authenticationMethod !== 'none',
    jwks: row.jwks === null ? null : JSON.parse(row.jwks),
    document: fetchedAt === null || expiresAt === null ? null : { fetchedAt, expiresAt },
    wasAllowed: firstUsedAt !== null,
  };
}

/**
 * Marks a client as used, which keeps its registration.
 *
 * In a transaction, this also protects the row from being purged until the transaction ends.
 *
 * @returns false if there is no such client, for example because its registration has just expired.
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

/** The clients that a bound counts: those that registered themselves, or those with a metadata document. */
export type ClientKind = 'registered' | 'document';

/**
 * Removes clients of one kind without any grant, beyond `max`. It takes the oldest of the network that has the most, so
 * that a flood displaces its own clients. A client that was granted access is never removed.
 *
 * @returns how many were removed.
 */
export async function boundUnusedClients(executor: Executor, kind: ClientKind, max: number): Promise<number> {
  const isDocument = kind === 'document' ? 'is not' : 'is';
  const unused = executor
    .selectFrom('oauth_clients')
    .where('first_used_at', 'is', null)
    .where('document_fetched_at', isDocument, null);
  const { count } = await unused.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow();
  const excess = Number(count) - max;
  if (excess <= 0) return 0;
  const largest = await unused
    .select('registered_from')
    .groupBy('registered_from')
    .orderBy((row) => row.fn.countAll(), 'desc')
    .limit(1)
    .executeTakeFirst();
  const oldest = unused
    .select('client_id')
    .where('registered_from', 'is not distinct from', largest?.registered_from ?? null)
    .orderBy('created_at')
    .limit(excess);
  const { numDeletedRows } = await executor
    .deleteFrom('oauth_clients')
    .where('client_id', 'in', oldest)
    .where('first_used_at', 'is', null)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
