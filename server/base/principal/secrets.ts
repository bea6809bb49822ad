/** Random secrets that the gateway issues, and recognises by their hash. */

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

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

/**
 * SHA-256 as base64url: the form in which the store keeps secrets.
 *
 * No salt and no slow hash: secrets have 256 random bits and are looked up by their hash.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares a secret with a hash of `hashSecret`, in constant time. */
export function matchesHash(secret: string, hash: string): boolean {
  const [given, expected] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
