/** Security events, the chains that reveal changes to them, and the keys that sign them. */

import { createTables, type TableSet } from '../table-set.ts';

const baseline = createTables(
  () => `
create table audit_events (
  id text primary key,
  created_at bigint not null,
  type text not null,
  partner_id text,
  user_id text,
  client_id text,
  grant_id text,
  address text,
  request_id text,
  details text not null,
  chain integer,
  chain_seq bigint,
  chain_mac text
);
create index audit_events_by_chain on audit_events (chain, chain_seq);
create index audit_events_by_time on audit_events (created_at);
create index audit_events_of_user on audit_events (user_id, created_at);

create table audit_chains (
  number integer primary key,
  node text not null,
  created_at bigint not null,
  updated_at bigint not null,
  base_seq bigint not null,
  base_mac text not null,
  head_seq bigint not null,
  head_mac text not null,
  seal text not null
);

create table audit_keys (
  id text primary key,
  sealed text not null
);

create table anonymous_events (
  key text primary key,
  type text not null,
  network text not null,
  count integer not null,
  created_at bigint not null,
  last_at bigint not null
);
create index anonymous_events_by_time on anonymous_events (created_at);`,
);

export const AUDIT_TABLES: TableSet = {
  owner: 'audit',
  tables: ['audit_events', 'audit_chains', 'audit_keys', 'anonymous_events'],
  migrations: { '0001-baseline': baseline },
};
