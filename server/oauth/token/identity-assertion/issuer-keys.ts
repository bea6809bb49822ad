/** The public keys of identity issuers: as they were registered, or fetched and kept for a while. */

import type { JSONWebKeySet, KeySource } from '../../../oauth-protocol/jwt.ts';
import type { IdentityIssuer } from '../../../store/repositories/identity-issuers.ts';

/** Fetches JSON from addresses that partners choose, with every guard that this needs. */
export interface DocumentSource {
  getJson(url: string): Promise<{ readonly json: unknown }>;
}

/** Finds the keys of an issuer. @throws whatever the source throws. */
export type IssuerKeys = (issuer: Pick<IdentityIssuer, 'jwks' | 'jwksUri'>) => KeySource;

/** A key that an issuer takes back is accepted for this long at most. */
const KEPT_MS = 600_000;

/** A key that is not known asks for the keys again, but not more often than this. */
const RENEWED_AFTER_MS = 30_000;

const MAX_KEPT_SETS = 1000;

interface KeptKeys {
  readonly keys: JSONWebKeySet;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/**
 * Creates the source of keys of one node.
 *
 * Requests that need the same keys at the same time share one fetch. A key that no set holds costs one fetch in 30 seconds,
 * whatever is sent: MCP Enterprise-Managed Authorization §7.4.1 asks for safe key rotation.
 *
 * @param deps.now milliseconds since 1970.
 */
export function createIssuerKeys(deps: { readonly documents: DocumentSource; readonly now: () => number }): IssuerKeys {
  const kept = new Map<string, KeptKeys>();
  const fetching = new Map<string, Promise<JSONWebKeySet>>();

  async function fetchKeys(uri: string): Promise<JSONWebKeySet> {
    try {
      const { json } = await deps.documents.getJson(uri);
      const keys = json as JSONWebKeySet;
      kept.delete(uri);
      kept.set(uri, { keys, fetchedAt: deps.now() });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT_SETS && oldest !== undefined) kept.delete(oldest);
      return keys;
    } finally {
      fetching.delete(uri);
    }
  }

  return ({ jwks, jwksUri }) =>
    async (need) => {
      if (jwksUri === null) return (jwks ?? { keys: [] }) as JSONWebKeySet;
      const known = kept.get(jwksUri);
      const maxAgeMs = need === 'known' ? KEPT_MS : RENEWED_AFTER_MS;
      if (known !== undefined && deps.now() - known.fetchedAt < maxAgeMs) return known.keys;
      const open = fetching.get(jwksUri) ?? fetchKeys(jwksUri);
      fetching.set(jwksUri, open);
      return open;
    };
}
