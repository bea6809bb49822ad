/** Writes to a store beside a gateway, as its commands do. */

import type { CredentialVault, EncryptionKey } from '../../server/base/credentials/index.ts';
import { joinStoreKey, openVault } from '../../server/base/credentials/store-key.ts';
import type { Store } from '../../server/base/store/index.ts';
import { keyBytes } from './keys.ts';

/** From now on, secrets are hashed and credentials are sealed as the gateway of this store does, if there was one. */
export async function vaultBeside(
  { db }: Pick<Store, 'db'>,
  keys: readonly EncryptionKey[] = [{ id: 'test', key: keyBytes(1) }],
): Promise<CredentialVault> {
  await joinStoreKey(db, keys);
  return openVault(db, keys);
}
