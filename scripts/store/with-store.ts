/** Opens the gateway's settings, keys and database for a command that runs at the same time as the gateway. */

import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { keepAuditKeys, loadAuditKeys } from '../../server/base/credentials/audit-keys.ts';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { LOCAL_KEY_RING_FILE, loadLocalKeyRing } from '../../server/base/credentials/key-ring.ts';
import { signAuditEvents } from '../../server/base/store/audit-chain/continue.ts';
import type { AuditKeys } from '../../server/base/store/audit-chain/signing.ts';
import { openStore, type Store, StoreUnavailableError } from '../../server/base/store/index.ts';
import { type Config, ConfigError } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { loadConfig } from '../../server/index.ts';
import { FailureError } from '../../shared/cli/run.ts';

const OTHER_KEYS =
  'This would be recorded in the audit trail, which the gateway signs with keys that are not here. ' +
  'Set ENCRYPTION_KEYS as the gateway has it.';

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
  const store = await openStore({ url: config.databaseUrl }).catch((error: unknown) => {
    throw error instanceof StoreUnavailableError ? new FailureError(error.message) : error;
  });
  try {
    signAuditEvents(store.db, { keys: await findAuditKeys(store, config), node: hostname() });
    await work(store);
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

/** Like the gateway, creates the keys of a local run if the database has none yet. */
async function findAuditKeys({ db }: Store, config: Config): Promise<AuditKeys | FailureError> {
  const isKnown = (await db.selectFrom('audit_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
  const hasKeys = config.encryptionKeys !== null || existsSync(LOCAL_KEY_RING_FILE) || !isKnown;
  const ring = hasKeys ? (config.encryptionKeys ?? loadLocalKeyRing(LOCAL_KEY_RING_FILE).keys) : null;
  if (ring === null) return new FailureError(OTHER_KEYS);
  const { keys, isForeign } = await loadAuditKeys(db, ring);
  if (isForeign) return new FailureError(OTHER_KEYS);
  await keepAuditKeys(db, ring);
  return keys;
}
