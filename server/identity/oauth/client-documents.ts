/** Finds clients: registered ones in the store, others by the metadata document at the URL that is their id, whose rules are here too. */

import type { Kysely } from 'kysely';
import { GuardedFetchError, type JsonSource } from '../../base/guarded-fetch/index.ts';
import { recordAnonymousEvent } from '../../base/http/caller-limits.ts';
import { emit } from '../../base/store/events.ts';
import {
  boundUnusedClients,
  findClient,
  type NewOAuthClient,
  type OAuthClient,
  prolongDocument,
  saveDocumentClient,
} from '../../base/store/repositories/oauth-clients.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { isObject } from '../../call/tools/json.ts';
import { OAuthError } from '../protocol/error.ts';
import { isRegisteredRedirectUri } from '../protocol/redirect-uri.ts';
import { parseClientMetadata } from './client-metadata.ts';

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

const MAX_CLIENT_ID_LENGTH = 2000;

/** Documents list one address per platform or build, registrations only what one installation uses. */
const MAX_REDIRECT_URIS = 50;
const MAX_KEPT_BYTES = 8192;

const SECRET_MEMBERS = ['client_secret', 'client_secret_expires_at'];

const SECOND_MS = 1000;
const MIN_FRESH_MS = 60 * SECOND_MS;
const MAX_FRESH_MS = 86_400 * SECOND_MS;
const DEFAULT_FRESH_MS = 3600 * SECOND_MS;

/** A client id or document that cannot be used. The description continues the sentence that begins with "The document". */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  readonly description: string;

  constructor(description: string, options?: ErrorOptions) {
    super(`client metadata document: ${description}`, options);
    this.description = description;
  }
}

/** True for a client id that is meant as a URL. The gateway's own ids never begin like this. */
function isClientIdUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/**
 * True for a URL that may name a client: https with a path, without a user, a fragment or dot segments
 * (draft-ietf-oauth-client-id-metadata-document, Client Identifier URL).
 *
 * It must be in the normal form of parsed URLs, so that no two ids mean the same address.
 */
function isUsableClientIdUrl(clientId: string): boolean {
  if (clientId.length > MAX_CLIENT_ID_LENGTH || clientId.includes('#') || !URL.canParse(clientId)) return false;
  const { href, username, password } = new URL(clientId);
  return href === clientId && username === '' && password === '';
}

/** The client in the document, without the times of the row. */
type DocumentClient = Omit<NewOAuthClient, 'now' | 'document'>;

/**
 * Reads the document. Its rules are those of a registration, and these: `client_id` is its own URL, compared byte for byte;
 * there is no secret, because a public document cannot hold one; without an authentication method the client is public
 * (draft-ietf-oauth-client-id-metadata-document, Client ID Metadata Document).
 *
 * @throws {ClientDocumentError}
 */
function parseClientDocument(
  json: unknown,
  clientId: string,
  rules: { readonly privateUseSchemes: readonly string[] },
): DocumentClient {
  if (!isObject(json)) throw new ClientDocumentError('is not a JSON object');
  if (json.client_id !== clientId) throw new ClientDocumentError('names another client_id than its own address');
  if (SECRET_MEMBERS.some((name) => name in json)) throw new ClientDocumentError('holds a client secret');
  const method = json.token_endpoint_auth_method ?? 'none';
  if (method !== 'none' && method !== 'private_key_jwt') {
    throw new ClientDocumentError('names an authentication method other than none and private_key_jwt');
  }
  const { registered: _, droppedRedirectUris: __, ...client } = parse(json, method, rules);
  return { ...client, clientId, secretHash: null };
}

function parse(json: object, method: string, rules: { readonly privateUseSchemes: readonly string[] }) {
  try {
    const metadata = { ...json, token_endpoint_auth_method: method };
    return parseClientMetadata(metadata, {
      ...rules,
      maxRedirectUris: MAX_REDIRECT_URIS,
      maxKeptBytes: MAX_KEPT_BYTES,
    });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new ClientDocumentError(`cannot be used: ${error.description}`, { cause: error });
  }
}

/**
 * Milliseconds for which a response is fresh (RFC 9111 §4.2.1): at least a minute, so that all steps of a sign-in see one
 * document; at most a day, so that a removed redirect URI stops working; an hour when the response does not say.
 */
function freshnessOf(header: (name: string) => string | null, now: number): number {
  const control = header('cache-control')?.toLowerCase() ?? '';
  if (/(?:^|,)\s*(?:no-store|no-cache)\b/.test(control)) return MIN_FRESH_MS;
  const [, maxAge] = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})\b/.exec(control) ?? [];
  if (maxAge !== undefined) return bounded((Number(maxAge) - ageOf(header)) * SECOND_MS);
  const expires = header('expires');
  if (expires === null) return DEFAULT_FRESH_MS;
  const expiresAt = Date.parse(expires);
  return Number.isNaN(expiresAt) ? MIN_FRESH_MS : bounded(expiresAt - now);
}

function ageOf(header: (name: string) => string | null): number {
  const age = header('age') ?? '';
  return /^\d{1,10}$/.test(age) ? Number(age) : 0;
}

function bounded(milliseconds: number): number {
  return Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, milliseconds));
}
