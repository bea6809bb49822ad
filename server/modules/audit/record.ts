/** Records events in a store: one signed row for each event. */

import type { DialectAdapter } from 'kysely';
import { type AnyEvent, type EventHandler, textOf } from '../../base/store/events.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { type AuditKeys, signEvent } from './signing.ts';
import type { AuditEvent } from './tables.ts';

/** A database and its transactions share one adapter. */
const keysOfStores = new WeakMap<DialectAdapter, AuditKeys | Error>();

/**
 * Signs the events of this store from now on. Without this call they have no MAC.
 *
 * @param keys the keys, or an error if there is no matching key. Recording an event then fails with this error.
 */
export function signAuditEvents(db: Executor, keys: AuditKeys | Error): void {
  keysOfStores.set(db.getExecutor().adapter, keys);
}

/** The keys given to `signAuditEvents`, or undefined. @throws the error that was given instead of keys. */
export function auditKeysOf(executor: Executor): AuditKeys | undefined {
  const keys = keysOfStores.get(executor.getExecutor().adapter);
  if (keys instanceof Error) throw keys;
  return keys;
}

/** Records each event that has a sentence for people, and replaces a removed user by its pseudonym. */
export const recordEvents: EventHandler = async (transaction, events) => {
  for (const event of events) {
    if (!('module' in event) && event.type === 'user_erased') {
      const { userId, formerId } = event;
      await transaction.updateTable('audit_events').set({ user_id: userId }).where('user_id', '=', formerId).execute();
    }
    const text = textOf(event);
    if (text === null) continue;
    const row = toRow(event);
    await insertEvent(transaction, row);
    listeners.get(transaction.getExecutor().adapter)?.(row.id, text);
  }
};

/** Called with the id and the text of each recorded event. Its transaction may still be rolled back. */
type OnRecorded = (id: string, text: string) => void;

const listeners = new WeakMap<DialectAdapter, OnRecorded>();

/** Calls `listener` with the events of this store from now on. */
export function listenToAuditEvents(db: Executor, listener: OnRecorded): void {
  listeners.set(db.getExecutor().adapter, listener);
}

function toRow(event: AnyEvent): AuditEvent {
  return {
    id: newId(event.now),
    created_at: event.now,
    type: event.type,
    partner_id: event.partnerId ?? null,
    user_id: event.userId ?? null,
    client_id: event.clientId ?? null,
    grant_id: event.grantId ?? null,
    address: event.address ?? null,
    request_id: event.requestId ?? null,
    details: JSON.stringify({ ...event.details, operator: event.operator }),
  };
}

async function insertEvent(transaction: Executor, event: AuditEvent): Promise<void> {
  const keys = auditKeysOf(transaction);
  const mac = keys === undefined ? null : signEvent(keys, event);
  await transaction
    .insertInto('audit_events')
    .values({ ...event, mac })
    .execute();
}
