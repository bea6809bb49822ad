/** The OAuth 2.0 token in a stored credential: its scopes, and when it expires. */

import { kindFor, oauth2PartOf, rulesFor } from '../../../base/credentials/kinds.ts';
import type { CredentialBinding } from '../../../base/store/repositories/sealed-credentials.ts';
import type { Connector, OAuth2Field, OAuth2Part } from '../../../contract/index.ts';
import type { TokenAnswer } from './types.ts';

/** One value per field. It has no members for an open service. The same object for the same sealed text. */
export type OpenedCredential = Readonly<Record<string, string>>;

/** A connection's sealed credential, and its owner. */
export interface SealedConnection extends CredentialBinding {
  /** Null for an open service. */
  readonly sealedCredential: string | null;
}

/** Opens the credential of a connection. @throws {CredentialUnreadableError} as the vault says. */
export type OpenCredential = (connection: SealedConnection) => OpenedCredential;

/** A token as it is stored. */
export interface StoredToken {
  readonly part: OAuth2Part;
  readonly accessToken: string;
  /** Null if no refresh token was issued. */
  readonly refreshToken: string | null;
  /** Milliseconds since 1970. Null if the token does not expire. */
  readonly expiresAt: number | null;
  /** Granted scopes. Null if they are not known. */
  readonly scopes: ReadonlySet<string> | null;
  /** Row id of the upstream client that it was issued to. Null if it is not known. */
  readonly clientRow: string | null;
}

/** Reads the token of a credential, or of an extra of it. Returns null if the credential or extra is of another kind. */
export function tokenIn({ credential }: Connector, fields: OpenedCredential, extra?: string): StoredToken | null {
  const kind = kindFor(credential, fields, extra);
  const declared = oauth2PartOf(kind);
  if (declared === undefined) return null;
  const read = (field: OAuth2Field): string | null => fields[`${declared.id}.${field}`] ?? null;
  const accessToken = read('access_token');
  if (accessToken === null) return null;
  const part = { ...declared, oauth2: rulesFor(declared, kind, fields) };
  const expiresAt = read('expires_at');
  const scope = read('scope');
  return {
    part,
    accessToken,
    refreshToken: read('refresh_token'),
    expiresAt: expiresAt === null ? null : Number(expiresAt),
    scopes: scope === null ? null : new Set(scope.split(' ').filter((each) => each !== '')),
    clientRow: read('client'),
  };
}

/** Returns true if the token can be renewed without the user. */
export function isRenewable({ part, refreshToken }: StoredToken): boolean {
  return refreshToken !== null || part.oauth2.flow === 'client_credentials';
}

/** Returns a credential without the tokens of a part. */
export function withoutTokens(fields: OpenedCredential, { id }: OAuth2Part): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith(`${id}.`)));
}

/**
 * A credential with other tokens. Without a refresh token in the answer, the old one stays valid (RFC 6749 §6); without
 * scopes, the granted ones stay.
 *
 * @param clientRow row id of the upstream client that they were issued to.
 */
export function withTokens(
  fields: OpenedCredential,
  part: OAuth2Part,
  { answer, clientRow }: { answer: TokenAnswer; clientRow: string },
): Record<string, string> {
  const name = (field: OAuth2Field): string => `${part.id}.${field}`;
  const { [name('expires_at')]: _, ...otherFields } = fields;
  const { accessToken, refreshToken, expiresAt, scopes } = answer;
  const updated = { ...otherFields, [name('access_token')]: accessToken, [name('client')]: clientRow };
  if (refreshToken !== null) updated[name('refresh_token')] = refreshToken;
  if (expiresAt !== null) updated[name('expires_at')] = String(expiresAt);
  if (scopes !== null) updated[name('scope')] = scopes.join(' ');
  return updated;
}
