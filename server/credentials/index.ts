/** Upstream credentials at rest: sealed with AES-256-GCM under a ring of keys. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** One key of the ring. `id` is written into what it seals, so that the ring can grow and turn. */
export interface EncryptionKey {
  /** 1 to 32 characters of `A-Za-z0-9_-`. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** What a sealed credential is bound to: copied to another connection, it no longer opens. */
interface SealContext {
  readonly connectionId: string;
}

/** Seals and opens the secret fields of a connection. */
export interface CredentialVault {
  /** Id of the key that `seal` uses. */
  readonly currentKeyId: string;
  /** @returns text for the store: `v1.<key id>.<base64url of nonce, ciphertext and tag>`. */
  seal(fields: Readonly<Record<string, string>>, context: SealContext): string;
  /** @throws {CredentialUnreadableError} when the key is not in the ring, or the text is damaged or bound elsewhere. */
  open(sealed: string, context: SealContext): Record<string, string>;
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

const SEALED = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates the vault. The first of `keys` seals, all of them open. */
export function createCredentialVault(options: { keys: readonly EncryptionKey[] }): CredentialVault {
  const [current] = options.keys;
  if (current === undefined) throw new Error('a credential vault needs at least one key');
  const ring = new Map(options.keys.map((key) => [key.id, key.key]));

  return {
    currentKeyId: current.id,
    seal(fields, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(current.id, context));
      const body = Buffer.concat([
        nonce,
        cipher.update(JSON.stringify(fields), 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `v1.${current.id}.${body.toString('base64url')}`;
    },
    open(sealed, context) {
      const [, keyId, text] = SEALED.exec(sealed) ?? [];
      if (keyId === undefined || text === undefined) throw new CredentialUnreadableError('damaged', null);
      const key = ring.get(keyId);
      if (key === undefined) throw new CredentialUnreadableError('unknown-key', keyId);
      const body = Buffer.from(text, 'base64url');
      if (body.length < NONCE_BYTES + TAG_BYTES) throw new CredentialUnreadableError('damaged', keyId);
      const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(additionalData(keyId, context));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      try {
        const plain = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
        return JSON.parse(Buffer.concat([plain, decipher.final()]).toString('utf8')) as Record<string, string>;
      } catch {
        throw new CredentialUnreadableError('damaged', keyId);
      }
    },
    keyIdOf: (sealed) => SEALED.exec(sealed)?.[1] ?? null,
  };
}

function additionalData(keyId: string, context: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['utg-credential', 'v1', keyId, context.connectionId]), 'utf8');
}
