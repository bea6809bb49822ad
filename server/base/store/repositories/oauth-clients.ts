/** OAuth clients: those that registered themselves (RFC 7591), and those that publish a metadata document. */

import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import { columnsOf, countRows, hasRow, type Row, toRow } from '../rows.ts';
import { CORE_TABLES, type Database, type Executor } from '../schema.ts';

const CLIENT = columnsOf(CORE_TABLES.tables.oauth_clients, { except: ['consent_open_until'] });

type ClientRow = Row<'oauth_clients', typeof CLIENT>;

/** A client. Its name is self-chosen and unverified. The id of a client with a metadata document is the URL of that document. */
export type OAuthClient = ReturnType<typeof toClient>;

/** The time at which a metadata document was read, and at which that expires, in milliseconds since 1970. */
interface ReadDocument {
  readonly fetchedAt: number;
  readonly expiresAt: number;
}

/** A client to store. */
export interface NewOAuthClient
  extends Omit<
    OAuthClient,
    'confidential' | 'createdAt' | 'document' | 'jwks' | 'jwksUri' | 'registeredFrom' | 'scopes' | 'wasAllowed'
  > {
  /** Space-separated. Default: the client may be granted every scope. */
  readonly scopes?: string | null;
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
    scopes: client.scopes ?? null,
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
    /** JSON Web Key Set. Null if the client has none, or publishes it at `jwksUri`. */
    jwks: client.jwks === null ? null : (JSON.parse(client.jwks) as unknown),
    /** The reading of the metadata document. Null if the client registered itself. */
    document,
    /** True if a user ever granted the client access. */
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

/**
 * Protects a client that no user has allowed from removal while a consent page for it is open.
 *
 * Does nothing for a client that a user has allowed: it is never removed. Writes at most once a minute for each client.
 *
 * @param until when the page can no longer be answered, in milliseconds since 1970.
 */
export async function protectDuringConsent(executor: Executor, clientId: string, until: number): Promise<void> {
  await executor
    .updateTable('oauth_clients')
    .set({ consent_open_until: until + CONSENT_WRITE_INTERVAL_MS })
    .where('client_id', '=', clientId)
    .where('first_used_at', 'is', null)
    .where((row) => row.or([row('consent_open_until', 'is', null), row('consent_open_until', '<', until)]))
    .execute();
}

const CONSENT_WRITE_INTERVAL_MS = 60_000;

/** The clients that a bound counts: those that registered themselves, or those with a metadata document. */
type ClientKind = 'registered' | 'document';

/** Time for which a new client cannot be removed, in milliseconds: its user is about to open the consent page. */
const NEW_CLIENT_PROTECTION_MS = 600_000;

/** Limits on clients of one kind that no user has allowed. */
interface UnusedClientBounds {
  /** Beyond it, clients are removed that are not protected. */
  readonly max: number;
  /** Beyond it, protected clients are removed too. Default: none. */
  readonly hardMax?: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Removes clients of one kind that no user has allowed, beyond the bounds.
 *
 * A client is protected while it is younger than `NEW_CLIENT_PROTECTION_MS`, and while its consent page is open (see
 * `protectDuringConsent`). The order is total: the oldest clients of the network that has the most go first, so that a flood
 * displaces its own clients; of networks with equally many, the oldest client goes first; of equally old ones, the one with
 * the smallest id.
 *
 * @returns how many unused clients are left. They are more than `max` when the others are protected.
 */
export async function boundUnusedClients(
  executor: Executor,
  kind: ClientKind,
  { max, hardMax = Number.POSITIVE_INFINITY, now }: UnusedClientBounds,
): Promise<number> {
  const count = await countUnusedClients(executor, kind);
  if (count <= max) return count;
  const remaining = count - (await removeUnusedClients(executor, kind, { limit: count - max, unprotectedAt: now }));
  if (remaining <= hardMax) return remaining;
  return remaining - (await removeUnusedClients(executor, kind, { limit: remaining - hardMax, unprotectedAt: null }));
}

/** @param network counts only clients that were registered from it. Default: clients of all networks. */
export async function countUnusedClients(executor: Executor, kind: ClientKind, network?: string): Promise<number> {
  const clients = selectUnused(executor, kind);
  return countRows(network === undefined ? clients : clients.where('registered_from', '=', network));
}

/**
 * Removes up to `limit` clients in the order of `boundUnusedClients`.
 *
 * @param unprotectedAt spares clients that are protected at this time, in milliseconds since 1970. Null to remove those too.
 * @returns how many were removed.
 */
async function removeUnusedClients(
  executor: Executor,
  kind: ClientKind,
  { limit, unprotectedAt }: { readonly limit: number; readonly unprotectedAt: number | null },
): Promise<number> {
  const ranked = selectUnused(executor, kind)
    .select(['client_id', 'created_at', 'consent_open_until'])
    .select((row) =>
      row.fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('registered_from').orderBy('created_at', 'desc').orderBy('client_id', 'desc'))
        .as('rank_in_network'),
    );
  let removable = executor.selectFrom(ranked.as('ranked')).select('client_id');
  if (unprotectedAt !== null) {
    removable = removable
      .where('created_at', '<=', unprotectedAt - NEW_CLIENT_PROTECTION_MS)
      .where(hasNoOpenConsent(unprotectedAt));
  }
  const first = removable.orderBy('rank_in_network', 'desc').orderBy('created_at').orderBy('client_id').limit(limit);
  const { numDeletedRows } = await executor
    .deleteFrom('oauth_clients')
    .where('client_id', 'in', first)
    .where('first_used_at', 'is', null)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function selectUnused(executor: Executor, kind: ClientKind) {
  return executor
    .selectFrom('oauth_clients')
    .where('first_used_at', 'is', null)
    .where('document_fetched_at', kind === 'document' ? 'is not' : 'is', null);
}

/** Condition: no consent page for the client is open. @param now milliseconds since 1970. */
export function hasNoOpenConsent(now: number): Expression<SqlBool> {
  const { eb } = expressionBuilder<Database, 'oauth_clients'>();
  return eb.or([eb('consent_open_until', 'is', null), eb('consent_open_until', '<=', now)]);
}
