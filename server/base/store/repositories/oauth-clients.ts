/** OAuth clients: those that registered themselves (RFC 7591), and those that publish a metadata document. */

import { columns, hasRow, type Row, toRow } from '../rows.ts';
import type { Executor } from '../schema.ts';

const CLIENT = columns(
  'client_id',
  'client_name',
  'redirect_uris',
  'application_type',
  'authentication_method',
  'secret_hash',
  'jwks',
  'jwks_uri',
  'document_fetched_at',
  'document_expires_at',
  'created_at',
  'first_used_at',
  'registered_from',
);

type ClientRow = Row<'oauth_clients', typeof CLIENT>;

/** A client. Nobody has verified its name, which is what it calls itself. For one with a metadata document, its id is the document's URL. */
export type OAuthClient = ReturnType<typeof toClient>;

/** When a metadata document was read, and when that expires, in milliseconds since 1970. */
interface ReadDocument {
  readonly fetchedAt: number;
  readonly expiresAt: number;
}

/** A client to store. */
export interface NewOAuthClient
  extends Omit<
    OAuthClient,
    'confidential' | 'createdAt' | 'document' | 'jwks' | 'jwksUri' | 'registeredFrom' | 'wasAllowed'
  > {
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
  await executor.insertInto('oauth_clients').values(toStored(client)).execute();
}

/** Stores the current content of a metadata document, replacing its earlier content. */
export async function saveDocumentClient(executor: Executor, client: NewOAuthClient): Promise<void> {
  const row = toStored(client);
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

function toStored({ now, document, redirectUris, jwks, ...client }: NewOAuthClient) {
  return toRow(CLIENT, {
    ...client,
    redirectUris: JSON.stringify(redirectUris),
    createdAt: now,
    firstUsedAt: null,
    jwks: jwks == null ? null : JSON.stringify(jwks),
    jwksUri: client.jwksUri ?? null,
    documentFetchedAt: document?.fetchedAt ?? null,
    documentExpiresAt: document?.expiresAt ?? null,
    registeredFrom: client.registeredFrom ?? null,
  });
}

/** Finds a client. Any text is a valid argument: one that cannot be a client id finds nothing. */
export async function findClient(executor: Executor, clientId: string): Promise<OAuthClient | undefined> {
  if (clientId.includes('\0')) return undefined;
  const query = executor.selectFrom('oauth_clients').select(CLIENT).where('client_id', '=', clientId);
  const row = await query.executeTakeFirst();
  return row && toClient(row);
}

function toClient({ documentFetchedAt, documentExpiresAt, firstUsedAt, ...client }: ClientRow) {
  const document: ReadDocument | null =
    documentFetchedAt === null || documentExpiresAt === null
      ? null
      : { fetchedAt: documentFetchedAt, expiresAt: documentExpiresAt };
  return {
    ...client,
    /** At least one. */
    redirectUris: JSON.parse(client.redirectUris) as readonly string[],
    /** True for a client that must authenticate at the token endpoint. */
    confidential: client.authenticationMethod !== 'none',
    /** JSON Web Key Set; null: there is none, or it is at `jwksUri`. */
    jwks: client.jwks === null ? null : (JSON.parse(client.jwks) as unknown),
    /** When the metadata document was read; null: the client registered itself. */
    document,
    /** Whether a user ever granted the client access. */
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
  return hasRow(
    executor
      .updateTable('oauth_clients')
      .set((row) => ({ first_used_at: row.fn.coalesce('first_used_at', row.val(now)) }))
      .where('client_id', '=', clientId)
      .returning('client_id'),
  );
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
