/** Encryption keys for tests: strong enough for the gateway's settings, and the same in every run. */

import { hash } from 'node:crypto';

/** 32 bytes that differ for each `seed`. */
export function keyBytes(seed: number | string): Buffer {
  return hash('sha256', `key for tests ${seed}`, 'buffer');
}

/** A value of `ENCRYPTION_KEYS` with one key. */
export function ringText(id: string, seed: number | string): string {
  return `${id}:${keyBytes(seed).toString('base64')}`;
}
