import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { emit } from '../../../server/base/store/events.ts';
import { countAccess } from '../../../server/base/store/repositories/live-access.ts';
import { insertPartner } from '../../../server/base/store/repositories/partners.ts';
import { findUsersByExternalId } from '../../../server/base/store/repositories/users.ts';
import { mintConnectionCode } from '../../../server/identity/oauth/connection-codes.ts';
import { describePostgres, describeStore, type StoreUnderTest } from '../../server/base/store/dialects.ts';
import { fillEveryTable } from '../../server/base/store/every-table.ts';
import { createSqliteDatabase } from '../../server/base/store/sqlite-database.ts';
import {
  callOnce,
  ENCRYPTION_KEYS,
  mintFor,
  RING,
  seedCaller,
  startUpstream,
  type Upstream,
} from '../../support/called-gateway.ts';
import { findCommands, runCommands } from '../../support/documented-commands.ts';
import { findProgram, skipBecause } from '../../support/fuller-checks.ts';
import { type GatewayProcesses, startGatewayProcesses } from '../../support/gateway-processes.ts';
import { ringText } from '../../support/keys.ts';
import { openListeningStore, signAuditTrail } from '../../support/listening.ts';
import { runScript } from '../../support/run-script.ts';
import { WHOLE_LIMITS } from '../../support/whole-limits.ts';

/** A trigger that takes back the revocation of tokens. */
const GIVE_BACK = {
  sqlite: sql`create trigger give_back after update on access_tokens when new.revoked_at is not null
    begin update access_tokens set revoked_at = null where id = new.id; end`,
  postgres: sql`
    create function give_back() returns trigger language plpgsql as $$ begin new.revoked_at = null; return new; end $$;
    create trigger give_back before update on access_tokens for each row execute function give_back()`,
};

const DOCUMENT = 'docs/guides/store.md';
const PATIENCE_MS = 60_000;

vi.setConfig({ testTimeout: 2 * PATIENCE_MS });

let folder: string;
let upstream: Upstream;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'utg-backups-'));
  upstream = await startUpstream();
});
afterEach(async () => {
  await upstream.close();
  await rm(folder, { recursive: true });
});

const here = (commands: string) => commands.replaceAll('/backups/', `${folder}/`);
const start = (databaseUrl: string) =>
  startGatewayProcesses({ count: 1, databaseUrl, env: { ...upstream.environment, TOOL_CALLS_PER_MINUTE: '100000' } });

async function run(url: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const script = runScript('scripts/utg.ts', ['store', ...args], { DATABASE_URL: url, ENCRYPTION_KEYS });
  return { code: await script.ended(), output: script.output() };
}

/** What a store and its gateway know before a backup and after it. */
interface World {
  readonly kept: string;
  readonly revokedLater: string;
  readonly mintedLater: string;
}

async function liveThrough(given: StoreUnderTest, backUp: () => Promise<unknown>): Promise<World> {
  const { db } = given.store;
  await signAuditTrail(db, RING);
  await emit(db, { type: 'consent_given', now: Date.now() });
  const kept = await seedCaller(given.store, 'ada');
  const revokedLater = await seedCaller(given.store, 'grace');
  const [user] = await findUsersByExternalId(db, 'ada');
  await mintConnectionCode(db, { userId: user!.id, limits: WHOLE_LIMITS, now: Date.now() });
  const gateway = await start(given.url);
  const stopped = new AbortController();
  const answers: string[] = [];
  const calling = (async () => {
    while (!stopped.signal.aborted) answers.push(await callOnce(gateway.origins[0]!, kept));
  })();
  await expect.poll(() => answers.length, { timeout: PATIENCE_MS }).toBeGreaterThan(3);
  const records = db.selectFrom('call_records').select('id').limit(1);
  await expect.poll(() => records.execute(), { timeout: PATIENCE_MS }).not.toHaveLength(0);
  await backUp();
  stopped.abort();
  await calling;
  expect(new Set(answers)).toEqual(new Set(['ok']));

  await db.updateTable('access_tokens').set({ revoked_at: 1 }).where('user_id', '!=', user!.id).execute();
  expect(await callOnce(gateway.origins[0]!, revokedLater)).toBe('401');
  const mintedLater = await seedCaller(given.store, 'late');
  expect(await callOnce(gateway.origins[0]!, mintedLater)).toBe('ok');
  expect(await gateway.stop()).toEqual([0]);
  const { rows } = await sql`select count(*) as calls from call_records`.execute(db);
  expect(Number((rows[0] as { calls: number }).calls)).toBe(answers.length + 1);
  return { kept, revokedLater, mintedLater };
}

async function expectRestored(url: string, { kept, revokedLater, mintedLater }: World, isKept: boolean): Promise<void> {
  expect(await runCommands('npm run -s utg -- audit verify', { DATABASE_URL: url, ENCRYPTION_KEYS })).toContain(
    'None was changed or invented.',
  );
  const gateway: GatewayProcesses = await start(url);
  const store = await openListeningStore({ url });
  const records = await store.db.selectFrom('call_records').select('tool').execute();
  expect(records.length).toBeGreaterThan(0);
  const call = (token: string) => callOnce(gateway.origins[0]!, token);
  expect([await call(kept), await call(revokedLater), await call(mintedLater)]).toEqual(
    isKept ? ['ok', 'ok', '401'] : ['401', '401', '401'],
  );
  expect(await findUsersByExternalId(store.db, 'late')).toEqual([]);
  expect(await countAccess(store.db, {}, Date.now())).toEqual(
    isKept ? { codes: 1, grants: 0, tokens: 2 } : { codes: 0, grants: 0, tokens: 0 },
  );
  expect(await call(await mintFor(store, 'ada'))).toBe('ok');
  await store.close();
  expect(await gateway.stop()).toEqual([0]);
  expect(gateway.log()).not.toMatch(/"level":"(error|fatal)"/);
}

describe('a backup of a SQLite store', () => {
  const given = { dialect: 'sqlite' } as StoreUnderTest;
  let remove: () => Promise<void>;
  const file = () => given.url.slice('sqlite:'.length);

  beforeEach(async () => {
    const database = await createSqliteDatabase();
    Object.assign(given, { url: database.url, store: await openListeningStore({ url: database.url }) });
    remove = database.remove;
  });
  afterEach(async () => {
    await given.store.close();
    await remove();
  });

  const runDocumented = async (holding: string) =>
    runCommands(here(await findCommands(DOCUMENT, holding)), { DATABASE_URL: given.url, ENCRYPTION_KEYS });

  test('that is made while the gateway writes can be restored, without access that was revoked', async () => {
    const world = await liveThrough(given, () => runDocumented('utg -- store backup'));
    expect((await stat(join(folder, 'monday.sqlite'))).mode & 0o777).toBe(0o600);
    await given.store.close();
    const printed = await runDocumented('utg -- store restore');
    expect(printed).toContain(
      'Ended: grants: 0, minted tokens: 2, connection codes: 1, links: 0, connect flows: 0, sessions of operators: 0, subscriptions to events: 0\n' +
        'Credentials that open: 2\nAudit events as a gateway recorded them: ',
    );
    await expectRestored(given.url, world, false);
    const aside = (await readdir(dirname(file()))).filter((name) => /\.before-restore-[^.]+$/.test(name));
    expect(aside).toHaveLength(1);
    const before = await openListeningStore({ url: `sqlite:${join(dirname(file()), aside[0]!)}` });
    expect(await findUsersByExternalId(before.db, 'late')).toHaveLength(1);
    expect(await before.db.selectFrom('call_records').select('id').execute()).not.toHaveLength(0);
    await before.close();
    given.store = await openListeningStore({ url: given.url });
  });

  test('restored with --keep-access keeps the access of its time', async () => {
    const world = await liveThrough(given, () => runDocumented('utg -- store backup'));
    await given.store.close();
    expect(await run(given.url, 'restore', '--keep-access', '--from', join(folder, 'monday.sqlite'))).toEqual({
      code: 0,
      output: expect.not.stringContaining('Ended'),
    });
    await expectRestored(given.url, world, true);
    given.store = await openListeningStore({ url: given.url });
  });

  test('never replaces another file, and leaves nothing behind if it cannot be written', async () => {
    const file = join(folder, 'a');
    await writeFile(file, 'mine');
    const refused = async (to: string, output: string) =>
      expect(await run(given.url, 'backup', '--to', to)).toEqual({ code: 1, output });
    await refused(file, `${file} already exists: name another file.\n`);
    await refused(`${file}b/c`, `There is no folder ${file}b: create it, or correct the path.\n`);
    const long = join(folder, 'n'.repeat(250));
    await refused(long, expect.stringMatching(/^The backup cannot be written: ENAMETOOLONG.*\n$/));
    expect(await readdir(folder)).toEqual(['a']);
  });

  test('of a file that is no store is refused', async () => {
    const other = join(folder, 'notes');
    expect(await run(`sqlite:${other}`, 'backup', '--to', join(folder, 'b'))).toEqual({
      code: 1,
      output: `DATABASE_URL names ${other}, and there is no such file.\n`,
    });
    await writeFile(other, 'no database, but long enough to be read as the header of one, which it is not');
    expect(await run(`sqlite:${other}`, 'backup', '--to', join(folder, 'b'))).toEqual({
      code: 1,
      output: `DATABASE_URL names ${other}, which is not a SQLite database.\n`,
    });
  });

  test('does not replace a store that a process has open', async () => {
    expect((await run(given.url, 'backup', '--to', join(folder, 'a'))).code).toBe(0);
    await given.store.ping();
    expect(await run(given.url, 'restore', '--from', join(folder, 'a'))).toEqual({
      code: 1,
      output: `Another process has ${file()} open: stop the gateway, and whatever else reads it, first.\n`,
    });
  });

  async function expectRefusal(from: string, message: string, ring = ENCRYPTION_KEYS): Promise<void> {
    await seedCaller(given.store, 'ada');
    await given.store.close();
    const script = runScript('scripts/utg.ts', ['store', 'restore', '--from', from], {
      DATABASE_URL: given.url,
      ENCRYPTION_KEYS: ring,
    });
    expect([await script.ended(), script.output()]).toEqual([1, message]);
    given.store = await openListeningStore({ url: given.url });
    expect(await findUsersByExternalId(given.store.db, 'ada')).toHaveLength(1);
    expect((await readdir(dirname(file()))).filter((name) => name.includes('rest'))).toEqual([]);
  }

  test.each([
    ['trigger undo', 'create trigger undo after update on access_tokens begin select 1; end'],
    ['view mine', 'create view mine as select 1'],
    ['virtual table texts', 'create virtual table texts using fts5(a)'],
    ['computed column later.b', 'create table later (a, b as (a + 1))'],
  ])('is refused when someone put a %s into it', async (name, statement) => {
    const from = join(folder, 'changed');
    expect((await run(given.url, 'backup', '--to', from)).code).toBe(0);
    const backup = new SqliteDatabase(from);
    backup.exec(statement);
    backup.close();
    const message = `--from has the ${name}, which no gateway creates: it could give back what is revoked. Remove it, or take another backup.\n`;
    await expectRefusal(from, message);
  });

  test('is refused when it is damaged, not of a store, or missing', async () => {
    const from = join(folder, 'b');
    await expectRefusal(from, `--from names ${from}, and there is no such file.\n`);
    const other = new SqliteDatabase(from);
    other.exec('create table notes (id text)');
    other.close();
    await expectRefusal(from, `${from} is a SQLite database, but not of a gateway.\n`);
    await writeFile(from, 'no database, but long enough to be read as the header of one, which it is not');
    await expectRefusal(from, `${from} is not a SQLite database.\n`);
  });

  test('is refused with keys other than those of its gateway', async () => {
    const gateway = await start(given.url);
    await gateway.stop();
    const from = join(folder, 'c');
    expect((await run(given.url, 'backup', '--to', from)).code).toBe(0);
    const message =
      'The store was sealed with the encryption key "test", which ENCRYPTION_KEYS does not hold, or holds with another value: ' +
      'set ENCRYPTION_KEYS as the gateway of this store, or of this backup, has it.\n';
    await expectRefusal(from, message, ringText('other', 2));
  });

  test('is restored with the own triggers of the gateway, and none that someone put under such a name', async () => {
    const from = join(folder, 'e');
    expect((await run(given.url, 'backup', '--to', from)).code).toBe(0);
    const backup = new SqliteDatabase(from);
    const triggersOf = (database: SqliteDatabase.Database) =>
      database.prepare("select name from sqlite_master where type = 'trigger' order by name").pluck().all();
    const own = triggersOf(backup);
    backup.exec('create trigger access_changes_mine after update on access_tokens begin select 1; end');
    backup.close();
    await given.store.close();
    expect((await run(given.url, 'restore', '--from', from)).code).toBe(0);
    given.store = await openListeningStore({ url: given.url });
    const restored = new SqliteDatabase(file());
    expect(triggersOf(restored)).toEqual(own);
    restored.close();
  });

  test('replaces a damaged store and a missing one', async () => {
    const from = join(folder, 'd');
    await seedCaller(given.store, 'ada');
    expect((await run(given.url, 'backup', '--to', from)).code).toBe(0);
    await given.store.close();
    await writeFile(file(), 'destroyed');
    expect((await run(given.url, 'restore', '--from', from)).code).toBe(0);
    await rm(file());
    expect((await run(given.url, 'restore', '--from', from)).code).toBe(0);
    given.store = await openListeningStore({ url: given.url });
    expect(await findUsersByExternalId(given.store.db, 'ada')).toHaveLength(1);
  });
});

const PROGRAMS = ['pg_dump', 'pg_restore', 'createdb', 'dropdb'];
const missing = PROGRAMS.find((name) => findProgram(name) === null);
if (missing !== undefined) skipBecause(`a backup of PostgreSQL: ${missing} is not installed`);

describePostgres('a backup of a store', (given) => {
  const base = process.env.TEST_DATABASE_URL ?? '';
  const restoredUrl = () => {
    const url = new URL(given.url);
    url.pathname += '_restored';
    return url.href;
  };
  afterEach(async () => {
    await runCommands('dropdb --if-exists --force --maintenance-db="$SERVER_URL" "$NAME"', {
      SERVER_URL: base,
      NAME: basename(restoredUrl()),
    });
  });

  const runDocumented = async (holding: string, url: string) =>
    runCommands(here(await findCommands(DOCUMENT, holding)).replace('gateway_restored', basename(restoredUrl())), {
      DATABASE_URL: url,
      SERVER_URL: base,
      ENCRYPTION_KEYS,
    });

  test.skipIf(missing !== undefined)(
    'that is made while gateways write can be restored, without access that was revoked',
    async () => {
      const world = await liveThrough(given, () => runDocumented('pg_dump', given.url));
      const printed = await runDocumented('pg_restore', restoredUrl());
      expect(printed).toContain('Ended: grants: 0, minted tokens: 2, connection codes: 1, links: 0,');
      await expectRestored(restoredUrl(), world, false);
    },
  );
});

describeStore('access that a restore brought back', (given) => {
  test('is counted, and revoked only with --yes', async () => {
    await seedCaller(given.store, 'ada');
    const counts =
      'grants: 0, minted tokens: 1, connection codes: 0, links: 0, connect flows: 0, sessions of operators: 0, subscriptions to events: 0\n';
    expect(await run(given.url, 'end-access')).toEqual({
      code: 2,
      output: `Would revoke: ${counts}Nothing was changed. Add --yes to revoke them.\nTry: npm run utg -- store end-access --help\n`,
    });
    expect((await countAccess(given.store.db, {}, Date.now())).tokens).toBe(1);
    expect(await run(given.url, 'end-access', '--yes')).toEqual({ code: 0, output: `Ended: ${counts}` });
    expect((await countAccess(given.store.db, {}, Date.now())).tokens).toBe(0);
    const events = await given.store.db.selectFrom('audit_events').select('type').execute();
    expect(events.map(({ type }) => type)).toEqual(['grants_revoked', 'store_restored']);
  });

  test('is an error as long as something gives it back', async () => {
    await seedCaller(given.store, 'ada');
    await (given.store.dialect === 'sqlite' ? GIVE_BACK.sqlite : GIVE_BACK.postgres).execute(given.store.db);
    const { code, output } = await run(given.url, 'end-access', '--yes');
    expect([code, output]).toEqual([1, expect.stringMatching(/still there after it was revoked .*minted tokens: 1/)]);
  });

  test('is revoked, of every kind, and no event number is reused', async () => {
    const { db } = given.store;
    await fillEveryTable(given, RING);
    await db.updateTable('partner_event_heads').set({ seq: 41 }).execute();
    const { id } = await insertPartner(db, { clientId: 'silent', name: 'Silent', now: 1 });
    expect(await run(given.url, 'end-access', '--yes')).toMatchObject({ code: 0 });
    expect((await run(given.url, 'end-access')).output).toMatch(/^Would revoke:(?: [a-z ]+: 0,?){7}$/m);
    expect(await db.selectFrom('operator_sessions').select('id').execute()).toEqual([]);
    for (const table of ['connect_sessions', 'connection_attempts'] as const)
      expect((await db.selectFrom(table).select('redeemed_at').execute()).map((row) => row.redeemed_at)).not.toContain(
        null,
      );
    const heads = await db.selectFrom('partner_event_heads').select(['partner_id', 'seq']).orderBy('seq').execute();
    expect(heads[0]).toEqual({ partner_id: id, seq: 1_000_000_000 });
    expect(heads.slice(1).every(({ seq }) => seq >= 1_000_000_041)).toBe(true);
  });
});
