/** Seals values that others could read or change, such as those in a form. Each opens for one holder only. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { parseRawNumbers } from '../../../shared/exact-json.ts';
import type { EncryptionKey } from './index.ts';

/** Seals and opens values of one purpose. It keeps no state, so any gateway with the same key ring opens them. */
export interface ValueSealer {
  /**
   * @param value any JSON value; raw numbers keep their digits.
   * @param options.holder whom the value is for; another holder cannot open it.
   * @param options.expiresAt milliseconds since 1970.
   * @returns `v1.<key id>.<base64url of salt, ciphertext and tag>`.
   */
  seal(value: unknown, options: { holder: string; expiresAt: number }): string;
  /** @returns undefined when the text is not one of ours, was changed, has expired, or is another holder's. */
  open(sealed: string, options: { holder: string; now: number }): unknown;
}

const SEALED = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;
const SALT_BYTES = 32;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a sealer. The first of `keys` seals, all of them open.
 *
 * AES-256-GCM. Anyone can have any number of values sealed, so each has its own key and nonce, derived (HKDF, RFC 5869)
 * from the ring's key, the purpose and a random salt.
 */
export function createValueSealer(options: { keys: readonly EncryptionKey[]; purpose: string }): ValueSealer {
  const [current] = options.keys;
  if (current === undefined) throw new Error('a value sealer needs at least one key');
  const ring = new Map(options.keys.map((key) => [key.id, key.key]));

  const derive = (key: Uint8Array, salt: Uint8Array) => {
    const bytes = Buffer.from(
      hkdfSync('sha256', key, salt, `utg page value ${options.purpose}`, KEY_BYTES + NONCE_BYTES),
    );
    return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
  };
  const bind = (keyId: string, holder: string) => Buffer.from(JSON.stringify(['v1', keyId, holder]), 'utf8');

  return {
    seal(value, { holder, expiresAt }) {
      const salt = randomBytes(SALT_BYTES);
      const { key, nonce } = derive(current.key, salt);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(bind(current.id, holder));
      const plain = JSON.stringify([expiresAt, value]);
      const body = Buffer.concat([salt, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${current.id}.${body.toString('base64url')}`;
    },
    open(sealed, { holder, now }) {
      const [, keyId, text] = SEALED.exec(sealed) ?? [];
      const ringKey = keyId === undefined ? undefined : ring.get(keyId);
      if (keyId === undefined || text === undefined || ringKey === undefined) return undefined;
      const body = Buffer.from(text, 'base64url');
      // The last base64url character has unused bits: without this check, several texts would open as one value.
      if (body.length < SALT_BYTES + TAG_BYTES || body.toString('base64url') !== text) return undefined;
      const { key, nonce } = derive(ringKey, body.subarray(0, SALT_BYTES));
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(bind(keyId, holder));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      try {
        const plain = Buffer.concat([decipher.update(body.subarray(SALT_BYTES, -TAG_BYTES)), decipher.final()]);
        const [expiresAt, value] = parseRawNumbers(plain.toString('utf8')) as [number, unknown];
        return expiresAt > now ? value : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
