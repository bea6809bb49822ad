/** Public keys of JWT signers: registered ones, or fetched and cached. */

import { LRUCache } from 'lru-cache';
import type { JsonSource } from '../../base/guarded-fetch/index.ts';
import type { JSONWebKeySet, KeySource } from '../protocol/jwt.ts';

/** Finds the keys of a signer, registered or at a URL. @throws {GuardedFetchError} when they cannot be fetched. */
export type FindKeys = (signer: { readonly jwks: unknown; readonly jwksUri: string | null }) => KeySource;

/** A key that its owner withdraws is accepted at most this long. */
const KEPT_MS = 600_000;

/** An unknown key causes the set to be fetched again, but not more often than this. */
const RENEWED_AFTER_MS = 30_000;

const MAX_KEPT_SETS = 1000;

/**
 * Creates the source of keys of one node. Concurrent requests for the same set share one fetch.
 *
 * @param deps.now milliseconds since 1970.
 */
export function createFindKeys(deps: { readonly documents: JsonSource; readonly now: () => number }): FindKeys {
  const keySets = new LRUCache<string, { readonly keys: JSONWebKeySet; readonly fetchedAt: number }>({
    max: MAX_KEPT_SETS,
  });
  const fetching = new Map<string, Promise<JSONWebKeySet>>();

  async function fetchKeys(uri: string): Promise<JSONWebKeySet> {
    const { json } = await deps.documents.getJson(uri);
    const keys = json as JSONWebKeySet;
    keySets.set(uri, { keys, fetchedAt: deps.now() });
    return keys;
  }

  return ({ jwks, jwksUri }) =>
    async (need) => {
      if (jwksUri === null) return (jwks ?? { keys: [] }) as JSONWebKeySet;
      const fetched = keySets.get(jwksUri);
      const maxAgeMs = need === 'known' ? KEPT_MS : RENEWED_AFTER_MS;
      if (fetched !== undefined && deps.now() - fetched.fetchedAt < maxAgeMs) return fetched.keys;
      const open = fetching.get(jwksUri) ?? fetchKeys(jwksUri).finally(() => fetching.delete(jwksUri));
      fetching.set(jwksUri, open);
      return open;
    };
}
