import SqliteDatabase from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { emit } from '../../../server/base/store/events.ts';
import type { Store } from '../../../server/base/store/index.ts';
import { migrateToLatest } from '../../../server/base/store/migrate.ts';
import { insertAccessToken } from '../../../server/base/store/repositories/access-tokens.ts';
import type { CallRecord } from '../../../server/base/store/repositories/call-records.ts';
import { insertPartner, listPartners } from '../../../server/base/store/repositories/partners.ts';
import { changeMembers, insertShare, putTeam } from '../../../server/base/store/repositories/teams.ts';
import { ensureUser } from '../../../server/base/store/repositories/users.ts';
import { timeOfId } from '../../../server/base/store/rows.ts';
import { describeTables } from '../../../server/base/store/tables/describe.ts';
import { describePostgres, describeStore, type StoreUnderTest, withLater } from '../../server/base/store/dialects.ts';
import { fillEveryTable, readEveryTable } from '../../server/base/store/every-table.ts';
import { connect, insertPartnerAndUser, tokenFor } from '../../server/base/store/fixtures.ts';
import { createSqliteDatabase } from '../../server/base/store/sqlite-database.ts';
import { signAs, verify } from '../../server/modules/audit/support.ts';
import { findCommands, runCommands } from '../../support/documented-commands.ts';
import { findProgram, skipBecause } from '../../support/fuller-checks.ts';
import { keyBytes, ringText } from '../../support/keys.ts';
import { openListeningStore } from '../../support/listening.ts';
import { runScript } from '../../support/run-script.ts';

vi.setConfig({ testTimeout: 60_000 });

const createdb = findProgram('createdb');
if (createdb === null) skipBecause('a copy by the documented commands: createdb is not installed');

const RING = [{ id: 'k1', key: keyBytes(1) }];
const MANY = 1203;

const CALL: CallRecord = {
  createdAt: 1,
  partnerId: 'acme',
  userId: 'alice',
  tokenId: 'token',
  grantId: 'grant',
  service: 'mailer',
  tool: 'mailer_send',
  outcome: 'ok',
  upstreamStatus: 200,
  upstreamCode: null,
  durationMs: 45,
  requestBytes: 10,
  responseBytes: 20,
  requestId: 'request',
};

async function runCopy(
  from: string,
  to: string,
  ring = ringText('k1', 1),
): Promise<{ code: number | null; output: string }> {
  const script = runScript('scripts/utg.ts', ['store', 'copy', '--to', to], {
    DATABASE_URL: from,
    ENCRYPTION_KEYS: ring,
  });
  return { code: await script.ended(), output: script.output() };
}

/** What `given` does not have: the other end. */
function useSqlite(): { url: string; store: Store } {
  const other = {} as { url: string; store: Store; remove: () => Promise<void> };
  beforeEach(async () => {
    Object.assign(other, await createSqliteDatabase());
    other.store = await openListeningStore({ url: other.url });
  });
  afterEach(async () => {
    await other.store.close();
    await other.remove();
  });
  return other;
}

async function expectCopy(source: StoreUnderTest, target: StoreUnderTest): Promise<void> {
  await fillEveryTable(source, RING);
  const partner = await insertPartner(source.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
  for (let n = 0; n < MANY; n += 1)
    await ensureUser(source.store.db, { partnerId: partner.id, externalUserId: `${n}`, now: n });
  const rows = await readEveryTable(source);
  expect(Object.entries(rows).filter(([, found]) => found.length < 2 && found.length !== 0)).toEqual([
    ['audit_keys', [expect.any(String)]],
  ]);
  expect(Object.entries(rows).filter(([, found]) => found.length === 0)).toEqual([]);
  await source.store.close();
  await target.store.close();

  const { code, output } = await runCopy(source.url, target.url);
  [source.store, target.store] = [
    await openListeningStore({ url: source.url }),
    await openListeningStore({ url: target.url }),
  ];
  expect([code, output]).toEqual([0, expect.stringContaining('read them back')]);
  expect(await readEveryTable(target)).toEqual(rows);
  expect(output).toContain(`users  ${(MANY + 2).toLocaleString('en')}\n`);
  expect(output).toContain('Credentials that open: 11\nAudit events as a gateway recorded them: 5\n');
  expect(output).toContain('Next, on every node: set DATABASE_URL=');

  await signAs(target.store, RING);
  await emit(target.store.db, { type: 'consent_given', now: 9 });
  expect(await verify(target.store, RING)).toEqual({ verified: 6, problems: [] });
}

describePostgres('a store', (given) => {
  const sqlite = useSqlite();
  const asSqlite = (): StoreUnderTest => ({ ...sqlite, dialect: 'sqlite' });

  test('with rows in every table is copied from SQLite to PostgreSQL unchanged', async () => {
    await expectCopy(asSqlite(), given);
  });

  test('is copied from PostgreSQL to SQLite as well', async () => {
    await expectCopy(given, asSqlite());
  });

  test('has call records with random ids of an older version, which begin with their time on SQLite', async () => {
    await given.store.insertCallRecords([1, 2].map((createdAt) => ({ ...CALL, createdAt })));
    await sql`update call_records set id = overlay(id placing 'fedcba98-0000-4' from 1)`.execute(given.store.db);
    await given.store.close();
    await sqlite.store.close();
    expect((await runCopy(given.url, sqlite.url)).code).toBe(0);
    [given.store, sqlite.store] = [
      await openListeningStore({ url: given.url }),
      await openListeningStore({ url: sqlite.url }),
    ];
    const calls = await sqlite.store.db.selectFrom('call_records').select('id').orderBy('id').execute();
    expect(calls.map(({ id }) => timeOfId(id))).toEqual([1, 2]);
    const last = await sql`select call_id from last_calls`.execute(sqlite.store.db);
    expect(last.rows).toEqual([{ call_id: calls[1]?.id }]);
  });

  test.skipIf(createdb === null)('is copied with the documented commands', async () => {
    await insertPartner(sqlite.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
    await sqlite.store.close();
    const to = new URL(given.url);
    to.pathname += '_copy';
    const server = process.env.TEST_DATABASE_URL ?? '';
    const env = {
      DATABASE_URL: sqlite.url,
      ENCRYPTION_KEYS: ringText('k1', 1),
      SERVER_URL: server,
      NEW_DATABASE_URL: to.href,
    };
    const commands = await findCommands('docs/guides/store.md', 'utg -- store copy');
    await runCommands(commands.replace('gateway_copy', to.pathname.slice(1)), env);
    const copied = await openListeningStore({ url: to.href });
    expect((await listPartners(copied.db, 10)).map(({ clientId }) => clientId)).toEqual(['acme']);
    await copied.close();
    await runCommands(`dropdb --maintenance-db="$SERVER_URL" ${to.pathname.slice(1)}`, env);
    sqlite.store = await openListeningStore({ url: sqlite.url });
  });

  test('has the same tables in both', async () => {
    const sorted = async ({ store: { db }, dialect }: StoreUnderTest) =>
      (await describeTables(db, dialect)).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(await sorted(given)).toEqual(await sorted(asSqlite()));
  });
});

describeStore('the target of a copy', (given) => {
  const source = useSqlite();

  test('also has a table that this version does not know', async () => {
    const later = {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('badges')
          .addColumn('id', 'text', (column) => column.primaryKey())
          .execute();
      },
    };
    for (const { store, dialect } of [{ ...source, dialect: 'sqlite' } as const, given])
      await migrateToLatest(store.db, dialect, withLater({ '9998-badges': later }));
    await sql`insert into badges (id) values ('gold')`.execute(source.store.db);
    await source.store.close();
    await given.store.close();
    const { code, output } = await runCopy(source.url, given.url);
    given.store = await openListeningStore({ url: given.url });
    source.store = await openListeningStore({ url: source.url });
    expect([code, output]).toEqual([0, expect.stringContaining('read them back')]);
    expect((await sql`select * from badges`.execute(given.store.db)).rows).toEqual([{ id: 'gold' }]);
  });

  test('does not get the tables that removed modules left', async () => {
    await sql`create table kept_undos (id text primary key)`.execute(source.store.db);
    await source.store.close();
    await given.store.close();
    const { code, output } = await runCopy(source.url, given.url);
    given.store = await openListeningStore({ url: given.url });
    source.store = await openListeningStore({ url: source.url });
    expect([code, output]).toEqual([0, expect.stringContaining('read them back')]);
    expect((await describeTables(given.store.db, given.dialect)).map(({ name }) => name)).not.toContain('kept_undos');
  });

  async function expectRefusal(message: string | RegExp, ring?: string): Promise<void> {
    const before = await readEveryTable(given);
    await source.store.close();
    await given.store.close();
    const { code, output } = await runCopy(source.url, given.url, ring);
    given.store = await openListeningStore({ url: given.url });
    source.store = await openListeningStore({ url: source.url });
    expect(output).toMatch(message);
    expect(code).toBe(1);
    expect(await readEveryTable(given)).toEqual(before);
  }

  test('must be empty', async () => {
    await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
    await expectRefusal(/^The target holds rows \(partners: 1\), but a copy needs an empty database: name a new one\./);
  });

  test('must be of the same version', async () => {
    await migrateToLatest(source.store.db, 'sqlite', withLater({ '9998-later': { up: async () => {} } }));
    await expectRefusal('A newer gateway migrated one of the two databases: copy with that version.\n');
  });

  test('stays empty when the keys are those of another gateway', async () => {
    await fillEveryTable({ ...source, dialect: 'sqlite' }, RING);
    await expectRefusal('was sealed with other keys. Set ENCRYPTION_KEYS as its gateway has it.\n', ringText('k2', 2));
  });

  test('stays empty when it does not return what was written', async () => {
    await insertPartner(source.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
    await rename(given);
    await expectRefusal('The rows of partners are not the same in the target. Nothing was copied.\n');
  });

  test.each([
    ['a NUL character', "name = 'Ac' || char(0) || 'me'", 'partners.name of the row "one" holds a NUL character'],
    [
      'a number that is too large',
      'created_at = 9007199254740993',
      'partners.created_at of the row "one" is not a whole number',
    ],
    ['a text instead of a number', "created_at = 'soon'", 'partners.created_at of the row "one" is not a whole number'],
  ])('stays empty when a row of the source holds %s', async (_, change, message) => {
    const file = new SqliteDatabase(source.url.slice('sqlite:'.length));
    file.exec("insert into partners (id, client_id, name, created_at) values ('one', 'acme', 'Acme', 1)");
    file.exec(`update partners set ${change}`);
    file.close();
    await expectRefusal(message);
  });
});

/** Makes the database change what is written. */
async function rename({ store: { db }, dialect }: StoreUnderTest): Promise<void> {
  const change = sql`update partners set name = 'another' where id = new.id`;
  if (dialect === 'sqlite') {
    await sql`create trigger rename after insert on partners begin ${change}; end`.execute(db);
    return;
  }
  await sql`create function rename() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`.execute(
    db,
  );
  await sql`create trigger rename after insert on partners for each row execute function rename()`.execute(db);
}

describe('a copy', () => {
  const source = useSqlite();
  const target = useSqlite();

  test('names an audit event that was changed in the source', async () => {
    await signAs(source.store, RING);
    for (const now of [1, 2]) await emit(source.store.db, { type: 'consent_given', now });
    await sql`update audit_events set type = 'consent_denied' where created_at = 2`.execute(source.store.db);
    await source.store.close();
    await target.store.close();
    const { code, output } = await runCopy(source.url, target.url);
    source.store = await openListeningStore({ url: source.url });
    target.store = await openListeningStore({ url: target.url });
    expect([code, output]).toEqual([0, expect.stringContaining('Audit events as a gateway recorded them: 1\n')]);
    expect(output).toMatch(
      /^BROKEN, as before: event \S+ \(consent_denied, .*\) was changed, or no gateway recorded it\.$/m,
    );
  });

  test('counts the changes of teams that end what a token may use', async () => {
    const { user, partner } = await insertPartnerAndUser(source.store);
    await insertAccessToken(source.store.db, tokenFor(user.id));
    const owner = await ensureUser(source.store.db, { partnerId: partner.id, externalUserId: 'owner', now: 1 });
    const connectionId = await connect(source.store, { userId: owner.id, service: 'crm' });
    const { db } = source.store;
    await putTeam(db, { partnerId: partner.id, externalTeamId: 'sales', name: 'Sales', now: 1 });
    const { id } = await db.selectFrom('teams').select('id').executeTakeFirstOrThrow();
    await changeMembers(db, { id, add: [user.id], remove: [], now: 1 });
    await insertShare(db, { teamId: id, connectionId, service: 'crm', readOnly: true, now: 1 });
    await source.store.close();
    await target.store.close();
    const { code, output } = await runCopy(source.url, target.url);
    source.store = await openListeningStore({ url: source.url });
    target.store = await openListeningStore({ url: target.url });
    expect([code, output]).toEqual([0, expect.stringContaining('read them back')]);
    const services = async () => [...((await target.store.findAccessToken('hash'))?.connections.keys() ?? [])];
    expect(await services()).toEqual(['crm']);
    await changeMembers(target.store.db, { id, add: [], remove: [user.id], now: 2 });
    expect(await services()).toEqual([]);
    await changeMembers(target.store.db, { id, add: [user.id], remove: [], now: 3 });
    expect(await services()).toEqual(['crm']);
    await target.store.db.deleteFrom('connections').execute();
    expect(await services()).toEqual([]);
  });

  test('is refused while a gateway has the file open', async () => {
    await source.store.ping();
    const { code, output } = await runCopy(source.url, target.url);
    expect([code, output]).toEqual([
      1,
      `Another process has ${source.url.slice('sqlite:'.length)} open: stop the gateway, and whatever else reads it, first.\n`,
    ]);
  });

  test.each([
    ['sqlite:/nowhere/a.sqlite', 'DATABASE_URL names /nowhere/a.sqlite, and there is no such file.\n', 1],
    [
      'postgres://gateway:geheim@127.0.0.1:1/gateway',
      'No PostgreSQL server answers at 127.0.0.1:1, which DATABASE_URL names (ECONNREFUSED).\n',
      1,
    ],
  ])('from %s is refused in one sentence', async (from, message, code) => {
    expect(await runCopy(from, target.url)).toEqual({ code, output: message });
  });

  test.each([
    ['sqlite:', '--to must name a file after sqlite:.\nTry: npm run utg -- store copy --help\n', 2],
    [
      'sqlite:/nowhere/b.sqlite',
      '--to names /nowhere/b.sqlite, but there is no folder /nowhere: create it, or correct the path.\n',
      1,
    ],
  ])('to %s is refused in one sentence', async (to, message, code) => {
    await source.store.close();
    expect(await runCopy(source.url, to)).toEqual({ code, output: message });
    source.store = await openListeningStore({ url: source.url });
  });

  test('to the database itself is wrong usage', async () => {
    expect(await runCopy(source.url, source.url)).toMatchObject({ code: 2 });
  });
});
