/** Reads a client's metadata document: what it must contain, and what it must not. */

import type { NewOAuthClient } from '../../../base/store/repositories/oauth-clients.ts';
import { OAuthError } from '../../protocol/error.ts';
import { parseClientMetadata } from '../register/metadata.ts';
import { ClientDocumentError } from './error.ts';

/** Documents list one address per platform or build, registrations only what one installation uses. */
const MAX_REDIRECT_URIS = 50;
const MAX_KEPT_BYTES = 8192;

const SECRET_MEMBERS = ['client_secret', 'client_secret_expires_at'];

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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
