/** The outbox of partner events: written in the transaction of the change, read in order. */

import type { AnyEvent, Listen, OfConnection, OfGoneUser, OfGrant } from '../../base/store/events.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { PARTNER_EVENTS } from './event-types.ts';
import type { PartnerEventsTable } from './tables.ts';
import { nameSealerOf } from './user-names.ts';

/** Databases accept some ten thousand parameters per statement. */
const ROWS_PER_STATEMENT = 500;

/** `data` as stored. */
type EventData = Readonly<Record<string, string | null>>;

/** What a partner gets to know about one user. */
interface UserEvent {
  readonly type: string;
  readonly data: EventData;
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

interface NewPartnerEvent extends Omit<UserEvent, 'userId'> {
  /** Row id. */
  readonly partnerId: string;
  /** As in `UserEvent`; null: no user. */
  readonly userId: string | null;
  /** The partner's own name for the user. */
  readonly externalUserId: string | null;
  /** The user was removed, so the name is sealed. Default: false. */
  readonly isGone?: boolean;
}

/** An event as read from the store. */
export interface PartnerEvent {
  readonly id: string;
  /** Place among the partner's events. */
  readonly seq: number;
  readonly partnerId: string;
  readonly type: string;
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
 * Writes what partners get to know of what happened. A user's events keep its name until it is removed.
 *
 * An event's number comes from the partner's head row, which stays locked until the transaction ends; the next writer
 * waits for the commit. So numbers become visible in order, and a reader that continues after the last number it saw
 * never skips a late commit.
 */
export const appendEvents: Listen = async (transaction, events) => {
  for (const event of events) {
    if ('module' in event) continue;
    if (event.type === 'user_erased') await sealUserInEvents(transaction, event);
    if (event.type === 'user_removed') {
      const { partnerId, userId, externalUserId, now } = event;
      const removed = { type: 'user.removed', partnerId, userId, externalUserId, isGone: true, data: {}, now };
      await appendPartnerEvents(transaction, [removed]);
    }
  }
  await appendUserEvents(
    transaction,
    events.flatMap((event) => toUserEvent(event) ?? []),
  );
};

function toUserEvent(event: AnyEvent): UserEvent | null {
  if ('module' in event) {
    const { userId, service, connectionId, now, id, partner } = event;
    if (partner === undefined || userId == null) return null;
    const of = service === undefined || connectionId === undefined ? {} : { service, connectionId };
    return { ...partner, ...of, ...(id === undefined ? {} : { id }), userId, now };
  }
  switch (event.type) {
    case 'connection_created':
      return ofConnection('connection.created', event, {});
    case 'connection_needs_attention':
      return ofConnection('connection.attention', event, { reason: event.reason });
    case 'connection_recovered':
      return ofConnection('connection.recovered', event, {});
    case 'connection_removed':
      return ofConnection('connection.removed', event, { ...nameData(event.accountName), by: event.by });
    case 'approval_requested':
      return ofConnection('approval.requested', event, { approval_id: event.approvalId, tool: event.tool });
    case 'approval_decided': {
      const { approvalId, tool, decision, channel } = event;
      return ofConnection('approval.decided', event, { approval_id: approvalId, tool, decision, channel });
    }
    case 'grant_given':
      return ofGrant('grant.created', event, {});
    case 'refresh_token_shared':
      return ofGrant('grant.attention', event, {});
    case 'grant_ended':
      return ofGrant('grant.revoked', event, { reason: event.reason });
    default:
      return null;
  }
}

type PartnerEventType = keyof typeof PARTNER_EVENTS;

function ofConnection(
  type: PartnerEventType,
  { userId, service, connectionId, now }: OfConnection & { readonly now: number },
  data: EventData,
): UserEvent {
  return { type, userId, service, connectionId, data, now };
}

function ofGrant(type: PartnerEventType, event: OfGrant & { readonly now: number }, data: EventData): UserEvent {
  const { userId, grantId, clientId, now } = event;
  return { type, userId, data: { grant_id: grantId, client_id: clientId, ...data }, now };
}

/** The account of a connection, where its user has had several of the service. */
function nameData(accountName: string | null | undefined): EventData {
  return accountName == null ? {} : { account_name: accountName };
}

/** Appends events of users. Events of a user that does not exist, such as after its removal, are left out. */
async function appendUserEvents(transaction: Executor, events: readonly UserEvent[]): Promise<void> {
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
  const names = await findAccountNames(transaction, events);
  const known = events.flatMap((event) => {
    const user = byId.get(event.userId);
    if (user === undefined) return [];
    const data = { ...nameData(names.get(event.connectionId ?? '')), ...event.data };
    return [{ ...event, data, partnerId: user.partner_id, externalUserId: user.external_user_id }];
  });
  await appendPartnerEvents(transaction, known);
}

/** By row id of those connections of the events that have a name. */
async function findAccountNames(
  transaction: Executor,
  events: readonly UserEvent[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(events.flatMap(({ connectionId }) => connectionId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await transaction
    .selectFrom('connections')
    .select(['id', 'account_name'])
    .where('id', 'in', ids)
    .where('account_name', 'is not', null)
    .execute();
  return new Map(rows.map(({ id, account_name }) => [id, account_name]));
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
    type: row.type,
    userId,
    externalUserId: opened ?? userId,
    service: row.service,
    connectionId: row.connection_id,
    data: JSON.parse(row.data) as EventData,
    createdAt: row.created_at,
  };
}

/** Replaces a removed user's row id in its events by a pseudonym, and the name by the sealed name. */
async function sealUserInEvents(
  transaction: Executor,
  { formerId, userId, partnerId, externalUserId }: OfGoneUser & { readonly formerId: string },
): Promise<void> {
  await transaction
    .updateTable('partner_events')
    .set({ user_id: userId, external_user_id: null, sealed_user_id: sealName(transaction, externalUserId, partnerId) })
    .where('user_id', '=', formerId)
    .execute();
  await transaction
    .updateTable('webhook_deliveries')
    .set({ order_key: userId })
    .where('order_key', '=', formerId)
    .execute();
}

function sealName(executor: Executor, name: string | null, partnerId: string): string | null {
  return name === null ? null : (nameSealerOf(executor)?.seal(name, partnerId) ?? null);
}

/** Partners continue reading after the last event they saw, so numbers that were used must not be used again. */
const EVENT_NUMBERS_LEFT_OUT = 1_000_000_000;

/** Leaves out numbers that events may have had which a restored backup does not hold. */
export async function leaveOutEventNumbers(executor: Executor): Promise<Record<never, never>> {
  await executor
    .insertInto('partner_event_heads')
    .columns(['partner_id', 'seq'])
    .expression(({ selectFrom, val }) =>
      selectFrom('partners')
        .select(['id', val(EVENT_NUMBERS_LEFT_OUT).as('seq')])
        .where('id', 'is not', null),
    )
    .onConflict((conflict) =>
      conflict
        .column('partner_id')
        .doUpdateSet((row) => ({ seq: row('partner_event_heads.seq', '+', row.ref('excluded.seq')) })),
    )
    .execute();
  return {};
}
