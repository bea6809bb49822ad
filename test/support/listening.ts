/** Lets the audit trail and the events of partners hear what happens in a store, as in a gateway. Tests read there what was told. */

import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { subscribe } from '../../server/base/store/events.ts';
import { openStore, type Store } from '../../server/base/store/index.ts';
import { retentionRules } from '../../server/base/store/retention.ts';
import type { Executor } from '../../server/base/store/schema.ts';
import { type AnyModule, defaultRetentionOf, tableSetsOf } from '../../server/module.ts';
import { keepAuditKeys, loadAuditKeys } from '../../server/modules/audit/keys.ts';
import { audit } from '../../server/modules/audit/module.ts';
import { signAuditEvents } from '../../server/modules/audit/record.ts';
import { MODULES } from '../../server/modules/index.ts';
import { webhooks } from '../../server/modules/notify/module.ts';

/** The modules of gateways whose tests read there what was told; those that ship, or without any, the two that record it. */
export const RECORDING = MODULES.length > 0 ? MODULES : [webhooks, audit];

/** The tables of gateways in tests. */
export const TABLE_SETS = tableSetsOf(RECORDING);

/** What is kept how long in a gateway with these modules and no settings. */
export const retentionOf = (modules: readonly AnyModule[]) => [
  ...retentionRules({ callRecordDays: 90 }),
  ...defaultRetentionOf(modules),
];

/** What is kept how long, with the modules that record. */
export const RETENTION = retentionOf([webhooks, audit]);

export function listenInTests(db: Executor): void {
  subscribe(
    db,
    [webhooks, audit].flatMap(({ events }) => events ?? []),
  );
}

/** Signs the audit trail as a gateway does. */
export async function signAuditTrail(db: Executor, ring: readonly EncryptionKey[]): Promise<void> {
  const { keys } = await loadAuditKeys(db, ring);
  await keepAuditKeys(db, ring);
  signAuditEvents(db, keys);
}

/** Opens a store in which the modules of `listenInTests` hear. */
export async function openListeningStore(options: Parameters<typeof openStore>[0]): Promise<Store> {
  const store = await openStore({ sets: TABLE_SETS, ...options });
  listenInTests(store.db);
  return store;
}
