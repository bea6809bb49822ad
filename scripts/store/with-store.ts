/** Opens the gateway's settings, keys and database for a command that runs at the same time as the gateway. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { LOCAL_KEY_RING_FILE, loadLocalKeyRing } from '../../server/base/credentials/key-ring.ts';
import { openStore, type Store, StoreUnavailableError } from '../../server/base/store/index.ts';
import { type Config, ConfigError } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { loadConfig } from '../../server/index.ts';
import { KeysMissingError, listenWithModules, modulesOf } from '../../server/module.ts';
import { FailureError } from '../../shared/cli/run.ts';

/**
 * @param connectors whose settings are read too. Default: none.
 * @throws {FailureError} for settings that the gateway would also refuse.
 */
export function loadSettings(connectors: readonly Connector[] = []): Config {
  try {
    return loadConfig({ connectors });
  } catch (error) {
    throw error instanceof ConfigError ? new FailureError(error.message) : error;
  }
}

/** The keys of the gateway. @throws {FailureError} if there are none. */
export function requireKeyRing({ encryptionKeys }: Config): readonly EncryptionKey[] {
  if (encryptionKeys !== null) return encryptionKeys;
  if (existsSync(LOCAL_KEY_RING_FILE)) return loadLocalKeyRing(LOCAL_KEY_RING_FILE).keys;
  throw new FailureError(`ENCRYPTION_KEYS is not set, and there is no ${LOCAL_KEY_RING_FILE}.`);
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
    modules: modulesOf(config).flatMap(({ tables }) => tables ?? []),
  }).catch((error: unknown) => {
    throw error instanceof StoreUnavailableError ? new FailureError(error.message) : error;
  });
  try {
    await listenWithModules(config, {
      db: store.db,
      findKeys: (options) => findKeys(config, options?.isNew ?? false),
      log: null,
    });
    await work(store);
  } catch (error) {
    throw error instanceof KeysMissingError ? new FailureError(error.message) : error;
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

/** Like the gateway, makes the keys of a local run if the database is new. */
function findKeys({ encryptionKeys }: Config, isNew: boolean): readonly EncryptionKey[] | null {
  if (encryptionKeys !== null) return encryptionKeys;
  return isNew || existsSync(LOCAL_KEY_RING_FILE) ? loadLocalKeyRing(LOCAL_KEY_RING_FILE).keys : null;
}
