/** Lets the audit trail and the events of partners hear what happens in a store, as in a gateway. Tests read there what was told. */

import { hostname } from 'node:os';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { listenTo } from '../../server/base/store/events.ts';
import { openStore, type Store } from '../../server/base/store/index.ts';
import { retentionRules } from '../../server/base/store/retention.ts';
import type { Executor } from '../../server/base/store/schema.ts';
import { recordEvents, signAuditEvents } from '../../server/modules/audit/append.ts';
import { keepAuditKeys, loadAuditKeys } from '../../server/modules/audit/keys.ts';
import { audit } from '../../server/modules/audit/module.ts';
import { MODULES } from '../../server/modules/index.ts';
import { webhooks } from '../../server/modules/webhooks/module.ts';
import { appendEvents } from '../../server/modules/webhooks/outbox.ts';

/** The modules of gateways whose tests read there what was told; those that ship, or without any, the two that record it. */
export const RECORDING = MODULES.length > 0 ? MODULES : [webhooks, audit];

/** What is kept how long, with every module. */
export const RETENTION = [
  ...retentionRules({ callRecordDays: 90 }),
  ...[webhooks, audit].flatMap(({ retention = [] }) => retention),
];

export function listenInTests(db: Executor): void {
  listenTo(db, [appendEvents, recordEvents]);
}

/** Signs the audit trail as a gateway does. */
export async function signAuditTrail(db: Executor, ring: readonly EncryptionKey[], node = hostname()): Promise<void> {
  const { keys } = await loadAuditKeys(db, ring);
  await keepAuditKeys(db, ring);
  signAuditEvents(db, { keys, node });
}

/** Opens a store in which the modules of `listenInTests` hear. */
export async function openListeningStore(options: Parameters<typeof openStore>[0]): Promise<Store> {
  const store = await openStore(options);
  listenInTests(store.db);
  return store;
}
