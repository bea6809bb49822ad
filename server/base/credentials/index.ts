/** Upstream credentials at rest: sealed with AES-256-GCM, under keys derived for each partner from a key ring and the store's key. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CredentialBinding } from '../store/repositories/sealed-credentials.ts';

/** One key of the ring. `id` is written into what it seals, so that keys can be added and rotated. */
export interface EncryptionKey {
  /** 1 to 32 characters of `A-Za-z0-9_-`. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Seals and opens the secret fields of a connection. */
export interface CredentialVault {
  /** Id of the key that `seal` uses. */
  readonly currentKeyId: string;
  /** Of the texts that it opens, the first being that of the texts that it seals: 3 with the key of a store, else 2. */
  readonly versions: readonly number[];
  /** @returns text for the store: `v<version>.<key id>.<base64url of nonce, ciphertext and tag>`. */
  seal(fields: Readonly<Record<string, string>>, binding: CredentialBinding): string;
  /** @throws {CredentialUnreadableError} when the key is not in the ring, or the text is damaged, bound elsewhere or of another version. */
  open(sealed: string, binding: CredentialBinding): Record<string, string>;
  /** False for a text of another key than `seal` uses. */
  isCurrent(sealed: string): boolean;
  /** Id of the key that sealed this text, or null when it is not a sealed credential. */
  keyIdOf(sealed: string): string | null;
}

/**
 * A stored credential that cannot be read.
 *
 * `unknown-key`: the operator must put the key back into `ENCRYPTION_KEYS`. `damaged`: the user must connect again.
 */
export class CredentialUnreadableError extends Error {
  override readonly name = 'CredentialUnreadableError';
  readonly reason: 'unknown-key' | 'damaged';
  /** Key id as written in the sealed text, or null when the text has none. */
  readonly keyId: string | null;

  constructor(reason: 'unknown-key' | 'damaged', keyId: string | null) {
    super(
      reason === 'unknown-key'
        ? `the credential was sealed with the encryption key "${keyId}", which ENCRYPTION_KEYS does not hold`
        : 'the sealed credential is damaged or belongs to another connection',
    );
    this.reason = reason;
    this.keyId = keyId;
  }
}

const SEALED = /^v([23])\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates the vault. The first of `keys` seals, all of them open. */
export function createCredentialVault(options: {
  readonly keys: readonly EncryptionKey[];
  /** See `openVault`, which reads it. Default: none. */
  readonly storeKey?: Uint8Array | null;
  /** True for as long as texts that were sealed without the store's key are opened too. Default: false. */
  readonly opensUnkeyed?: () => boolean;
}): CredentialVault {
  const [current] = options.keys;
  const storeKey = options.storeKey ?? null;
  const version = storeKey === null ? 2 : 3;
  const listVersions = () => (version === 3 && options.opensUnkeyed?.() ? [3, 2] : [version]);
  if (current === undefined) throw new Error('a credential vault needs at least one key');
  const ring = new Map(options.keys.map((key) => [key.id, key.key]));

  return {
    currentKeyId: current.id,
    get versions() {
      return listVersions();
    },
    seal(fields, binding) {
      const nonce = randomBytes(NONCE_BYTES);
      const { key, additionalData } = bind(current, storeKey, binding);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData);
      const body = Buffer.concat([
        nonce,
        cipher.update(JSON.stringify(fields), 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `v${version}.${current.id}.${body.toString('base64url')}`;
    },
    open(sealed, binding) {
      const [, written, keyId, text] = SEALED.exec(sealed) ?? [];
      if (keyId === undefined || text === undefined) throw new CredentialUnreadableError('damaged', null);
      const ringKey = ring.get(keyId);
      if (ringKey === undefined) throw new CredentialUnreadableError('unknown-key', keyId);
      const body = Buffer.from(text, 'base64url');
      if (body.length < NONCE_BYTES + TAG_BYTES || !listVersions().includes(Number(written)))
        throw new CredentialUnreadableError('damaged', keyId);
      const sealingKey = written === '2' ? null : storeKey;
      const { key, additionalData } = bind({ id: keyId, key: ringKey }, sealingKey, binding);
      const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(additionalData);
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      try {
        const plain = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
        return JSON.parse(Buffer.concat([plain, decipher.final()]).toString('utf8')) as Record<string, string>;
      } catch {
        throw new CredentialUnreadableError('damaged', keyId);
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`v${version}.${current.id}.`),
    keyIdOf: (sealed) => SEALED.exec(sealed)?.[2] ?? null,
  };
}

/** The key and the additional authenticated data of a credential. HKDF (RFC 5869) gives each partner its own keys. */
function bind(ring: EncryptionKey, storeKey: Uint8Array | null, binding: CredentialBinding) {
  const { partnerId, userId, externalUserId, service, connectionId } = binding;
  const [version, owner] = storeKey === null ? ['v2', [userId]] : ['v3', [userId, externalUserId]];
  const info = `utg credential ${version} ${partnerId}`;
  const key = new Uint8Array(hkdfSync('sha256', ring.key, storeKey ?? '', info, KEY_BYTES));
  const data = ['utg-credential', version, ring.id, partnerId, ...owner, service, connectionId];
  return { key, additionalData: Buffer.from(JSON.stringify(data), 'utf8') };
}
