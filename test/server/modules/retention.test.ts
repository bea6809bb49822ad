import { expect, test } from 'vitest';
import { purge } from '../../../server/base/store/purge.ts';
import { insertOperatorSession } from '../../../server/modules/admin/stored-operators.ts';
import { countAnonymousEvent } from '../../../server/modules/audit/anonymous-events.ts';
import { MODULES } from '../../../server/modules/index.ts';
import { addTallies } from '../../../server/modules/tallies/table.ts';
import { retentionOf } from '../../support/listening.ts';
import { describeStore } from '../base/store/dialects.ts';

const DAY_MS = 86_400_000;
const RULES = retentionOf(MODULES);

describeStore('retention of what modules write', (given) => {
  test('removes old rows from every growing table, and keeps the rest', async () => {
    const now = 100 * DAY_MS;
    for (const at of [now - 7 * DAY_MS - 1, now - 7 * DAY_MS]) {
      for (const network of ['a', 'b']) {
        await countAnonymousEvent(given.store.db, { type: 'grant_refused', network: network + at, now: at });
      }
    }
    const session = { operatorId: null, name: 'admin', role: 'act', address: '', now: 0 } as const;
    await insertOperatorSession(given.store.db, { ...session, tokenHash: 'old', expiresAt: now - 1 });
    await insertOperatorSession(given.store.db, { ...session, tokenHash: 'new', expiresAt: now });
    await addTallies(
      given.store.db,
      [now - 40 * DAY_MS - 1, now - 40 * DAY_MS].map((day) => ({ day, kind: 'drift', key: 't', count: 1 })),
    );

    const removed = await purge(given.store, RULES, { now });
    expect(Object.entries(removed).filter(([, rows]) => rows > 0)).toEqual([
      ['operator_sessions', 1],
      ['anonymous_events', 2],
      ['tallies', 1],
    ]);
  });

  test('every table has a rule or is listed as kept until someone removes its rows', async () => {
    const tables = await given.store.db.introspection.getTables();
    const names = tables.map((table) => table.name);
    const kept = [
      'upstream_clients',
      'connection_refreshes',
      'audit_chains',
      'audit_keys',
      'connections',
      'event_inlets',
      'identity_issuer_requests',
      'identity_issuers',
      'operators',
      'partners',
      'partner_event_heads',
      'partner_secrets',
      'store_keys',
      'switches',
      'team_members',
      'team_shares',
      'teams',
      'user_clients',
      'users',
      'webhook_endpoints',
    ];
    expect(names.toSorted()).toEqual([...new Set(RULES.map((rule) => rule.table)), ...kept].toSorted());
  });
});
