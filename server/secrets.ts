/** Random secrets that the gateway hands out, and how it recognises them: by hash. */

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A prefix says what a secret is. Its shape is what the log takes out (`redactText`) and secret scanners can be taught. */
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

/** Kinds of secrets. */
type SecretKind = keyof typeof PREFIXES;

const SECRET_BYTES = 32;

/** Makes a secret of 256 random bits, such as `utg_rt_...`. */
export function createSecret(kind: SecretKind): string {
  return PREFIXES[kind] + randomBytes(SECRET_BYTES).toString('base64url');
}

/** Derives a secret of the same form with HMAC-SHA256. It is as hard to guess as the key. */
export function deriveSecret(kind: SecretKind, key: Uint8Array, text: string): string {
  return PREFIXES[kind] + createHmac('sha256', key).update(`${kind} ${text}`).digest('base64url');
}

/**
 * SHA-256 as base64url: how the store knows secrets.
 *
 * No salt and no slow hash, because what is hashed has 256 random bits and is looked up by its hash.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares a secret with a hash of `hashSecret`, in a time that does not depend on where they differ. */
export function matchesHash(secret: string, hash: string): boolean {
  const [given, expected] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
