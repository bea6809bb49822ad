/** The store of a gateway, and the vault that opens the credentials in it. */

import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { signAuditTrail } from './base/credentials/audit-keys.ts';
import { createCredentialVault, type EncryptionKey } from './base/credentials/index.ts';
import { LOCAL_KEY_RING_FILE, loadLocalKeyRing } from './base/credentials/key-ring.ts';
import { createNameSealer } from './base/credentials/name-sealer.ts';
import { startResealing } from './base/credentials/reseal-at-start.ts';
import { findLostKey } from './base/credentials/rotate-keys.ts';
import { createUpstreamClients } from './base/credentials/upstream-clients.ts';
import { openLimits } from './base/limits/index.ts';
import { openStore } from './base/store/index.ts';
import { startPurging } from './base/store/purge.ts';
import { sealUserNames } from './base/store/repositories/events/user-names.ts';
import { retentionRules } from './base/store/retention.ts';
import type { Config } from './config/index.ts';
import type { Telemetry } from './modules/telemetry/index.ts';

const LOST_KEY =
  'stored credentials were sealed with a key that ENCRYPTION_KEYS does not hold: put it back, or their users must connect again';

const LOST_AUDIT_KEY =
  'events of the audit trail were signed with a key that ENCRYPTION_KEYS does not hold: they cannot be verified without it';

/** The gateway's options that its store needs. */
interface StateOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** What a gateway keeps open. */
export type GatewayState = Awaited<ReturnType<typeof openState>>;

/** @throws when the store cannot be opened, or the key ring of a local run cannot be read. */
export async function openState({ config, log, now = Date.now }: StateOptions, telemetry: Telemetry | null) {
  const keys = config.encryptionKeys ?? localKeys(log);
  const vault = createCredentialVault({ keys });
  const store = await openStore({
    url: config.databaseUrl,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    onStatement: telemetry?.onStatement(config.databaseUrl),
  });
  telemetry?.observeStore(store);
  sealUserNames(store.db, createNameSealer(keys));
  const keyIds = keys.map(({ id }) => id);
  const lostKey = await findLostKey(store.db, vault, keyIds);
  if (lostKey !== null) log.error({ keyId: lostKey }, LOST_KEY);
  const lostAuditKeys = await signAuditTrail(store.db, keys, hostname());
  if (lostAuditKeys.length > 0) log.error({ keyIds: lostAuditKeys }, LOST_AUDIT_KEY);
  const stopResealing = startResealing({
    db: store.db,
    vault,
    onResealed: (count) => log.info({ count }, 'stored credentials are bound to partner, user and service now'),
    onError: (error) => log.error({ err: error }, 'stored credentials could not be sealed again'),
  });
  const stopPurging = startPurging({
    store,
    rules: retentionRules({
      callRecordDays: config.callRecordRetentionDays,
      anonymousEventDays: config.anonymousEventRetentionDays,
    }),
    now,
    onPurged: (removed) => log.info({ removed }, 'purged'),
    onError: (error) => log.error({ err: error }, 'the purge failed'),
  });
  const limits = await openLimits({ store, redisUrl: config.limitsRedisUrl, log, now });
  telemetry?.observeLimits(limits);
  const upstreamClients = createUpstreamClients({ db: store.db, vault });
  return { keys, vault, store, limits, upstreamClients, stopResealing, stopPurging, now };
}

function localKeys(log: Logger): readonly EncryptionKey[] {
  const { keys, created } = loadLocalKeyRing(LOCAL_KEY_RING_FILE);
  const made = created ? 'made' : 'using';
  log.warn(
    `ENCRYPTION_KEYS is not set: ${made} the key in ${LOCAL_KEY_RING_FILE}. Credentials in the database are lost without it.`,
  );
  return keys;
}
