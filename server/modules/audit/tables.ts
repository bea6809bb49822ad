/** Security events, the keys that sign them, and counts of anonymous events. */

import { type Generated, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';

/** A security event. It may refer to rows that no longer exist, and holds no secret. */
export interface AuditEvent {
  id: string;
  created_at: number;
  type: string;
  partner_id: string | null;
  user_id: string | null;
  client_id: string | null;
  grant_id: string | null;
  /** IP address of the request. */
  address: string | null;
  request_id: string | null;
  /** JSON object. */
  details: string;
}

interface AuditEventsTable extends AuditEvent {
  /** See `signEvent`. Null in an event of an earlier version: see `signChainedEvents`. */
  mac: string | null;
  /** Written by earlier versions: the number of the event's chain. */
  chain: Generated<number | null>;
  /** Written by earlier versions: the event's place in its chain, starting at 1. */
  chain_seq: Generated<number | null>;
  /** Written by earlier versions: the MAC over the event and the one before it. */
  chain_mac: Generated<string | null>;
}

/** Chains of events. Only earlier versions write to them. */
interface AuditChainsTable {
  number: number;
  node: string;
  created_at: number;
  updated_at: number;
  /** The events up to this place were removed because of their age. */
  base_seq: number;
  /** `chain_mac` of the last removed event; empty if none was removed. */
  base_mac: string;
  head_seq: number;
  head_mac: string;
  seal: string;
}

/** The keys that sign events, sealed, so that they outlive the keys of the ring that they are derived from. */
interface AuditKeysTable {
  /** Id of the key in the ring. */
  id: string;
  sealed: string;
}

/** Counts of events of anonymous callers: one row for each hour, event and network. */
interface AnonymousEventsTable {
  /** Hour, type and network; their combination is unique. */
  key: string;
  type: string;
  /** See `siteOf`; `elsewhere` for networks beyond the maximum of an hour. */
  network: string;
  count: number;
  /** When it first happened in that hour. */
  created_at: number;
  /** When it last happened in that hour. */
  last_at: number;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    audit_events: AuditEventsTable;
    audit_chains: AuditChainsTable;
    audit_keys: AuditKeysTable;
    anonymous_events: AnonymousEventsTable;
  }
}

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

const mac: Migration = {
  async up(db) {
    await sql`alter table audit_events add column mac text`.execute(db);
    await sql`create index audit_events_without_mac on audit_events (id) where mac is null`.execute(db);
  },
};

export const AUDIT_TABLES: TableSet = {
  owner: 'audit',
  tables: ['audit_events', 'audit_chains', 'audit_keys', 'anonymous_events'],
  migrations: { '0001-baseline': baseline, '0002-mac': mac },
};
