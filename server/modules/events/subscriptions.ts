/** Subscriptions by webhook, as the store has them, and the positions of their subscribers among the events of a connection. */

import { type ExpressionBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { CredentialBinding, CredentialVault } from '../../base/credentials/index.ts';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Listen } from '../../base/store/events.ts';
import type { SealedRows } from '../../base/store/repositories/sealed-credentials.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { type ParsedJson, parseExactJson } from '../../call/tools/json.ts';
import type { EventSubscriptionsTable } from './tables.ts';

type Bound = Pick<EventSubscriptionsTable, 'id' | 'partner_id' | 'user_id'>;

function bindingOf({ id, partner_id: partnerId, user_id: userId }: Bound): CredentialBinding {
  return { connectionId: id, partnerId, userId, externalUserId: '', service: 'event subscription' };
}

/** What of a subscription is sealed. */
interface Delivery {
  readonly url: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly current: string;
  /** Signs too for a while. */
  readonly previous?: string;
}

export function sealDelivery(vault: CredentialVault, row: Bound, { args, ...texts }: Delivery): string {
  return vault.seal({ ...texts, arguments: JSON.stringify(args) }, bindingOf(row));
}

/** @throws {CredentialUnreadableError} when the key is missing. */
export function openDelivery(vault: CredentialVault, row: Bound & { readonly sealed_credential: string }): Delivery {
  const {
    url = '',
    current = '',
    arguments: args = '{}',
    previous,
  } = vault.open(row.sealed_credential, bindingOf(row));
  return { url, current, args: JSON.parse(args), ...(previous === undefined ? {} : { previous }) };
}

/** The sealed secrets, addresses and arguments. */
export const SEALED_SUBSCRIPTIONS: SealedRows = {
  table: 'event_subscriptions',
  async list(executor, { after, limit }) {
    const rows = executor.selectFrom('event_subscriptions').selectAll().where('id', '>', after);
    const found = await rows.where('sealed_credential', 'is not', null).orderBy('id').limit(limit).execute();
    return found.map((row) => ({ ...bindingOf(row), sealed: row.sealed_credential }));
  },
};

type Update = UpdateQueryBuilder<Database, 'event_subscriptions', 'event_subscriptions', UpdateResult>;

/** Looks for something to send to these subscriptions. One for which nothing waited is then just before the newest event. */
export async function wake(
  transaction: Executor,
  now: number,
  select: (where: Update['where']) => Update,
): Promise<void> {
  const head = sql<number>`(select i.seq - 1 from event_inlets i where i.id = event_subscriptions.inlet_id)`;
  const change = transaction
    .updateTable('event_subscriptions')
    .set((row: ExpressionBuilder<Database, 'event_subscriptions'>) => ({
      cursor: sql<number>`case when next_attempt_at is null then coalesce(${head}, cursor) else cursor end`,
      next_attempt_at: sql<number>`coalesce(next_attempt_at, ${now})`,
      wakes: row('wakes', '+', 1),
    }));
  await select(change.where.bind(change) as Update['where']).execute();
}

/** Ends what a grant or a connection carried, and looks again at what a narrowed grant carries. */
export const endSubscriptions: Listen = async (transaction, events) => {
  for (const event of events) {
    if ('module' in event) continue;
    const { type, now } = event;
    if (type === 'grant_narrowed' && event.grantId != null) {
      const id = event.grantId;
      await wake(transaction, now, (where) => where('grant_id', '=', id));
    }
    if (type === 'grant_ended') await endWhere(transaction, 'grant_id', event.grantId, now);
    if (type === 'connection_removed') await endWhere(transaction, 'inlet_id', event.connectionId, now);
  }
};

/** Tells the subscribers that it is over. */
export async function endWhere(
  executor: Executor,
  column: 'grant_id' | 'inlet_id',
  id: string,
  now: number,
): Promise<void> {
  const ended = executor.updateTable('event_subscriptions').set({ ended: 'forbidden', next_attempt_at: now });
  await ended.where(column, '=', id).execute();
}

/** A position, as clients keep it. Of another connection, such as one that was removed since, it is no position. */
export function toCursor(inletId: string, seq: number): string {
  return `${inletId.slice(-12)}.${seq}`;
}

/** How far a client is, and whether events may be missing after it. */
interface Position {
  readonly seq: number;
  readonly truncated: boolean;
}

/**
 * Reads where a client wants to go on. What is no longer kept, or older than it wants, is left out, and `truncated` says so.
 *
 * @param from.cursor null: from now on. @param from.maxAgeMs default: as far as events are kept.
 */
export async function findPosition(
  executor: Executor,
  inletId: string,
  {
    cursor,
    maxAgeMs,
    now,
  }: { readonly cursor: string | null; readonly maxAgeMs?: number | undefined; readonly now: number },
): Promise<Position> {
  const inlet = await executor.selectFrom('event_inlets').select('seq').where('id', '=', inletId).executeTakeFirst();
  const head = inlet?.seq ?? 0;
  if (cursor === null) return { seq: head, truncated: false };
  const [, prefix, text = ''] = /^([0-9a-f-]{12})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (prefix !== inletId.slice(-12) || Number(text) > head) return { seq: head, truncated: true };
  let kept = executor.selectFrom('event_occurrences').select((row) => row.fn.min('seq').as('oldest'));
  kept = kept.where('inlet_id', '=', inletId).where('sealed', 'is not', null);
  if (maxAgeMs !== undefined) kept = kept.where('created_at', '>=', now - maxAgeMs);
  const { oldest } = await kept.executeTakeFirstOrThrow();
  const first = oldest === null ? head : Number(oldest) - 1;
  return Number(text) < first ? { seq: first, truncated: true } : { seq: Number(text), truncated: false };
}

/** An event as it is kept. */
interface Kept {
  readonly seq: number;
  readonly eventId: string;
  readonly name: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: ParsedJson;
}

/** Events that are read at once, and bytes after which no more are: an event may have hundreds of kilobytes. */
const BATCH = 10;
const MAX_BYTES = 1_048_576;

/**
 * The next events of a type after a position, without those that can no longer be opened. `last` is the last one that was looked at;
 * `isFull`: there may be more.
 */
export async function listKept(
  executor: Executor,
  sealer: ValueSealer,
  { inletId, name, after, limit, now }: { inletId: string; name: string; after: number; limit: number; now: number },
): Promise<{ readonly kept: readonly Kept[]; readonly last: number; readonly isFull: boolean }> {
  const query = executor.selectFrom('event_occurrences').selectAll().where('inlet_id', '=', inletId);
  const kept: Kept[] = [];
  let last = after;
  for (let bytes = 0; kept.length < limit && bytes < MAX_BYTES; ) {
    const most = Math.min(BATCH, limit - kept.length);
    const rows = await query.where('name', '=', name).where('seq', '>', last).orderBy('seq').limit(most).execute();
    for (const { id, seq, sealed, event_id: eventId, occurred_at: occurredAt } of rows) {
      last = seq;
      bytes += sealed?.length ?? 0;
      const text = sealed === null ? undefined : sealer.open(sealed, { holder: id, now });
      if (typeof text !== 'string') continue;
      kept.push({ seq, eventId, name, timestamp: new Date(occurredAt).toISOString(), data: parseExactJson(text) });
    }
    if (rows.length < most) return { kept, last, isFull: false };
  }
  return { kept, last, isFull: true };
}
