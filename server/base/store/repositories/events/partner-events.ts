/** The outbox of partner events: written in the transaction of the change, read in order. */

import { newId } from '../../ids.ts';
import type { Executor, PartnerEventsTable } from '../../schema.ts';
import type { DataOf, PartnerEventType } from './event-types.ts';
import { nameSealerOf } from './user-names.ts';

/** Databases accept some ten thousand parameters per statement. */
const ROWS_PER_STATEMENT = 500;

/** `data` as stored. */
type EventData = Readonly<Record<string, string | null>>;

/** An event type with its `data`. */
type Typed = { [Type in PartnerEventType]: { readonly type: Type; readonly data: DataOf<Type> } }[PartnerEventType];

/** What happened to one user. */
interface About {
  /** Row id, or its pseudonym once the user was removed. */
  readonly userId: string;
  /** Connector name. Default: none. */
  readonly service?: string;
  /** Row id. Default: none. */
  readonly connectionId?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** An event with an existing id is not written again. Default: a new id, `evt_...`. */
  readonly id?: string;
}

type UserEvent = About & Typed;

interface AboutPartner extends Omit<About, 'userId'> {
  /** Row id. */
  readonly partnerId: string;
  /** As in `UserEvent`; null: no user. */
  readonly userId: string | null;
  /** The partner's own name for the user. */
  readonly externalUserId: string | null;
  /** The user was removed, so the name is sealed. Default: false. */
  readonly isGone?: boolean;
}

type NewPartnerEvent = AboutPartner & Typed;

/** An event as read from the store. */
export interface PartnerEvent {
  readonly id: string;
  /** Place among the partner's events. */
  readonly seq: number;
  readonly partnerId: string;
  readonly type: PartnerEventType;
  /** Row id, or its pseudonym. */
  readonly userId: string | null;
  /** The partner's own name for the user, or a placeholder if the sealed name can no longer be opened. */
  readonly externalUserId: string | null;
  readonly service: string | null;
  readonly connectionId: string | null;
  readonly data: EventData;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * Appends an event. Needs the transaction that makes the change, so that both are written together.
 *
 * The event's number comes from the partner's head row, which stays locked until the transaction ends; the next writer
 * waits for the commit. So numbers become visible in order, and a reader that continues after the last number it saw
 * never skips a late commit. Call it after locking the rows of the change and before writing the audit event, which
 * locks a chain: this lock order prevents deadlocks.
 */
export function appendPartnerEvent(transaction: Executor, event: NewPartnerEvent): Promise<void> {
  return appendPartnerEvents(transaction, [event]);
}

/** Appends events of users. Events of a user that does not exist, such as after its removal, are left out. */
export async function appendUserEvents(transaction: Executor, events: readonly UserEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += ROWS_PER_STATEMENT) {
    await appendSome(transaction, events.slice(from, from + ROWS_PER_STATEMENT));
  }
}

async function appendSome(transaction: Executor, events: readonly UserEvent[]): Promise<void> {
  const users = await transaction
    .selectFrom('users')
    .select(['id', 'partner_id', 'external_user_id'])
    .where('id', 'in', [...new Set(events.map(({ userId }) => userId))])
    .execute();
  const byId = new Map(users.map((user) => [user.id, user]));
  const known = events.flatMap((event) => {
    const user = byId.get(event.userId);
    return user === undefined ? [] : [{ ...event, partnerId: user.partner_id, externalUserId: user.external_user_id }];
  });
  await appendPartnerEvents(transaction, known);
}

/** Goes through partners in sorted order, so that transactions that append for several partners do not deadlock. */
async function appendPartnerEvents(transaction: Executor, events: readonly NewPartnerEvent[]): Promise<void> {
  const byPartner = Map.groupBy(events, ({ partnerId }) => partnerId);
  for (const partnerId of [...byPartner.keys()].sort()) {
    const own = byPartner.get(partnerId) ?? [];
    const last = await advanceHead(transaction, partnerId, own.length);
    const rows = own.map((event, index) => toRow(transaction, event, last - own.length + 1 + index));
    await transaction
      .insertInto('partner_events')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

async function advanceHead(transaction: Executor, partnerId: string, by: number): Promise<number> {
  const { seq } = await transaction
    .insertInto('partner_event_heads')
    .values({ partner_id: partnerId, seq: by })
    .onConflict((conflict) =>
      conflict.column('partner_id').doUpdateSet((row) => ({ seq: row('partner_event_heads.seq', '+', by) })),
    )
    .returning('seq')
    .executeTakeFirstOrThrow();
  return seq;
}

function toRow(transaction: Executor, event: NewPartnerEvent, seq: number): PartnerEventsTable {
  const { externalUserId, isGone = false } = event;
  return {
    id: event.id ?? `evt_${newId(event.now)}`,
    partner_id: event.partnerId,
    seq,
    type: event.type,
    user_id: event.userId,
    external_user_id: isGone ? null : externalUserId,
    sealed_user_id: isGone ? sealName(transaction, externalUserId, event.partnerId) : null,
    service: event.service ?? null,
    connection_id: event.connectionId ?? null,
    data: JSON.stringify(event.data),
    created_at: event.now,
  };
}

/** The number of a partner's newest event; 0: none yet. */
export async function findEventHead(executor: Executor, partnerId: string): Promise<number> {
  const head = await executor
    .selectFrom('partner_event_heads')
    .select('seq')
    .where('partner_id', '=', partnerId)
    .executeTakeFirst();
  return head?.seq ?? 0;
}

/** The partner's next events after a number, in order. */
export async function listPartnerEvents(
  executor: Executor,
  options: { partnerId: string; after: number; limit: number },
): Promise<PartnerEvent[]> {
  const rows = await executor
    .selectFrom('partner_events')
    .selectAll()
    .where('partner_id', '=', options.partnerId)
    .where('seq', '>', options.after)
    .orderBy('seq')
    .limit(options.limit)
    .execute();
  return rows.map((row) => toEvent(executor, row));
}

/** One event of a partner, or undefined. */
export async function findPartnerEvent(
  executor: Executor,
  key: { id: string; partnerId: string },
): Promise<PartnerEvent | undefined> {
  const row = await executor
    .selectFrom('partner_events')
    .selectAll()
    .where('id', '=', key.id)
    .where('partner_id', '=', key.partnerId)
    .executeTakeFirst();
  return row && toEvent(executor, row);
}

function toEvent(executor: Executor, row: PartnerEventsTable): PartnerEvent {
  const { sealed_user_id: sealed, partner_id: partnerId, user_id: userId } = row;
  const opened = sealed === null ? row.external_user_id : nameSealerOf(executor)?.open(sealed, partnerId);
  return {
    id: row.id,
    seq: row.seq,
    partnerId,
    type: row.type as PartnerEventType,
    userId,
    externalUserId: opened ?? userId,
    service: row.service,
    connectionId: row.connection_id,
    data: JSON.parse(row.data) as EventData,
    createdAt: row.created_at,
  };
}

/**
 * Replaces a removed user's row id in its events by a pseudonym, and the name by the sealed name.
 *
 * @param user.reference the pseudonym.
 */
export async function sealUserInEvents(
  transaction: Executor,
  user: { id: string; partnerId: string; externalUserId: string; reference: string },
): Promise<void> {
  const sealed = sealName(transaction, user.externalUserId, user.partnerId);
  await transaction
    .updateTable('partner_events')
    .set({ user_id: user.reference, external_user_id: null, sealed_user_id: sealed })
    .where('user_id', '=', user.id)
    .execute();
  await transaction
    .updateTable('webhook_deliveries')
    .set({ order_key: user.reference })
    .where('order_key', '=', user.id)
    .execute();
}

function sealName(executor: Executor, name: string | null, partnerId: string): string | null {
  return name === null ? null : (nameSealerOf(executor)?.seal(name, partnerId) ?? null);
}
