/** The incoming webhooks of services, the events that they reported, and subscriptions to them. */

import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';

/** The incoming webhook of a connection: the address that its service calls. */
export interface EventInletsTable {
  /** Row id of the connection. */
  id: string;
  partner_id: string;
  user_id: string;
  /** Connector name. */
  service: string;
  /** Hash of the secret part of the address. */
  address_hash: string;
  /** What `CredentialVault.seal` returned for the `secret` that the service signs with. */
  sealed_credential: string;
  created_at: number;
  /** Number of the newest event. A transaction that adds one locks the row until it ends. */
  seq: number;
}

/** An event as it came. `(inlet_id, seq)` and `(inlet_id, event_id)` are unique. */
interface EventOccurrencesTable {
  id: string;
  inlet_id: string;
  /** Place among the events of the connection, from 1, in commit order, without gaps. */
  seq: number;
  /** The service's own id. */
  event_id: string;
  /** Type of the event. */
  name: string;
  occurred_at: number;
  /** JSON of the payload, sealed; null once it is deleted, and the row only says that the event came. */
  sealed: string | null;
  created_at: number;
}

/** A subscription by webhook. */
export interface EventSubscriptionsTable {
  /** `sub_...`, a hash of the user, client, address, event and arguments. */
  id: string;
  partner_id: string;
  user_id: string;
  grant_id: string;
  /** Row id of the connection. No foreign key: a last message follows its removal. */
  inlet_id: string;
  /** Type of the event. */
  name: string;
  url_hash: string;
  /** What `CredentialVault.seal` returned for `url`, `arguments` (JSON) and the secrets `current` and `previous`. */
  sealed_credential: string;
  /** End of the time in which `previous` signs too; null without a previous secret. */
  previous_until: number | null;
  refresh_before: number;
  created_at: number;
  /** Everything up to this `seq` was accepted, given up, or is not subscribed to. Meaningless while nothing waits. */
  cursor: number;
  /** Time to look for something to send; null while nothing waits. */
  next_attempt_at: number | null;
  /** Counts what may have made something wait. */
  wakes: number;
  /** Reason for its end, which is the only message still to be sent; null while it is live. */
  ended: string | null;
  attempts: number;
  first_attempt_at: number | null;
  last_delivered_at: number | null;
  /** A category of SEP-3415; null after a success. */
  last_error: string | null;
  failing_since: number | null;
  /** Set after a day of failures, until it is refreshed. */
  disabled_at: number | null;
  leased_by: string | null;
  leased_until: number;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    event_inlets: EventInletsTable;
    event_occurrences: EventOccurrencesTable;
    event_subscriptions: EventSubscriptionsTable;
  }
}

const baseline = createTables(
  () => `
create table event_inlets (
  id text primary key references connections (id) on delete cascade,
  partner_id text not null references partners (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  service text not null,
  address_hash text not null unique,
  sealed_credential text not null,
  created_at bigint not null,
  seq bigint not null
);
create index event_inlets_by_user on event_inlets (user_id);
create index event_inlets_by_partner on event_inlets (partner_id);

create table event_occurrences (
  id text primary key,
  inlet_id text not null references event_inlets (id) on delete cascade,
  seq bigint not null,
  event_id text not null,
  name text not null,
  occurred_at bigint not null,
  sealed text,
  created_at bigint not null,
  constraint event_occurrences_by_seq unique (inlet_id, seq),
  constraint event_occurrences_by_event unique (inlet_id, event_id)
);
create index event_occurrences_by_age on event_occurrences (created_at);

create table event_subscriptions (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  grant_id text not null references oauth_grants (id) on delete cascade,
  inlet_id text not null,
  name text not null,
  url_hash text not null,
  sealed_credential text not null,
  previous_until bigint,
  refresh_before bigint not null,
  created_at bigint not null,
  cursor bigint not null,
  next_attempt_at bigint,
  wakes bigint not null,
  ended text,
  attempts integer not null,
  first_attempt_at bigint,
  last_delivered_at bigint,
  last_error text,
  failing_since bigint,
  disabled_at bigint,
  leased_by text,
  leased_until bigint not null
);
create index event_subscriptions_by_user on event_subscriptions (user_id);
create index event_subscriptions_by_partner on event_subscriptions (partner_id);
create index event_subscriptions_by_grant on event_subscriptions (grant_id);
create index event_subscriptions_by_inlet on event_subscriptions (inlet_id, name);
create index event_subscriptions_by_end on event_subscriptions (refresh_before);
create index event_subscriptions_due on event_subscriptions (next_attempt_at) where next_attempt_at is not null;`,
);

export const EVENTS_TABLES: TableSet = {
  owner: 'events',
  tables: ['event_inlets', 'event_occurrences', 'event_subscriptions'],
  migrations: { '0001-baseline': baseline },
};
