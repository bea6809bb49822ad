/** Events of services as they are stored: numbered per connection, sealed, each once; and positions of subscribers among them. */

import type { Kysely } from 'kysely';
import type { ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { newId } from '../../../base/store/rows.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import { type ParsedJson, parseExactJson } from '../../../call/tools/json.ts';
import { wakeWhere } from './subscriptions.ts';

/** Time for which payloads are stored for subscribers. `MAX_PAYLOADS` is the maximum of one connection. */
export const PAYLOAD_MS = 3 * 86_400_000;
const MAX_PAYLOADS = 1_000;

/** Time for which ids of events are stored, to recognise repeated events. `MAX_EVENT_IDS` is the maximum of one connection. */
export const EVENT_ID_MS = 90 * 86_400_000;
const MAX_EVENT_IDS = 10_000;

/** An event that a service reported. */
export interface Occurrence {
  readonly eventId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
  readonly data: unknown;
}

/** Stores an event that is not stored yet, and wakes its subscriptions. */
export async function storeOccurrence(
  db: Kysely<Database>,
  sealer: ValueSealer,
  connectionId: string,
  { eventId, name, occurredAt, data }: Occurrence,
  now: number,
): Promise<void> {
  const id = newId(now);
  const sealed = sealer.seal(JSON.stringify(data), { holder: id, expiresAt: now + PAYLOAD_MS });
  await db.transaction().execute(async (transaction) => {
    const seq = await advanceSeq(transaction, connectionId, 1);
    const occurrences = transaction.selectFrom('event_occurrences').where('inlet_id', '=', connectionId);
    const existing = await occurrences.select('id').where('event_id', '=', eventId).executeTakeFirst();
    if (existing !== undefined) {
      await advanceSeq(transaction, connectionId, -1);
      return;
    }

    await transaction
      .insertInto('event_occurrences')
      .values({
        id,
        inlet_id: connectionId,
        seq,
        event_id: eventId,
        name,
        occurred_at: occurredAt,
        sealed,
        created_at: now,
      })
      .execute();
    await transaction
      .updateTable('event_occurrences')
      .set({ sealed: null })
      .where('inlet_id', '=', connectionId)
      .where('seq', '=', seq - MAX_PAYLOADS)
      .execute();
    await transaction
      .deleteFrom('event_occurrences')
      .where('inlet_id', '=', connectionId)
      .where('seq', '=', seq - MAX_EVENT_IDS)
      .execute();
    await wakeWhere(transaction, { inlet_id: connectionId, name }, now);
  });
}

/** Changes the number of a connection's newest event, and locks the row until the transaction ends. */
async function advanceSeq(transaction: Executor, connectionId: string, by: number): Promise<number> {
  const update = transaction.updateTable('event_inlets').set((row) => ({ seq: row('seq', '+', by) }));
  const { seq } = await update.where('id', '=', connectionId).returning('seq').executeTakeFirstOrThrow();
  return seq;
}

/** Returns a position as clients store it. It is valid for this connection only. */
export function toCursor(connectionId: string, seq: number): string {
  return `${connectionId.slice(-12)}.${seq}`;
}

/** A position among the events of a connection. */
interface Position {
  readonly seq: number;
  /** Number of the newest event. */
  readonly head: number;
  /** True if events may be missing after the position that was asked for. */
  readonly truncated: boolean;
}

/** A position that a client asks for. */
export interface StartingPoint {
  /** Null for the newest event. */
  readonly cursor: string | null;
  /** Default: all stored events. */
  readonly maxAgeMs?: number | undefined;
}

/** Reads the position from which a client continues. Events that are no longer stored, or older than it wants, are left out. */
export async function findPosition(
  executor: Executor,
  connectionId: string,
  { cursor, maxAgeMs }: StartingPoint,
  now: number,
): Promise<Position> {
  const webhook = await executor
    .selectFrom('event_inlets')
    .select('seq')
    .where('id', '=', connectionId)
    .executeTakeFirst();
  const head = webhook?.seq ?? 0;
  if (cursor === null) return { seq: head, head, truncated: false };
  const [, prefix, text = ''] = /^([0-9a-f-]{12})\.(\d{1,15})$/.exec(cursor) ?? [];
  const requestedSeq = Number(text);
  if (prefix !== connectionId.slice(-12) || requestedSeq > head) return { seq: head, head, truncated: true };

  let oldestQuery = executor
    .selectFrom('event_occurrences')
    .select((row) => row.fn.min('seq').as('oldest'))
    .where('inlet_id', '=', connectionId)
    .where('sealed', 'is not', null);
  if (maxAgeMs !== undefined) oldestQuery = oldestQuery.where('created_at', '>=', now - maxAgeMs);
  const { oldest } = await oldestQuery.executeTakeFirstOrThrow();
  const first = oldest === null ? head : Number(oldest) - 1;
  return { seq: Math.max(requestedSeq, first), head, truncated: requestedSeq < first };
}

/** A stored event. */
interface StoredEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly data: ParsedJson;
}

/** Most events that are read at once. After `MAX_BYTES` no more are read, because one event may have hundreds of kilobytes. */
const BATCH = 10;
const MAX_BYTES = 1_048_576;

/** A page of stored events. */
interface StoredPage {
  readonly events: readonly StoredEvent[];
  /** Number of the last event that was looked at. */
  readonly last: number;
  /** True if there may be more events. */
  readonly isFull: boolean;
}

/** Lists the next events of a type after a position, without those that can no longer be opened. */
export async function listStored(
  executor: Executor,
  sealer: ValueSealer,
  page: { connectionId: string; name: string; after: number; limit: number },
  now: number,
): Promise<StoredPage> {
  const { connectionId, name, limit } = page;
  const query = executor.selectFrom('event_occurrences').selectAll().where('inlet_id', '=', connectionId);
  const events: StoredEvent[] = [];
  let last = page.after;
  let bytes = 0;
  while (events.length < limit && bytes < MAX_BYTES) {
    const batchSize = Math.min(BATCH, limit - events.length);
    const rows = await query.where('name', '=', name).where('seq', '>', last).orderBy('seq').limit(batchSize).execute();
    for (const { id, seq, sealed, event_id: eventId, occurred_at: timestamp } of rows) {
      last = seq;
      bytes += sealed?.length ?? 0;
      const text = sealed === null ? undefined : sealer.open(sealed, { holder: id, now });
      if (typeof text !== 'string') continue;
      events.push({ seq, eventId, name, timestamp, data: parseExactJson(text) });
    }
    if (rows.length < batchSize) return { events, last, isFull: false };
  }
  return { events, last, isFull: true };
}
