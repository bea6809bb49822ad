/** Random secrets that the gateway issues, and recognises by their keyed hash. */

import { createHmac, createSecretKey, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DialectAdapter } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Executor } from '../store/schema.ts';

/** The prefix says what a secret is. The log redacts texts of this shape (`redactText`), and secret scanners can find them. */
const PREFIXES = {
  accessToken: 'utg_at_',
  refreshToken: 'utg_rt_',
  authorizationCode: 'utg_ac_',
  clientSecret: 'utg_cs_',
  partnerSecret: 'utg_ps_',
  testSecret: 'utg_test_',
  connectCode: 'utg_cc_',
  connectToken: 'utg_ct_',
  userLink: 'utg_ul_',
  eventAddress: 'utg_ea_',
  operatorSecret: 'utg_op_',
  uploadAddress: 'utg_ua_',
} as const;

type SecretKind = keyof typeof PREFIXES;

/** Returns true if a text has the prefix of a kind. */
export function isOfKind(kind: SecretKind, text: string): boolean {
  return text.startsWith(PREFIXES[kind]);
}

const SECRET_BYTES = 32;

/** Creates a secret of 256 random bits, such as `utg_rt_...`. */
export function createSecret(kind: SecretKind): string {
  return PREFIXES[kind] + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Derives a secret of the same form with HMAC-SHA256. It is as hard to guess as the key. */
export function deriveSecret(kind: SecretKind, key: Uint8Array, text: string): string {
  return PREFIXES[kind] + createHmac('sha256', key).update(`${kind} ${text}`).digest('base64url');
}

/** Returns the SHA-256 as base64url, without a key. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The key of a store, and the last hashes under it by their digests: neither gives the secret away. */
interface StoreKey {
  readonly key: KeyObject | Error;
  readonly hashes: LRUCache<string, string>;
}

/** Of 43 characters each. */
const MAX_CACHED_HASHES = 10_000;

/** A database and its transactions share one adapter. */
const storeKeys = new WeakMap<DialectAdapter, StoreKey>();

/**
 * From now on, hashes for this store depend on the key. Without this call they are digests.
 *
 * @param key 32 bytes; an error: there is none here, and hashing fails with this error.
 */
export function keySecrets(executor: Executor, key: Uint8Array | Error): void {
  const keyOrError = key instanceof Error ? key : createSecretKey(key);
  storeKeys.set(executor.getExecutor().adapter, { key: keyOrError, hashes: new LRUCache({ max: MAX_CACHED_HASHES }) });
}

/**
 * Returns the HMAC-SHA256 of the digest under the store's key, as base64url: the form in which a store keeps secrets.
 *
 * No salt and no slow hash: secrets have 256 random bits and are looked up by their hash.
 *
 * @param executor the store: each has its own key.
 * @throws the error that was given to `keySecrets`.
 */
export function hashSecret(executor: Executor, secret: string): string {
  const store = storeKeys.get(executor.getExecutor().adapter);
  const digest = hash('sha256', secret, 'base64url');
  if (store === undefined) return digest;
  const { key, hashes } = store;
  if (key instanceof Error) throw key;
  const cached = hashes.get(digest);
  if (cached !== undefined) return cached;
  const keyed = createHmac('sha256', key).update(digest).digest('base64url');
  hashes.set(digest, keyed);
  return keyed;
}

/** Returns the result of `hashSecret` for a secret with this digest. */
export function keyDigest(key: Uint8Array, digest: string): string {
  return createHmac('sha256', key).update(digest).digest('base64url');
}

/** Compares two hashes in constant time. */
export function isSameHash(firstHash: string, secondHash: string): boolean {
  const firstBytes = Buffer.from(firstHash);
  const secondBytes = Buffer.from(secondHash);
  return firstBytes.length === secondBytes.length && timingSafeEqual(firstBytes, secondBytes);
}
