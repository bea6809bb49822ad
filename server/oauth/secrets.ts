/** Random secrets of the authorization server: a prefix that says what they are, and 256 random bits. */

import { randomBytes } from 'node:crypto';

export { hashSecret } from '../auth/access-token.ts';

/** Every prefix has the shape that the log takes out (`redactText`) and that secret scanners can be taught. */
const PREFIXES = {
  authorizationCode: 'utg_ac_',
  refreshToken: 'utg_rt_',
  clientSecret: 'utg_cs_',
} as const;

/** Kinds of secrets. */
export type SecretKind = keyof typeof PREFIXES;

const SECRET_BYTES = 32;

/** Makes a new secret. */
export function createSecret(kind: SecretKind): string {
  return PREFIXES[kind] + randomBytes(SECRET_BYTES).toString('base64url');
}
