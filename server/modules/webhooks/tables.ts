/** Partners' events, the endpoints that these are sent to, and each delivery. */

import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';

/** The number of a partner's events so far. A transaction that appends one locks the row until it ends. */
interface PartnerEventHeadsTable {
  partner_id: string;
  seq: number;
}

/** Events for a partner; see `appendEvents`. `(partner_id, seq)` is unique. */
export interface PartnerEventsTable {
  /** `evt_...`. */
  id: string;
  partner_id: string;
  /** Place among the partner's events, starting at 1, in commit order. Numbers may be missing. */
  seq: number;
  type: string;
  /** Row id, or its pseudonym once the user was removed. */
  user_id: string | null;
  /** The partner's own name for the user; null once the user was removed. */
  external_user_id: string | null;
  /** The same name, sealed, once the user was removed; null before. */
  sealed_user_id: string | null;
  /** Connector name. */
  service: string | null;
  connection_id: string | null;
  /** JSON object. */
  data: string;
  created_at: number;
}

/** Endpoints that a partner's events are sent to. */
export interface WebhookEndpointsTable {
  id: string;
  partner_id: string;
  url: string;
  /** Types of events that are sent, separated by commas; null for all. */
  types: string | null;
  /** What `CredentialVault.seal` returned for the secrets `current` and `previous`. */
  sealed_credential: string;
  /** End of the time in which `previous` signs too; null without a previous secret. */
  previous_until: number | null;
  created_at: number;
  /** Events up to this `seq` have become deliveries. */
  cursor: number;
  disabled_at: number | null;
  /** `by-partner`, `by-operator`, `failing` for a day, or `gone` after an answer of 410; null while it is enabled. */
  disabled_reason: string | null;
  /** Time of the first of only failures; null if the last attempt succeeded, or there was none. */
  failing_since: number | null;
  /** Nothing is sent before this time, because the endpoint did not answer at all. */
  held_until: number;
  /** The node that may send to it now. */
  leased_by: string | null;
  leased_until: number;
}

/** The delivery of one event to one endpoint, with the last answer. */
export interface WebhookDeliveriesTable {
  id: string;
  endpoint_id: string;
  event_id: string;
  type: string;
  kind: 'event' | 'replay' | 'test';
  /** Deliveries with the same key are made one after another, by `seq`. */
  order_key: string;
  seq: number;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  first_attempt_at: number | null;
  next_attempt_at: number;
  last_attempt_at: number | null;
  /** Status of the last answer; null without an answer. */
  answer_status: number | null;
  /** One of `DeliveryProblem`; null with an answer. */
  problem: string | null;
  duration_ms: number | null;
  created_at: number;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    partner_event_heads: PartnerEventHeadsTable;
    partner_events: PartnerEventsTable;
    webhook_endpoints: WebhookEndpointsTable;
    webhook_deliveries: WebhookDeliveriesTable;
  }
}

const baseline = createTables(
  () => `
create table partner_event_heads (
  partner_id text primary key references partners (id) on delete cascade,
  seq bigint not null
);

create table partner_events (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  seq bigint not null,
  type text not null,
  user_id text,
  external_user_id text,
  sealed_user_id text,
  service text,
  connection_id text,
  data text not null,
  created_at bigint not null,
  constraint partner_events_by_seq unique (partner_id, seq)
);
create index partner_events_by_age on partner_events (created_at);
create index partner_events_by_user on partner_events (user_id);

create table webhook_endpoints (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  url text not null,
  types text,
  sealed_credential text not null,
  previous_until bigint,
  created_at bigint not null,
  cursor bigint not null,
  disabled_at bigint,
  disabled_reason text,
  failing_since bigint,
  held_until bigint not null,
  leased_by text,
  leased_until bigint not null
);
create index webhook_endpoints_by_partner on webhook_endpoints (partner_id);

create table webhook_deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id) on delete cascade,
  event_id text not null,
  type text not null,
  kind text not null,
  order_key text not null,
  seq bigint not null,
  status text not null,
  attempts integer not null,
  first_attempt_at bigint,
  next_attempt_at bigint not null,
  last_attempt_at bigint,
  answer_status integer,
  problem text,
  duration_ms integer,
  created_at bigint not null
);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, status, next_attempt_at);
create index webhook_deliveries_by_order on webhook_deliveries (endpoint_id, order_key, seq);`,
);

export const WEBHOOKS_TABLES: TableSet = {
  owner: 'webhooks',
  tables: ['partner_event_heads', 'partner_events', 'webhook_endpoints', 'webhook_deliveries'],
  migrations: { '0001-baseline': baseline },
};
