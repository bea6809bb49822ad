/** Reads the keys that seal credentials: from the environment, or from the file of a local run. */

import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EncryptionKey } from './index.ts';

/** The file of a local run's key ring, relative to the working directory. */
export const LOCAL_KEY_RING_FILE = 'data/encryption-keys';

const KEY_BYTES = 32;
const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/;

/**
 * Reads `id:base64,...`, the first key being the current one.
 *
 * @throws {Error} saying which entry is wrong and how, without repeating it.
 */
export function parseKeyRing(text: string): EncryptionKey[] {
  const ids = new Set<string>();
  return text.split(',').map((entry, index) => {
    const where = `entry ${index + 1}`;
    const [, id, encoded] = ENTRY.exec(entry.trim()) ?? [];
    if (id === undefined || encoded === undefined) throw new Error(`${where} is not of the form id:base64`);
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES) throw new Error(`${where} holds ${key.length} bytes, a key has ${KEY_BYTES}`);
    const weakness = weaknessOf(key);
    if (weakness !== null)
      throw new Error(`${where} holds a weak key, which ${weakness}: create one with openssl rand -base64 32`);
    if (ids.has(id)) throw new Error(`${where} repeats the id "${id}"`);
    ids.add(id);
    return { id, key };
  });
}

/**
 * Reads the key ring of a local run, creating one with a single key when the file is missing.
 *
 * The file is readable by this account only. When several processes create it, one wins and all use its key.
 *
 * @throws {Error} when the file holds something else.
 */
export function loadLocalKeyRing(file: string): { keys: EncryptionKey[]; created: boolean } {
  const existing = unless('ENOENT', null, () => readFileSync(file, 'utf8'));
  if (existing !== null) return { keys: parseKeyRing(existing.trim()), created: false };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `local:${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  const created = unless('EEXIST', false, () => linkSync(draft, file) === undefined);
  rmSync(draft);
  return { keys: parseKeyRing(readFileSync(file, 'utf8').trim()), created };
}

/** The result of `work`, or `otherwise` if it fails with that code of the system. */
function unless<Result>(code: 'EEXIST' | 'ENOENT', otherwise: Result, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return otherwise;
    throw error;
  }
}

/** Of 32 random bytes about 30 are different; fewer than this occur once in 10^20 draws. */
const MIN_DIFFERENT = 16;

/**
 * Says what is wrong with a key, or null.
 *
 * Zeros, repetitions and sequences have few different bytes, or few different steps from one to the next. Text has only
 * printable ones: 32 random bytes are never all printable.
 */
function weaknessOf(key: Uint8Array): string | null {
  if (new Set(key).size < MIN_DIFFERENT) return 'repeats a few bytes';
  const steps = key.map((byte, index) => byte - (key[index - 1] ?? 0));
  if (new Set(steps).size < MIN_DIFFERENT) return 'is a sequence';
  return key.every((byte) => byte >= 0x20 && byte < 0x7f) ? 'is a text' : null;
}

/** Returns the keys of one module, derived from those of the gateway (HKDF, RFC 5869). No other part can open what they seal. */
export function deriveModuleKeys(keys: readonly EncryptionKey[], module: string): EncryptionKey[] {
  return keys.map(({ id, key }) => ({ id, key: Buffer.from(hkdfSync('sha256', key, '', `utg module ${module}`, 32)) }));
}
