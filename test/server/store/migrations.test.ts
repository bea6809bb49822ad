import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '../../../server/store/index.ts';
import { migrateToLatest } from '../../../server/store/migrate.ts';
import { MIGRATIONS } from '../../../server/store/migrations/index.ts';
import { listConnections } from '../../../server/store/repositories/connections.ts';
import { insertPartner, listPartners } from '../../../server/store/repositories/partners.ts';
import { createSqliteDatabase, describeStore } from './dialects.ts';
import { connect, insertPartnerAndUser } from './fixtures.ts';
import { runElsewhere } from './spawn.ts';

describeStore('migrations', (given) => {
  test('a second run finds nothing to do', async () => {
    expect(await migrateToLatest(given.store.db, given.dialect)).toEqual([]);
  });

  test('stores that open together on an up-to-date database all open it', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ url: given.url })));
    await Promise.all(stores.map((store) => store.ping()));
    await Promise.all(stores.map((store) => store.close()));
  });

  test('processes that start together on an empty database migrate it once', async () => {
    const tables = await given.store.db.introspection.getTables({ withInternalKyselyTables: true });
    const children = [
      'calls_made_once',
      'attempt_counters',
      'audit_events',
      'access_tokens',
      'refresh_tokens',
      'oauth_codes',
    ];
    const flows = [
      'connect_sessions',
      'connection_attempts',
      'identity_issuers',
      'audit_chains',
      'audit_keys',
      'operator_sessions',
      'operators',
      'webhook_deliveries',
      'webhook_endpoints',
      'partner_events',
      'partner_event_heads',
      'upstream_clients',
      'connection_refreshes',
      'upstream_slots',
      'upstream_rates',
    ];
    const parents = [
      'oauth_grants',
      'oauth_clients',
      'partner_secrets',
      'call_records',
      'call_tallies',
      'usage_tallies',
      'drift_tallies',
      'single_use_codes',
    ];
    for (const name of [
      ...children,
      ...flows,
      ...parents,
      'connections',
      'users',
      'partners',
      'tool_facts',
      'anonymous_events',
    ]) {
      await given.store.db.schema.dropTable(name).execute();
    }
    await given.store.db.schema.dropTable('kysely_migration').execute();
    await given.store.db.schema.dropTable('kysely_migration_lock').execute();
    const opened = await Promise.all(Array.from({ length: 4 }, () => runElsewhere(given.url, 'open')));
    expect(opened).toEqual([1, 1, 1, 1]);
    expect(await given.store.db.introspection.getTables({ withInternalKyselyTables: true })).toEqual(tables);
  });

  test('a database that a newer gateway migrated is refused', async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2126-01-01')`.execute(
      given.store.db,
    );
    await expect(openStore({ url: given.url })).rejects.toThrow('9999-later is missing');
  });

  test('connections that were never completed are removed, with their credentials', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(given.store, { userId: user.id, service: 'crm' });
    await connect(given.store, { userId: user.id, service: 'mailer', status: 'attention' });
    await connect(given.store, { userId: user.id, service: 'billing' });
    await sql`update connections set status = 'pending' where service = 'billing'`.execute(given.store.db);
    await MIGRATIONS['0006-no-pending-connections']?.up(given.store.db);
    expect((await listConnections(given.store.db, user.id)).map(({ service }) => service)).toEqual(['crm', 'mailer']);
  });

  if (given.dialect === 'sqlite') return;

  test('a second gateway in a schema of its own has tables of its own', async () => {
    await sql`create schema second`.execute(given.store.db);
    await insertPartner(given.store.db, { clientId: 'first', name: 'First', now: 1 });
    const url = new URL(given.url);
    url.searchParams.set('options', '-c search_path=second');
    const second = await openStore({ url: url.href });
    expect(await listPartners(second.db, 10)).toEqual([]);
    await second.close();
    expect(await migrateToLatest(given.store.db, given.dialect)).toEqual([]);
  });
});

test('processes that start together on a missing SQLite file make it once', async () => {
  const database = await createSqliteDatabase();
  const opened = await Promise.all(Array.from({ length: 4 }, () => runElsewhere(database.url, 'open')));
  expect(opened).toEqual([1, 1, 1, 1]);
  await database.remove();
});
