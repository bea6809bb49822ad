/** Finds clients: registered ones in the store, others by the metadata document at the URL that is their id. */

import type { Kysely } from 'kysely';
import { GuardedFetchError, type JsonSource } from '../../base/guarded-fetch/index.ts';
import { recordAnonymousEvent } from '../../base/http/caller-limits.ts';
import { emit } from '../../base/store/events.ts';
import {
  boundUnusedClients,
  findClient,
  type OAuthClient,
  prolongDocument,
  saveDocumentClient,
} from '../../base/store/repositories/oauth-clients.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts';
import {
  ClientDocumentError,
  freshnessOf,
  isClientIdUrl,
  isUsableClientIdUrl,
  parseClientDocument,
} from './client-document.ts';

interface LookupContext {
  readonly db: Kysely<Database>;
  readonly documents: JsonSource;
  /** If false, documents are not accepted, and clients that have one are unknown. */
  readonly clientDocuments: boolean;
  /** Schemes of redirect URIs that the operator allows in addition to https and loopback http. */
  readonly privateUseSchemes: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Finds clients by their id, or undefined if there is no such client. */
export interface ClientLookup {
  /**
   * For a request that a user is about to decide. Only a fresh document counts.
   *
   * @throws {ClientDocumentError} when the document cannot be read or used.
   */
  forAuthorization(clientId: string): Promise<OAuthClient | undefined>;
  /**
   * For a client with a code or token. Only ids that passed `forAuthorization` are known, so nothing is fetched for others.
   * While a document cannot be read, its last version counts for `MAX_STALE_MS`.
   */
  forToken(clientId: string): Promise<OAuthClient | undefined>;
}

/** Time for which a document counts for tokens after it was last read, so that an outage of its host ends no sessions. */
const MAX_STALE_MS = 7 * 86_400_000;

/** Stored documents of clients that were never allowed anything, in addition to protected ones (see `boundUnusedClients`). */
const MAX_UNUSED_DOCUMENTS = 100;

/** Stored documents at most. Beyond it, a protected one is removed: it is read again when its user answers. */
const HARD_MAX_UNUSED_DOCUMENTS = 1000;

/** Redirect URIs that the audit event of a changed document names. */
const MAX_NAMED_URIS = 5;
const MAX_NAMED_LENGTH = 200;

/** Time after which an unreadable document is fetched again for a token. */
const RETRY_AFTER_MS = 60_000;

/** Creates the lookup. Concurrent requests on one node for the same document share one fetch. */
export function createClientLookup(deps: LookupContext): ClientLookup {
  const { db, clientDocuments, now } = deps;
  const reading = new Map<string, Promise<OAuthClient | undefined>>();
  const read = (clientId: string) => {
    const open = reading.get(clientId) ?? readDocument(deps, clientId).finally(() => reading.delete(clientId));
    reading.set(clientId, open);
    return open;
  };
  return {
    async forAuthorization(clientId) {
      if (!isClientIdUrl(clientId)) return findClient(db, clientId);
      if (!clientDocuments) return undefined;
      if (!isUsableClientIdUrl(clientId)) throw new ClientDocumentError('has an address that no client id may have');
      const client = await findClient(db, clientId);
      return isFresh(client, now()) ? client : read(clientId);
    },
    async forToken(clientId) {
      const client = await findClient(db, clientId);
      if (client?.document == null) return client;
      if (!clientDocuments) return undefined;
      if (isFresh(client, now())) return client;
      try {
        return await read(clientId);
      } catch (error) {
        if (!(error instanceof ClientDocumentError)) throw error;
        if (now() - client.document.fetchedAt > MAX_STALE_MS) return undefined;
        await prolongDocument(db, clientId, now() + RETRY_AFTER_MS);
        return client;
      }
    },
  };
}

function isFresh(client: OAuthClient | undefined, now: number): boolean {
  return client?.document != null && client.document.expiresAt > now;
}

async function readDocument(deps: LookupContext, clientId: string): Promise<OAuthClient | undefined> {
  const { json, header } = await fetchDocument(deps, clientId);
  const client = parseClientDocument(json, clientId, deps);
  const now = deps.now();
  const document = { fetchedAt: now, expiresAt: now + freshnessOf(header, now) };
  return deps.db.transaction().execute(async (transaction) => {
    const before = await findClient(transaction, clientId);
    if (before === undefined) {
      const bounds = { max: MAX_UNUSED_DOCUMENTS - 1, hardMax: HARD_MAX_UNUSED_DOCUMENTS - 1, now };
      await boundUnusedClients(transaction, 'document', bounds);
    }
    await saveDocumentClient(transaction, { ...client, document, now });
    if (before !== undefined) await recordChange(transaction, before, client.redirectUris, now);
    return findClient(transaction, clientId);
  });
}

async function fetchDocument({ documents }: LookupContext, clientId: string) {
  try {
    return await documents.getJson(clientId);
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    throw new ClientDocumentError(error.description, { cause: error });
  }
}

/** A document's owner may change it at any time, so only a client that someone allowed gets an audit event, and a small one. */
async function recordChange(
  transaction: Executor,
  { clientId, redirectUris: before, wasAllowed }: OAuthClient,
  after: readonly string[],
  now: number,
): Promise<void> {
  const added = after.filter((uri) => !before.includes(uri));
  const removed = before.filter((uri) => !after.includes(uri));
  if (added.length === 0 && removed.length === 0) return;
  const event = { type: 'client_document_changed', now } as const;
  if (!wasAllowed) return recordAnonymousEvent(transaction, { ...event, address: null });
  const details = { added: shorten(added), removed: shorten(removed) };
  await emit(transaction, { ...event, clientId, details });
}

function shorten(uris: readonly string[]): string[] {
  return uris.slice(0, MAX_NAMED_URIS).map((uri) => uri.slice(0, MAX_NAMED_LENGTH));
}

/**
 * True unless the client's document no longer names the redirect URI that a code went to.
 *
 * The owner of a document removes a URI that is no longer safe, so codes and grants sent there must not stay valid: the user
 * is asked again (draft-ietf-oauth-client-id-metadata-document, Changes in Client Metadata). A new URI changes nothing for
 * existing grants. The URIs of a registered client never change.
 *
 * @param redirectUri null if no code was sent.
 */
export function acceptsRedirectUri(client: OAuthClient, redirectUri: string | null): boolean {
  if (client.document === null || redirectUri === null) return true;
  return isRegisteredRedirectUri(client.redirectUris, redirectUri);
}
