/** The settings and the database of the gateway, for a command that runs beside it. */

import { FailureError } from '../../cli/run.ts';
import { type Config, ConfigError, loadConfig } from '../../server/config/index.ts';
import { openStore, type Store } from '../../server/store/index.ts';

/** @throws {FailureError} for settings that the gateway would refuse too. */
export function loadSettings(): Config {
  try {
    return loadConfig({ connectors: [] });
  } catch (error) {
    throw error instanceof ConfigError ? new FailureError(error.message) : error;
  }
}

/** Opens the store that DATABASE_URL names, and closes it after the work. */
export async function withStore({ databaseUrl }: Config, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore({ url: databaseUrl });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
