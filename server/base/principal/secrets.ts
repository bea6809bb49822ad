/** Random secrets that the gateway issues, and recognises by their keyed hash. */

import { createHmac, createSecretKey, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DialectAdapter } from 'kysely';
import type { Executor } from '../store/schema.ts';

/** The prefix says what a secret is. The log redacts texts of this shape (`redactText`), and secret scanners can find them. */
const PREFIXES = {
  accessToken: 'utg_at_',
  refreshToken: 'utg_rt_',
  authorizationCode: 'utg_ac_',
  clientSecret: 'utg_cs_',
  partnerSecret: 'utg_ps_',
  connectCode: 'utg_cc_',
  connectToken: 'utg_ct_',
  userLink: 'utg_ul_',
  operatorSecret: 'utg_op_',
} as const;

type SecretKind = keyof typeof PREFIXES;

const SECRET_BYTES = 32;

/** Creates a secret of 256 random bits, such as `utg_rt_...`. */
export function createSecret(kind: SecretKind): string {
  return PREFIXES[kind] + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Derives a secret of the same form with HMAC-SHA256. It is as hard to guess as the key. */
export function deriveSecret(kind: SecretKind, key: Uint8Array, text: string): string {
  return PREFIXES[kind] + createHmac('sha256', key).update(`${kind} ${text}`).digest('base64url');
}

/** SHA-256 as base64url. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** A database and its transactions share one adapter. */
const storeKeys = new WeakMap<DialectAdapter, KeyObject | Error>();

/**
 * From now on, hashes for this store depend on the key. Without this call they are digests.
 *
 * @param key 32 bytes; an error: there is none here, and hashing fails with this error.
 */
export function keySecrets(executor: Executor, key: Uint8Array | Error): void {
  storeKeys.set(executor.getExecutor().adapter, key instanceof Error ? key : createSecretKey(key));
}

/**
 * HMAC-SHA256 of the digest under the store's key, as base64url: the form in which a store keeps secrets.
 *
 * No salt and no slow hash: secrets have 256 random bits and are looked up by their hash.
 *
 * @throws the error that was given to `keySecrets`.
 */
export function hashSecret(executor: Executor, secret: string): string {
  const key = storeKeys.get(executor.getExecutor().adapter);
  if (key instanceof Error) throw key;
  const digest = hash('sha256', secret, 'base64url');
  return key === undefined ? digest : createHmac('sha256', key).update(digest).digest('base64url');
}

/** What `hashSecret` returns for a secret with this digest. */
export function keyDigest(key: Uint8Array, digest: string): string {
  return createHmac('sha256', key).update(digest).digest('base64url');
}

/** Compares two hashes in constant time. */
export function isSameHash(one: string, other: string): boolean {
  const [given, expected] = [Buffer.from(one), Buffer.from(other)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
