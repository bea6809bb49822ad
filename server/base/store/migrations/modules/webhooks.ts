/** Partners' events, the endpoints that these are sent to, and each delivery. */

import { createTables, type TableSet } from '../table-set.ts';

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
