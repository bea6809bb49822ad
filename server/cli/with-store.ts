/** Opens the gateway's services, settings, keys and database for a command that runs at the same time as the gateway. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { FailureError } from '../../shared/cli/run.ts';
import type { EncryptionKey } from '../base/credentials/index.ts';
import { LOCAL_KEY_RING_FILE, loadLocalKeyRing } from '../base/credentials/key-ring.ts';
import { joinStoreKey } from '../base/credentials/store-key.ts';
import { openStore, type Store, StoreUnavailableError } from '../base/store/index.ts';
import { loadConnectors, NoConnectorsError } from '../call/tools/catalogue/connectors.ts';
import { type Config, ConfigError, loadConfig } from '../config/index.ts';
import type { Connector } from '../contract/index.ts';
import { type AnyModule, KeysMissingError, modulesOf, subscribeModules, tableSetsOf } from '../module.ts';

/** @param root see `loadConnectors`. @throws {FailureError} if no services were generated. */
export async function loadServices(root?: string): Promise<readonly Connector[]> {
  try {
    return await loadConnectors(root);
  } catch (error) {
    throw error instanceof NoConnectorsError ? new FailureError(error.message) : error;
  }
}

/**
 * @param modules those of the gateway.
 * @param connectors whose settings are read too. Default: none.
 * @throws {FailureError} for settings that the gateway would also refuse.
 */
export function loadSettings(modules: readonly AnyModule[], connectors: readonly Connector[] = []): Config {
  try {
    return loadConfig({ connectors, modules });
  } catch (error) {
    throw error instanceof ConfigError ? new FailureError(error.message) : error;
  }
}

/**
 * Returns the keys of the gateway, or null if there are none yet, because the next start of the gateway creates them.
 *
 * @param isNew true to create them now, as a gateway with a new database does.
 */
export function findKeys({ encryptionKeys }: Config, isNew = false): readonly EncryptionKey[] | null {
  if (encryptionKeys !== null) return encryptionKeys;
  return isNew || existsSync(LOCAL_KEY_RING_FILE) ? loadLocalKeyRing(LOCAL_KEY_RING_FILE).keys : null;
}

/** The keys of the gateway. @throws {FailureError} if there are none. */
export function requireKeyRing(config: Config): readonly EncryptionKey[] {
  const keys = findKeys(config);
  if (keys === null) throw new FailureError(`ENCRYPTION_KEYS is not set, and there is no ${LOCAL_KEY_RING_FILE}.`);
  return keys;
}

/**
 * Opens the store that DATABASE_URL names, and closes it after the work.
 *
 * Changes are signed like the gateway's own; with keys other than the gateway's, the work can only read.
 */
export async function withStore(config: Config, work: (store: Store) => Promise<void>): Promise<void> {
  requireDatabase(config.databaseUrl);
  const store = await openStore({
    url: config.databaseUrl,
    sets: tableSetsOf(modulesOf(config)),
  }).catch((error: unknown) => {
    throw error instanceof StoreUnavailableError ? new FailureError(error.message) : error;
  });
  try {
    await joinStoreKey(store.db, findKeys(config) ?? []);
    await subscribeModules(config, {
      db: store.db,
      findKeys: (options) => findKeys(config, options?.isNew),
      log: null,
    });
    await work(store);
  } catch (error) {
    throw error instanceof KeysMissingError || error instanceof StoreUnavailableError
      ? new FailureError(error.message)
      : error;
  } finally {
    await store.close();
  }
}

/**
 * Only the gateway creates a database: a missing one means a typing error or the wrong folder. @throws {FailureError}
 */
function requireDatabase(url: string): void {
  const file = url.startsWith('sqlite:') ? path.resolve(url.slice('sqlite:'.length)) : null;
  if (file === null || existsSync(file)) return;
  throw new FailureError(
    `There is no database ${file}. Start the gateway once, which creates it (npm start), ` +
      'or set DATABASE_URL as the gateway has it. "npm run demo" has a database of its own, which commands do not reach: ' +
      'it prints a token, the credentials of a partner, and the address of its dashboard.',
  );
}
