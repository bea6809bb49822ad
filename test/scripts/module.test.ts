import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createModuleCommand } from '../../scripts/module/command.ts';
import { openStore, type Store } from '../../server/base/store/index.ts';
import { insertPartner } from '../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { hasTable } from '../../server/base/store/tables/table-set.ts';
import { createSqliteDatabase, type TestDatabase } from '../server/base/store/sqlite-database.ts';
import { ringText } from '../support/keys.ts';

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = await createSqliteDatabase();
  store = await openStore({ url: database.url });
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('ENCRYPTION_KEYS', ringText('k1', 1));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await store.close();
  await database.remove();
});

async function runModule(...args: string[]): Promise<string> {
  let text = '';
  const keep = (more: string) => {
    text += more;
  };
  await createModuleCommand({ out: keep, err: keep }).parseAsync(args, { from: 'user' });
  return text;
}

/** Leaves what a gateway left that still had the module. */
async function leaveTables(): Promise<void> {
  await sql`create table kept_undos (id text primary key, user_id text not null references users (id) on delete cascade,
    sealed text not null, created_at bigint not null)`.execute(store.db);
  await sql`insert into kysely_migration (name, timestamp) values ('undo/0001-baseline', '2026-01-01')`.execute(
    store.db,
  );
  const partner = await insertPartner(store.db, { clientId: 'acme', name: 'Acme', now: 1 });
  const user = await ensureUser(store.db, { partnerId: partner.id, externalUserId: 'ann', now: 1 });
  await sql`insert into kept_undos (id, user_id, sealed, created_at) values ('k', ${user.id}, 's', 1)`.execute(
    store.db,
  );
}

const migrationsOfUndo = async () =>
  (await sql`select name from kysely_migration where name like 'undo/%'`.execute(store.db)).rows.length;

test('the tables of a module that the gateway no longer has stay until they are erased', async () => {
  await leaveTables();
  await store.close();
  store = await openStore({ url: database.url });
  expect([await hasTable(store.db, 'kept_undos'), await migrationsOfUndo()]).toEqual([true, 1]);
  await expect(runModule('erase', 'undo')).rejects.toThrow('utg module erase undo --yes');
  expect(await hasTable(store.db, 'kept_undos')).toBe(true);
  expect(await runModule('erase', 'undo', '--yes')).toBe('kept_undos: 1 rows\nErased.\n');
  expect([await hasTable(store.db, 'kept_undos'), await migrationsOfUndo()]).toEqual([false, 0]);
});

test('erasing the tables of a removed module again changes nothing', async () => {
  expect(await runModule('erase', 'undo', '--yes')).toBe('kept_undos: not in this database\nErased.\n');
});

test('an unknown module is answered with those that have tables', async () => {
  await expect(runModule('erase', 'nothing', '--yes')).rejects.toThrow(/^No module nothing has tables\. .*\bundo\b/);
});
