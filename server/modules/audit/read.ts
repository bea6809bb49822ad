/** Reads the whole audit trail in chronological order, a page at a time. */

import type { Executor } from '../../base/store/schema.ts';
import type { AuditEvent } from './tables.ts';

/** The columns that a MAC covers. */
export const EVENT_COLUMNS = [
  'id',
  'created_at',
  'type',
  'partner_id',
  'user_id',
  'client_id',
  'grant_id',
  'address',
  'request_id',
  'details',
] as const satisfies readonly (keyof AuditEvent)[];

/** An event as it is stored. */
export interface StoredAuditEvent extends AuditEvent {
  readonly mac: string | null;
}

/** Times in milliseconds since 1970. */
interface TimeSpan {
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

const PAGE_ROWS = 500;

export async function* readAuditEvents(executor: Executor, span: TimeSpan = {}): AsyncGenerator<StoredAuditEvent> {
  let last: { readonly created_at: number; readonly id: string } | undefined;
  for (;;) {
    let query = executor.selectFrom('audit_events').select([...EVENT_COLUMNS, 'mac']);
    if (span.since !== undefined) query = query.where('created_at', '>=', span.since);
    if (span.until !== undefined) query = query.where('created_at', '<', span.until);
    const behind = last;
    if (behind !== undefined) {
      query = query
        .where('created_at', '>=', behind.created_at)
        .where(({ or, eb }) => or([eb('created_at', '>', behind.created_at), eb('id', '>', behind.id)]));
    }
    const page = await query.orderBy('created_at').orderBy('id').limit(PAGE_ROWS).execute();
    yield* page;
    last = page.at(-1);
    if (page.length < PAGE_ROWS) return;
  }
}

/** Returns the events that were recorded last, the newest first. */
export async function readNewestEvents(executor: Executor, limit: number): Promise<StoredAuditEvent[]> {
  return executor
    .selectFrom('audit_events')
    .select([...EVENT_COLUMNS, 'mac'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the time of an event in ISO 8601, or as it is stored if someone replaced it by a number that is no time. */
export function timeOf({ created_at: createdAt }: AuditEvent): string {
  const time = new Date(createdAt);
  return Number.isNaN(time.getTime()) ? String(createdAt) : time.toISOString();
}
