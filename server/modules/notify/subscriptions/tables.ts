/** Tables of the addresses that services call, of the events that they reported, and of subscriptions. */

import { defineTables, type RowsOf } from '../../../base/store/tables/table-set.ts';

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
      /** The `secret` that the service signs with, as `CredentialVault.seal` returned it. */
      sealed_credential: 'text not null',
      created_at: 'bigint not null',
      /** Number of events so far. A transaction that adds an event locks the row until it ends. */
      seq: 'bigint not null',
    },
    indexes: {
      event_inlets_by_user: '(user_id)',
      event_inlets_by_partner: '(partner_id)',
    },
  },
  /** An event as the service sent it. `(inlet_id, seq)` and `(inlet_id, event_id)` are unique. */
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
      /** JSON of the payload, sealed. Null once the payload is no longer kept. Then the row only shows that the event arrived. */
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
      /** `sub_...`, derived from the subscriber, its address, the event and the arguments. */
      id: 'text primary key',
      partner_id: 'text not null references partners (id) on delete cascade',
      user_id: 'text not null references users (id) on delete cascade',
      grant_id: 'text not null references oauth_grants (id) on delete cascade',
      /** No foreign key: the subscriber is told that the connection was removed. */
      inlet_id: 'text not null',
      /** Type of the event. */
      name: 'text not null',
      url_hash: 'text not null',
      /** `url`, `arguments` (JSON) and the secrets `current` and `previous`, as `CredentialVault.seal` returned them. */
      sealed_credential: 'text not null',
      /** Time until which `previous` also signs. Null if there is no previous secret. */
      previous_until: 'bigint',
      refresh_before: 'bigint not null',
      created_at: 'bigint not null',
      /** Events up to this `seq` were accepted or given up, or are not subscribed to. While nothing waits, it may lag behind. */
      cursor: 'bigint not null',
      /** Time of the next search for a message to send. Null if nothing waits. */
      next_attempt_at: 'bigint',
      /** Number of changes after which something may wait to be sent. */
      wakes: 'bigint not null',
      /** Reason of the end, which is then the only message that is sent. Null while the subscription is live. */
      ended: 'text',
      attempts: 'integer not null',
      first_attempt_at: 'bigint',
      last_delivered_at: 'bigint',
      /** One of the categories of SEP-3415. Null if the last attempt succeeded. */
      last_error: 'text',
      failing_since: 'bigint',
      /** Time at which it was disabled after a day of failures. Null until then, and after a refresh. */
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

declare module '../../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof EVENTS_TABLES> {}
}

type Rows = RowsOf<typeof EVENTS_TABLES>;
export type IncomingWebhookRow = Rows['event_inlets'];
export type SubscriptionRow = Rows['event_subscriptions'];
