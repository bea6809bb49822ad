/** Partners' events, the endpoints that these are sent to, and each delivery. */

import { column, defineTables, type RowsOf } from '../../../base/store/tables/table-set.ts';

export const WEBHOOKS_TABLES = defineTables('webhooks', {
  /** The number of a partner's events so far. A transaction that appends one locks the row until it ends. */
  partner_event_heads: {
    columns: {
      partner_id: 'text primary key references partners (id) on delete cascade',
      seq: 'bigint not null',
    },
  },
  /** Events for a partner; see `appendEvents`. `(partner_id, seq)` is unique. */
  partner_events: {
    columns: {
      /** `evt_...`. */
      id: 'text primary key',
      partner_id: 'text not null references partners (id) on delete cascade',
      /** Place among the partner's events, starting at 1, in commit order. Numbers may be missing. */
      seq: 'bigint not null',
      type: 'text not null',
      /** Row id, or its pseudonym once the user was removed. */
      user_id: 'text',
      /** The partner's own name for the user. Null once the user was removed. */
      external_user_id: 'text',
      /** The same name, sealed, once the user was removed. Null before that. */
      sealed_user_id: 'text',
      /** Connector name. */
      service: 'text',
      connection_id: 'text',
      /** JSON object. */
      data: 'text not null',
      created_at: 'bigint not null',
    },
    unique: { partner_events_by_seq: 'partner_id, seq' },
    indexes: {
      partner_events_by_age: '(created_at)',
      partner_events_by_user: '(user_id)',
    },
  },
  /** Endpoints that a partner's events are sent to. */
  webhook_endpoints: {
    columns: {
      id: 'text primary key',
      partner_id: 'text not null references partners (id) on delete cascade',
      url: 'text not null',
      /** Types of events that are sent, separated by commas. Null for all types. */
      types: 'text',
      /** The secrets `current` and `previous`, as `CredentialVault.seal` returned them. */
      sealed_credential: 'text not null',
      /** Time until which `previous` also signs. Null if there is no previous secret. */
      previous_until: 'bigint',
      created_at: 'bigint not null',
      /** Events up to this `seq` have become deliveries. */
      cursor: 'bigint not null',
      disabled_at: 'bigint',
      /** One of `DisabledReason`. Null while it is enabled. */
      disabled_reason: 'text',
      /** Time since which every attempt has failed. Null if the last attempt succeeded, or there was no attempt. */
      failing_since: 'bigint',
      /** Nothing is sent before this time, because the endpoint did not answer at all. */
      held_until: 'bigint not null',
      /** The node that may send to it now. */
      leased_by: 'text',
      leased_until: 'bigint not null',
    },
    indexes: {
      webhook_endpoints_by_partner: '(partner_id)',
    },
  },
  /** The delivery of one event to one endpoint, with the last answer. */
  webhook_deliveries: {
    columns: {
      id: 'text primary key',
      endpoint_id: 'text not null references webhook_endpoints (id) on delete cascade',
      event_id: 'text not null',
      type: 'text not null',
      kind: column<'event' | 'replay' | 'test'>('text not null'),
      /** Deliveries with the same key are made one after another, by `seq`. */
      order_key: 'text not null',
      seq: 'bigint not null',
      status: column<'waiting' | 'delivered' | 'failed'>('text not null'),
      attempts: 'integer not null',
      first_attempt_at: 'bigint',
      next_attempt_at: 'bigint not null',
      last_attempt_at: 'bigint',
      /** Status of the last answer. Null if there was no answer. */
      answer_status: 'integer',
      /** One of `DeliveryProblem`. Null if there was an answer. */
      problem: 'text',
      duration_ms: 'integer',
      created_at: 'bigint not null',
    },
    indexes: {
      webhook_deliveries_by_age: '(created_at)',
      webhook_deliveries_by_endpoint: '(endpoint_id, status, next_attempt_at)',
      webhook_deliveries_by_order: '(endpoint_id, order_key, seq)',
    },
  },
});

declare module '../../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof WEBHOOKS_TABLES> {}
}

type Rows = RowsOf<typeof WEBHOOKS_TABLES>;
export type PartnerEventRow = Rows['partner_events'];
export type WebhookEndpointRow = Rows['webhook_endpoints'];
export type WebhookDeliveryRow = Rows['webhook_deliveries'];
