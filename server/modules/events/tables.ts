/** Where services call, what they told, and who subscribed to it. */

import { defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

export const EVENTS_TABLES = defineTables('events', {
  /** The address at which the service of one connection calls. */
  event_inlets: {
    columns: {
      /** Row id of the connection. */
      id: 'text primary key references connections (id) on delete cascade',
      partner_id: 'text not null references partners (id) on delete cascade',
      user_id: 'text not null references users (id) on delete cascade',
      /** Connector name. */
      service: 'text not null',
      /** Hash of the secret part of the address. */
      address_hash: 'text not null unique',
      /** What `CredentialVault.seal` returned for the `secret` that the service signs with. */
      sealed_credential: 'text not null',
      created_at: 'bigint not null',
      /** How many events came. A transaction that adds one locks the row until it ends. */
      seq: 'bigint not null',
    },
    indexes: {
      event_inlets_by_user: '(user_id)',
      event_inlets_by_partner: '(partner_id)',
    },
  },
  /** An event as it came. `(inlet_id, seq)` and `(inlet_id, event_id)` are unique. */
  event_occurrences: {
    columns: {
      id: 'text primary key',
      inlet_id: 'text not null references event_inlets (id) on delete cascade',
      /** Place among the events of the connection, from 1, in commit order, without gaps. */
      seq: 'bigint not null',
      /** The service's own id. */
      event_id: 'text not null',
      /** Type of the event. */
      name: 'text not null',
      occurred_at: 'bigint not null',
      /** JSON of the payload, sealed; null: it is no longer kept, and the row only tells that the event came. */
      sealed: 'text',
      created_at: 'bigint not null',
    },
    unique: { event_occurrences_by_seq: 'inlet_id, seq', event_occurrences_by_event: 'inlet_id, event_id' },
    indexes: {
      event_occurrences_by_age: '(created_at)',
    },
  },
  /** A subscription by webhook. */
  event_subscriptions: {
    columns: {
      /** `sub_...`, made of whom it is for, its address, event and arguments. */
      id: 'text primary key',
      partner_id: 'text not null references partners (id) on delete cascade',
      user_id: 'text not null references users (id) on delete cascade',
      grant_id: 'text not null references oauth_grants (id) on delete cascade',
      /** No foreign key: the subscriber is told that the connection was removed. */
      inlet_id: 'text not null',
      /** Type of the event. */
      name: 'text not null',
      url_hash: 'text not null',
      /** What `CredentialVault.seal` returned for `url`, `arguments` (JSON) and the secrets `current` and `previous`. */
      sealed_credential: 'text not null',
      /** How long `previous` signs too; null: there is none. */
      previous_until: 'bigint',
      refresh_before: 'bigint not null',
      created_at: 'bigint not null',
      /** Everything up to this `seq` was accepted, given up, or is not subscribed to. Meaningless while nothing waits. */
      cursor: 'bigint not null',
      /** When to look for something to send; null: nothing waits. */
      next_attempt_at: 'bigint',
      /** Counts what may have made something wait. */
      wakes: 'bigint not null',
      /** Why it ended, so that only this is still told; null: it goes on. */
      ended: 'text',
      attempts: 'integer not null',
      first_attempt_at: 'bigint',
      last_delivered_at: 'bigint',
      /** One of the categories of SEP-3415; null: the last attempt succeeded. */
      last_error: 'text',
      failing_since: 'bigint',
      /** After a day of failures, until it is refreshed. */
      disabled_at: 'bigint',
      leased_by: 'text',
      leased_until: 'bigint not null',
    },
    indexes: {
      event_subscriptions_by_user: '(user_id)',
      event_subscriptions_by_partner: '(partner_id)',
      event_subscriptions_by_grant: '(grant_id)',
      event_subscriptions_by_inlet: '(inlet_id, name)',
      event_subscriptions_by_end: '(refresh_before)',
      event_subscriptions_due: '(next_attempt_at) where next_attempt_at is not null',
    },
  },
});

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof EVENTS_TABLES> {}
}

type Rows = RowsOf<typeof EVENTS_TABLES>;
export type IncomingWebhookRow = Rows['event_inlets'];
export type SubscriptionRow = Rows['event_subscriptions'];
