/** Keys of modules, derived from those of the gateway. */

import { hkdfSync } from 'node:crypto';
import type { EncryptionKey } from './index.ts';

/** Returns the keys of one module (HKDF, RFC 5869). No other part of the gateway can open what they seal. */
export function deriveModuleKeys(keys: readonly EncryptionKey[], module: string): EncryptionKey[] {
  return keys.map(({ id, key }) => ({ id, key: Buffer.from(hkdfSync('sha256', key, '', `utg module ${module}`, 32)) }));
}
