/** Security events, the chains that reveal changes to them, and the keys that sign them. */

import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';

/** Security events. They may refer to rows that no longer exist, and hold no secret. */
export interface AuditEventsTable {
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
  /** Number of the event's chain; null in events older than this column. */
  chain: number | null;
  /** Place in its chain, starting at 1. */
  chain_seq: number | null;
  /** See `signEvent`. */
  chain_mac: string | null;
}

/** Chains of audit events, each with sealed ends. Number 0 is the register: its head counts the chains. */
export interface AuditChainsTable {
  number: number;
  /** The host that writes to it. Another host takes over an idle chain. */
  node: string;
  created_at: number;
  updated_at: number;
  /** Retention has removed the events up to this number; 0: none. */
  base_seq: number;
  /** `chain_mac` of the last removed event; empty: none was removed. */
  base_mac: string;
  /** The newest event. */
  head_seq: number;
  head_mac: string;
  /** See `sealChain`. */
  seal: string;
}

/** Signing keys of audit chains, sealed, so that they outlive the keys of the ring that they are derived from. */
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

export const AUDIT_TABLES: TableSet = {
  owner: 'audit',
  tables: ['audit_events', 'audit_chains', 'audit_keys', 'anonymous_events'],
  migrations: { '0001-baseline': baseline },
};
