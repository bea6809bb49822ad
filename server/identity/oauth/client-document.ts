/** A client's metadata document: its address, what it must contain and must not, and how long it is fresh. */

import type { NewOAuthClient } from '../../base/store/repositories/oauth-clients.ts';
import { isObject } from '../../call/tools/json.ts';
import { OAuthError } from '../protocol/error.ts';
import { parseClientMetadata } from './client-metadata.ts';

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
export function isClientIdUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/**
 * True for a URL that may name a client: https with a path, without a user, a fragment or dot segments
 * (draft-ietf-oauth-client-id-metadata-document, Client Identifier URL).
 *
 * It must be in the normal form of parsed URLs, so that no two ids mean the same address.
 */
export function isUsableClientIdUrl(clientId: string): boolean {
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
export function parseClientDocument(
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
export function freshnessOf(header: (name: string) => string | null, now: number): number {
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
