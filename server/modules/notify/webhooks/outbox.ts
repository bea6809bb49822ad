/** The outbox of partner events: written in the transaction of the change, read in order. */

import { sql } from 'kysely';
import type { AnyEvent, EventHandler, OfGrant, RemovedUser } from '../../../base/store/events.ts';
import { newId } from '../../../base/store/rows.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { PARTNER_EVENTS } from './event-types.ts';
import type { PartnerEventRow } from './tables.ts';
import { openName, sealName } from './user-names.ts';

/** Databases accept some ten thousand parameters per statement. */
const ROWS_PER_STATEMENT = 500;

type EventData = Readonly<Record<string, string | null>>;

type UnnumberedEvent = Omit<PartnerEventRow, 'seq'>;

/** An event of a user, without what the row of the user adds. */
interface UserEvent extends Pick<PartnerEventRow, 'id' | 'type' | 'service' | 'connection_id' | 'created_at'> {
  readonly user_id: string;
  readonly data: EventData;
}

/** An event as read from the store. */
export interface PartnerEvent extends Omit<PartnerEventRow, 'data' | 'sealed_user_id'> {
  /** The partner's own name for the user, or `user_id` if the sealed name can no longer be opened. */
  external_user_id: string | null;
  data: EventData;
}

/**
 * Writes the events that partners receive. A user's events keep its name until it is removed.
 *
 * An event's number comes from the partner's head row, which stays locked until the transaction ends; the next writer
 * waits for the commit. So numbers become visible in order, and a reader that continues after the last number it saw
 * never skips a late commit.
 */
export const appendEvents: EventHandler = async (transaction, events) => {
  for (const event of events) {
    if ('module' in event) continue;
    if (event.type === 'user_erased') await sealUserInEvents(transaction, event);
    if (event.type === 'user_removed') await appendNumbered(transaction, [toRemovalRow(transaction, event)]);
  }
  const userEvents = events.flatMap((event) => toUserEvent(event) ?? []);
  for (let from = 0; from < userEvents.length; from += ROWS_PER_STATEMENT) {
    await appendUserEvents(transaction, userEvents.slice(from, from + ROWS_PER_STATEMENT));
  }
};

function toUserEvent(event: AnyEvent): UserEvent | undefined {
  const partnerEvent = 'module' in event ? event.partner : toPartnerEvent(event);
  if (partnerEvent === undefined || event.userId == null) return undefined;
  const { userId: user_id, now: created_at } = event;
  const id = ('id' in event ? event.id : undefined) ?? `evt_${newId(created_at)}`;
  const { service = null, connectionId: connection_id = null } = 'connectionId' in event ? event : {};
  return { ...partnerEvent, id, user_id, service, connection_id, created_at };
}

type CoreEvent = Exclude<AnyEvent, { readonly module: string }>;

/** Returns the type and the data of an event as its partner receives it, or undefined for events that partners do not receive. */
function toPartnerEvent(
  event: CoreEvent,
): { readonly type: keyof typeof PARTNER_EVENTS; readonly data: EventData } | undefined {
  switch (event.type) {
    case 'connection_created':
      return { type: 'connection.created', data: {} };
    case 'connection_needs_attention':
      return { type: 'connection.attention', data: { reason: event.reason } };
    case 'connection_recovered':
      return { type: 'connection.recovered', data: {} };
    case 'connection_removed':
      return { type: 'connection.removed', data: { ...accountData(event.accountName), by: event.by } };
    case 'connection_shared':
      return { type: 'connection.shared', data: { team_id: event.teamId, by: event.by } };
    case 'connection_share_ended':
      return { type: 'connection.share_ended', data: { team_id: event.teamId, by: event.by } };
    case 'approval_requested': {
      const { approvalId, tool, pageUrl } = event;
      return { type: 'approval.requested', data: { approval_id: approvalId, tool, page_url: pageUrl } };
    }
    case 'approval_decided': {
      const { approvalId, tool, decision, channel } = event;
      return { type: 'approval.decided', data: { approval_id: approvalId, tool, decision, channel } };
    }
    case 'grant_given':
      return { type: 'grant.created', data: grantData(event) };
    case 'refresh_token_shared':
      return { type: 'grant.attention', data: grantData(event) };
    case 'grant_ended':
      return { type: 'grant.revoked', data: { ...grantData(event), reason: event.reason } };
    default:
      return undefined;
  }
}

function grantData({ grantId, clientId }: OfGrant): EventData {
  return { grant_id: grantId, client_id: clientId };
}

/** Names the account of a connection whose user has had several of the service. */
function accountData(accountName: string | null | undefined): EventData {
  return accountName == null ? {} : { account_name: accountName };
}

/** Appends events of users. Events of a user that does not exist, such as after its removal, are left out. */
async function appendUserEvents(transaction: Executor, events: readonly UserEvent[]): Promise<void> {
  const users = await transaction
    .selectFrom('users')
    .select(['id', 'partner_id', 'external_user_id'])
    .where('id', 'in', [...new Set(events.map(({ user_id }) => user_id))])
    .execute();
  const usersById = new Map(users.map((user) => [user.id, user]));
  const accountNames = await findAccountNames(transaction, events);
  const rows = events.flatMap((event) => {
    const user = usersById.get(event.user_id);
    if (user === undefined) return [];
    const { partner_id, external_user_id } = user;
    const account = accountNames.get(event.connection_id);
    // The name that the owner of a shared connection gave it is none of the member's.
    const name = account?.user_id === event.user_id ? account.account_name : null;
    const data = JSON.stringify({ ...accountData(name), ...event.data });
    return { ...event, partner_id, external_user_id, sealed_user_id: null, data };
  });
  await appendNumbered(transaction, rows);
}

/** Returns those connections of the events that have a name, by row id. */
async function findAccountNames(
  transaction: Executor,
  events: readonly UserEvent[],
): Promise<ReadonlyMap<string | null, { readonly user_id: string; readonly account_name: string | null }>> {
  const ids = [...new Set(events.flatMap(({ connection_id }) => connection_id ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await transaction
    .selectFrom('connections')
    .select(['id', 'user_id', 'account_name'])
    .where('id', 'in', ids)
    .where('account_name', 'is not', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Goes through partners in sorted order, so that transactions that append for several partners do not deadlock. */
async function appendNumbered(transaction: Executor, events: readonly UnnumberedEvent[]): Promise<void> {
  const byPartner = Map.groupBy(events, (event) => event.partner_id);
  for (const [partnerId, eventsOfPartner] of [...byPartner].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const first = (await advanceHead(transaction, partnerId, eventsOfPartner.length)) - eventsOfPartner.length + 1;
    await transaction
      .insertInto('partner_events')
      .values(eventsOfPartner.map((event, index) => ({ ...event, seq: first + index })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

/** Takes the next numbers of a partner. Returns the last of them. */
async function advanceHead(transaction: Executor, partnerId: string, by: number): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    insert into partner_event_heads (partner_id, seq) values (${partnerId}, ${by})
    on conflict (partner_id) do update set seq = partner_event_heads.seq + excluded.seq
    returning seq`.execute(transaction);
  return rows[0]?.seq ?? 0;
}

function toRemovalRow(
  transaction: Executor,
  { partnerId, userId, externalUserId, now }: RemovedUser & { readonly now: number },
): UnnumberedEvent {
  return {
    id: `evt_${newId(now)}`,
    partner_id: partnerId,
    type: 'user.removed',
    user_id: userId,
    external_user_id: null,
    sealed_user_id: sealName(transaction, externalUserId, partnerId),
    service: null,
    connection_id: null,
    data: '{}',
    created_at: now,
  };
}

/** Returns the number of a partner's newest event; 0 if it has none. */
export async function findEventHead(executor: Executor, partnerId: string): Promise<number> {
  const head = await executor
    .selectFrom('partner_event_heads')
    .select('seq')
    .where('partner_id', '=', partnerId)
    .executeTakeFirst();
  return head?.seq ?? 0;
}

/** Lists the partner's next events after a number, in order. */
export async function listPartnerEvents(
  executor: Executor,
  { partnerId, after, limit }: { partnerId: string; after: number; limit: number },
): Promise<PartnerEvent[]> {
  const query = executor.selectFrom('partner_events').selectAll().where('partner_id', '=', partnerId);
  const rows = await query.where('seq', '>', after).orderBy('seq').limit(limit).execute();
  return rows.map((row) => toEvent(executor, row));
}

/** Finds one event of a partner. */
export async function findPartnerEvent(
  executor: Executor,
  { id, partnerId }: { id: string; partnerId: string },
): Promise<PartnerEvent | undefined> {
  const query = executor.selectFrom('partner_events').selectAll().where('id', '=', id);
  const row = await query.where('partner_id', '=', partnerId).executeTakeFirst();
  return row && toEvent(executor, row);
}

function toEvent(executor: Executor, { sealed_user_id: sealed, ...row }: PartnerEventRow): PartnerEvent {
  const name = sealed === null ? row.external_user_id : openName(executor, sealed, row.partner_id);
  return { ...row, external_user_id: name ?? row.user_id, data: JSON.parse(row.data) };
}

/** Replaces a removed user's row id in its events by a pseudonym, and the name by the sealed name. */
async function sealUserInEvents(
  transaction: Executor,
  { formerId, userId, partnerId, externalUserId }: RemovedUser & { readonly formerId: string },
): Promise<void> {
  const sealed = sealName(transaction, externalUserId, partnerId);
  await transaction
    .updateTable('partner_events')
    .set({ user_id: userId, external_user_id: null, sealed_user_id: sealed })
    .where('user_id', '=', formerId)
    .execute();
  await transaction
    .updateTable('webhook_deliveries')
    .set({ order_key: userId })
    .where('order_key', '=', formerId)
    .execute();
}

/** Partners continue reading after the last event they saw, so numbers that were used must not be used again. */
const SKIPPED_EVENT_NUMBERS = 1_000_000_000;

/** Skips numbers that events may have had which a restored backup does not hold. */
export async function skipEventNumbers(executor: Executor): Promise<Record<never, never>> {
  await sql`
    insert into partner_event_heads (partner_id, seq) select id, ${sql.lit(SKIPPED_EVENT_NUMBERS)} from partners where true
    on conflict (partner_id) do update set seq = partner_event_heads.seq + excluded.seq`.execute(executor);
  return {};
}
