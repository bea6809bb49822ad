/** Security events, the keys that sign them, and counts of anonymous events. */

import type { Database } from '../../base/store/schema.ts';
import { defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

export const AUDIT_TABLES = defineTables(
  'audit',
  {
    /** Security events. They may refer to rows that no longer exist, and hold no secret. */
    audit_events: {
      columns: {
        id: 'text primary key',
        created_at: 'bigint not null',
        type: 'text not null',
        partner_id: 'text',
        user_id: 'text',
        client_id: 'text',
        grant_id: 'text',
        /** IP address of the request. */
        address: 'text',
        request_id: 'text',
        /** JSON object. */
        details: 'text not null',
        /** Written by earlier versions: the number of the event's chain. */
        chain: 'integer',
        /** Written by earlier versions: the event's place in its chain, starting at 1. */
        chain_seq: 'bigint',
        /** Written by earlier versions: the MAC over the event and the one before it. */
        chain_mac: 'text',
        /** See `signEvent`. Null in an event of an earlier version: see `signChainedEvents`. */
        mac: 'text',
      },
      indexes: {
        audit_events_by_chain: '(chain, chain_seq)',
        audit_events_by_time: '(created_at)',
        audit_events_of_user: '(user_id, created_at)',
        audit_events_without_mac: '(id) where mac is null',
      },
    },
    /** Chains of events. Only earlier versions write to them. */
    audit_chains: {
      columns: {
        number: 'integer primary key',
        node: 'text not null',
        created_at: 'bigint not null',
        updated_at: 'bigint not null',
        /** Events up to this number were removed because of their age. */
        base_seq: 'bigint not null',
        /** `chain_mac` of the last removed event; empty if none was removed. */
        base_mac: 'text not null',
        head_seq: 'bigint not null',
        head_mac: 'text not null',
        seal: 'text not null',
      },
    },
    /** The keys that sign events, sealed, so that they outlive the keys of the ring that they are derived from. */
    audit_keys: {
      columns: {
        /** Id of the key in the ring. */
        id: 'text primary key',
        sealed: 'text not null',
      },
    },
    /** Counts of events of anonymous callers: one row for each hour, event and network. */
    anonymous_events: {
      columns: {
        /** Hour, type and network; their combination is unique. */
        key: 'text primary key',
        type: 'text not null',
        /** See `siteOf`; `elsewhere` for networks beyond the maximum of an hour. */
        network: 'text not null',
        count: 'integer not null',
        /** Time of the first event in that hour. */
        created_at: 'bigint not null',
        /** Time of the last event in that hour. */
        last_at: 'bigint not null',
      },
      indexes: {
        anonymous_events_by_time: '(created_at)',
      },
    },
  },
  { baseline: '0003-baseline', replaces: '0002-mac' },
);

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof AUDIT_TABLES> {}
}

/** A security event without its MAC. */
export type AuditEvent = Omit<Database['audit_events'], 'chain' | 'chain_seq' | 'chain_mac' | 'mac'>;
