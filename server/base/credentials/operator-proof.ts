/** The proof of a command next to the gateway that it has the gateway's keys: a signed time, valid for a minute. */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from './index.ts';

const SCHEME = 'UTG-Operator';
const KEY_BYTES = 32;
const LIFETIME_MS = 60_000;
const WRITTEN = /^UTG-Operator ([A-Za-z0-9_-]{1,32})\.(\d{1,16})\.([A-Za-z0-9_-]{43})$/;

/**
 * A value of `Authorization`.
 *
 * @param keys of the ring; the first signs.
 * @param now of the gateway's clock, in milliseconds since 1970.
 */
export function writeOperatorProof(keys: readonly EncryptionKey[], now: number): string {
  const [current] = keys;
  if (current === undefined) throw new Error('a proof needs at least one key');
  return `${SCHEME} ${current.id}.${now}.${signTime(current.key, now).toString('base64url')}`;
}

/** Creates the check of a value of `Authorization`: any key of the ring, and a time within a minute of this clock. */
export function createOperatorCheck(keys: readonly EncryptionKey[], now: () => number): (text: string) => boolean {
  const ring = new Map(keys.map(({ id, key }) => [id, key]));
  return (text) => {
    const [, id = '', time = '', mac = ''] = WRITTEN.exec(text) ?? [];
    const key = ring.get(id);
    if (key === undefined || Math.abs(now() - Number(time)) > LIFETIME_MS) return false;
    return timingSafeEqual(signTime(key, Number(time)), Buffer.from(mac, 'base64url'));
  };
}

function signTime(ringKey: Uint8Array, time: number): Buffer {
  const key = Buffer.from(hkdfSync('sha256', ringKey, '', 'utg operator proof v1', KEY_BYTES));
  return createHmac('sha256', key).update(String(time)).digest();
}
