/** Encryption keys for tests: strong enough for the gateway's settings, and the same in every run. */

import { createCipheriv, hash, randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';

/** 32 bytes that differ for each `seed`. */
export function keyBytes(seed: number | string): Buffer {
  return hash('sha256', `key for tests ${seed}`, 'buffer');
}

/** A value of `ENCRYPTION_KEYS` with one key. */
export function ringText(id: string, seed: number | string): string {
  return `${id}:${keyBytes(seed).toString('base64')}`;
}

/** Seals a credential as earlier versions did, bound only to its row. */
export function sealUnbound({ id, key }: EncryptionKey, fields: Record<string, string>, rowId: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(JSON.stringify(['utg-credential', 'v1', id, rowId])));
  const body = Buffer.concat([nonce, cipher.update(JSON.stringify(fields)), cipher.final(), cipher.getAuthTag()]);
  return `v1.${id}.${body.toString('base64url')}`;
}
