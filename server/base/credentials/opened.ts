/** Opened credentials, kept in memory while their sealed text stays the same. */

import type { CredentialBinding, CredentialVault } from './index.ts';

/** One value per field; none for an open service. The same object for the same sealed text. */
export type OpenedCredential = Readonly<Record<string, string>>;

/** A connection's sealed credential, and its owner. */
export interface SealedConnection extends CredentialBinding {
  /** Null: an open service. */
  readonly sealedCredential: string | null;
}

/** Opens the credential of a connection. @throws {CredentialUnreadableError} as the vault says. */
export type OpenCredential = (connection: SealedConnection) => OpenedCredential;

const MAX_KEPT = 1000;
const OPEN_SERVICE: OpenedCredential = {};

/**
 * Creates the opener. The `maxKept` credentials used last are kept (default 1000).
 *
 * Sealed texts come from the store with every call, so a change there takes effect at once. A kept credential belongs to
 * one partner, user, service and connection: the vault opens, or refuses, a sealed text in another row.
 */
export function createCredentialOpener(options: { vault: CredentialVault; maxKept?: number }): OpenCredential {
  const { vault, maxKept = MAX_KEPT } = options;
  const kept = new Map<string, { readonly sealed: string; readonly fields: OpenedCredential }>();
  return ({ sealedCredential: sealed, ...binding }) => {
    if (sealed === null) return OPEN_SERVICE;
    const { partnerId, userId, service, connectionId } = binding;
    const key = `${partnerId} ${userId} ${service} ${connectionId}`;
    const known = kept.get(key);
    kept.delete(key);
    const entry = known?.sealed === sealed ? known : { sealed, fields: vault.open(sealed, binding) };
    kept.set(key, entry);
    if (kept.size > maxKept) {
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    }
    return entry.fields;
  };
}
