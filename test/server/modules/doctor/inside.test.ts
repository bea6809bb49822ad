import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../../../sandbox/index.ts';
import { emit } from '../../../../server/base/store/events.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { createDoctorCommand } from '../../../../server/modules/doctor/command.ts';
import { inspectStore } from '../../../../server/modules/doctor/store/inspect.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { tallies } from '../../../../server/modules/tallies/module.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { ringText } from '../../../support/keys.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { startOpenIdProvider } from '../../../support/openid-provider.ts';
import { runInProcess } from '../../../support/run-command.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { type Examination, examine, problemsOf } from './support.ts';

const SECRET = 'a-key-that-the-sandbox-takes';

describe('next to a running gateway', () => {
  let sandbox: OpenSandbox;
  let connectors: readonly Connector[];
  let gateway: RunningGateway;
  let env: Record<string, string>;

  beforeAll(async () => {
    connectors = await loadConnectors();
    sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../../../..'), credential: SECRET });
    const urls = Object.assign({}, ...Object.values(sandbox.environment)) as Record<string, string>;
    gateway = await startGateway({ connectors, env: urls, secretOf: () => SECRET });
    env = {
      ...urls,
      PUBLIC_URL: gateway.listensAt,
      DATABASE_URL: gateway.databaseUrl,
      ENCRYPTION_KEYS: gateway.encryptionKeys,
    };
  });
  afterAll(async () => {
    await gateway?.close();
    await sandbox?.close();
  });

  const seenBy = (argv: readonly string[] = [], more: Record<string, string> = {}): Promise<Examination> =>
    examine(argv, { env: { ...env, ...more }, connectors });
  const ofCheck = ({ findings }: Examination, name: string) =>
    findings.filter(({ check }) => check.startsWith(name)).map(({ state, seen }) => `${state}: ${seen}`);

  test('every service is reached and rejects its verifying call without a credential', async () => {
    const seen = await seenBy();
    const services = ofCheck(seen, 'service');
    expect(services.filter((each) => !each.startsWith('ok: '))).toEqual([]);
    expect(services.filter((each) => each.endsWith('is refused without a credential (401)'))).toHaveLength(
      connectors.length,
    );
    expect(problemsOf(seen)).toEqual(['partners: (hidden) has no redirect URI, so its users cannot connect']);
    expect(seen.code).toBe(0);
  });

  test('no request contains a credential unless --verify-as is given', async () => {
    const headers: string[] = [];
    const server = createServer((request, response) => {
      headers.push(JSON.stringify(request.headers) + request.url);
      response.writeHead(401).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const seen = await seenBy([], { RETRIEVAL_BASE_URL: origin });
      expect(ofCheck(seen, 'service retrieval')).toHaveLength(2);
      expect(headers.length).toBeGreaterThan(0);
      expect(headers.join()).not.toContain(SECRET);
      expect(ofCheck(await seenBy(['--verify-as', 'ada'], { RETRIEVAL_BASE_URL: origin }), 'credentials')).toContain(
        'error: retrieval refuses the credential',
      );
      expect(headers.join()).toContain(SECRET);
    } finally {
      server.close();
    }
  });

  test('--verify-as tries the stored credentials of a user, and names no one', async () => {
    const seen = await seenBy(['--verify-as', 'ada']);
    expect(ofCheck(seen, 'credentials')).toEqual(connectors.map(({ name }) => `ok: ${name} accepts the credential`));
    expect(JSON.stringify(seen.findings)).not.toMatch(/\bada\b/);
  });

  test.each([
    ['http://127.0.0.1:45679', 'refuses connections: nothing listens at this port', 'RETRIEVAL_BASE_URL'],
    ['http://nowhere.invalid', 'has no address: its name does not resolve', 'RETRIEVAL_BASE_URL'],
  ])('a base URL of %s is reported', async (url, found, variable) => {
    const { findings, code } = await seenBy([], { RETRIEVAL_BASE_URL: url, PLAIN_HTTP_UPSTREAMS: 'nowhere.invalid' });
    const finding = findings.find(({ check }) => check === 'service retrieval');
    expect([finding?.state, finding?.seen]).toEqual(['error', expect.stringContaining(found)]);
    expect(finding?.fix).toContain(variable);
    expect(code).toBe(1);
  });

  test('a name with an address that the gateway may not reach is reported', async () => {
    const surroundings = { env: { ...env, RETRIEVAL_BASE_URL: 'https://inner.example.test' }, connectors };
    const inner = async () => [{ address: '10.0.0.7', family: 4 }];
    const { findings } = await examine([], { ...surroundings, resolve: inner });
    expect(findings.find(({ check }) => check === 'service retrieval')).toMatchObject({
      state: 'error',
      seen: 'inner.example.test has an address that is not public, and that OUTGOING_NETWORKS does not allow',
      fix: expect.stringContaining('OUTGOING_NETWORKS'),
    });
  });

  test('keys that do not match the store are reported', async () => {
    expect(problemsOf(await seenBy([], { ENCRYPTION_KEYS: ringText('other', 2) })).join('\n')).toMatch(
      /keys: The store was sealed with the encryption key "test", which ENCRYPTION_KEYS does not hold.*\n.*audit trail: the audit trail is signed with keys that are not here/s,
    );
    expect(problemsOf(await seenBy([], { ENCRYPTION_KEYS: ringText('test', 2) })).join('\n')).toContain(
      'keys: The store was sealed with the encryption key "test", which ENCRYPTION_KEYS does not hold, or holds with another value',
    );
  });

  test('an outgoing proxy or a limit server that does not answer is reported', async () => {
    const settings = { OUTGOING_PROXY: 'http://127.0.0.1:45679', LIMITS_REDIS_URL: 'redis://127.0.0.1:45679' };
    const seen = await seenBy([], { ...settings, RETRIEVAL_BASE_URL: 'https://retrieval.example.test' });
    expect(ofCheck(seen, 'service retrieval')[0]).toMatch(
      /^error: retrieval\.example\.test cannot be reached through OUTGOING_PROXY/,
    );
    expect(ofCheck(seen, 'limits')).toEqual([
      'warning: the server of LIMITS_REDIS_URL does not answer, so each gateway counts limits alone',
    ]);
  });

  test('each invalid setting is named, with a fix', async () => {
    const { findings, code } = await seenBy([], { PORT: 'x', LOG_LEVEL: 'loud' });
    const settings = findings.filter(({ check }) => check === 'settings');
    expect(settings.map(({ fix }) => fix)).toEqual(['for example: PORT=3000', 'for example: LOG_LEVEL=debug']);
    expect(code).toBe(1);
  });

  test('the OpenID provider of operators is asked for its discovery document', async () => {
    const provider = await startOpenIdProvider();
    provider.serve('http://127.0.0.1:1/back');
    const settings = {
      ADMIN_OPENID_CLIENT_ID: 'a',
      ADMIN_OPENID_CLIENT_SECRET: 'b',
      ADMIN_OPENID_LOOK: '@example.com',
    };
    try {
      const well = await seenBy([], { ...settings, ADMIN_OPENID_ISSUER: provider.issuer });
      expect(ofCheck(well, 'OpenID')).toEqual(['ok: the OpenID provider answers, and names the same issuer']);
      const other = await seenBy([], { ...settings, ADMIN_OPENID_ISSUER: `${provider.issuer}/` });
      expect(ofCheck(other, 'OpenID')).toEqual(['error: the OpenID provider names another issuer']);
    } finally {
      await provider.close();
    }
  });
});

describe('without a running gateway', () => {
  let folder: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'utg-doctor-'));
    env = { PUBLIC_URL: 'http://127.0.0.1:1', ENCRYPTION_KEYS: ringText('k1', 1) };
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('the checks from inside run, and the others are skipped', async () => {
    const url = `sqlite:${join(folder, 'gateway.sqlite')}`;
    await (await openListeningStore({ url })).close();
    const seen = await examine([], { env: { ...env, DATABASE_URL: url }, connectors: [] });
    expect(problemsOf(seen)).toEqual([
      'address: no gateway runs at http://127.0.0.1:1',
      'partners: no application is registered, so no user can connect',
    ]);
    expect(seen.code).toBe(0);
    const left = seen.findings.filter((each) => each.seen === 'no gateway answers at its address');
    expect(left.map(({ check }) => check)).toEqual(expect.arrayContaining(['discovery', 'registration', 'proxy']));
  });

  test('a mistyped path is an error and creates no folder', async () => {
    const url = `sqlite:${join(folder, 'dta/gateway.sqlite')}`;
    const { findings, code } = await examine([], { env: { ...env, DATABASE_URL: url }, connectors: [] });
    expect(findings.find(({ check }) => check === 'store')).toMatchObject({
      state: 'error',
      seen: expect.stringContaining('which does not exist'),
    });
    expect(code).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  test('unreachable addresses of partners are reported', async () => {
    const url = `sqlite:${join(folder, 'gateway.sqlite')}`;
    const store = await openListeningStore({ url });
    const redirectUris = [
      'https://app.example.test/back',
      'https://gone.example.test/back',
      'http://app.example.test/',
    ];
    await insertPartner(store.db, { clientId: 'acme', name: 'Acme', redirectUris, now: 0 });
    await insertPartner(store.db, {
      clientId: 'studio',
      name: 'Studio',
      redirectUris: ['http://localhost:1/'],
      now: 0,
    });
    await store.close();
    const settings = { ...env, PUBLIC_URL: 'https://tools.example.test', TRUST_PROXY: 'none', DATABASE_URL: url };
    const resolve = async (name: string) => (name === 'app.example.test' ? [{ address: '192.0.2.1', family: 4 }] : []);
    const surroundings = { env: settings, connectors: [], resolve };
    const seen = await examine(['--timeout', '5'], surroundings);
    expect(problemsOf(seen).filter((each) => each.startsWith('partners'))).toEqual([
      'partners: a redirect URI of (hidden) names (hidden), which does not resolve here',
      'partners: a redirect URI of (hidden) is neither https nor http on localhost',
      'partners: a redirect URI of (hidden) is on localhost, which is for development only',
    ]);
    const { out } = await runInProcess(
      (output) => createDoctorCommand(MODULES, output, surroundings),
      ['--timeout', '5'],
    );
    expect(out).toContain('a redirect URI of acme names gone.example.test, which does not resolve here');
  });

  test('a file that is no database is reported in a sentence', async () => {
    const file = join(folder, 'notes.txt');
    await writeFile(file, 'These are notes, and no database at all.'.repeat(50));
    const { findings } = await examine([], { env: { ...env, DATABASE_URL: `sqlite:${file}` }, connectors: [] });
    expect(findings.find(({ check }) => check === 'store')?.seen).toContain('is not a SQLite database');
  });

  test('registration settings that keep clients out are reported', async () => {
    const url = `sqlite:${join(folder, 'gateway.sqlite')}`;
    const ofClients = async (policy: string) => {
      const settings = { ...env, DATABASE_URL: url, CLIENT_REGISTRATION: policy };
      const { findings } = await examine([], { env: settings, connectors: [] });
      return findings.find(({ check }) => check === 'clients')?.seen;
    };
    expect(await ofClients('off')).toContain('no client can identify itself');
    expect(await ofClients('localhost,claude.ai')).toContain('clients can register');
  });
});

describeStore('the inspection of a store', (given) => {
  test('of this version opens it', async () => {
    const { findings: seen, store, migrations } = await inspectStore(given.url, []);
    expect(seen.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(migrations?.pending).toEqual([]);
    expect(await store?.db.selectFrom('attempt_counters').selectAll().execute()).toEqual([]);
    await store?.close();
  });

  test('that a newer gateway migrated opens it, unless this version cannot use the result', async () => {
    const db = given.store.db.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
    const add = (name: string) =>
      db.insertInto('kysely_migration').values({ name, timestamp: '2100-01-01T00:00:00.000Z' }).execute();
    await add('9998-of-tomorrow');
    const usable = await inspectStore(given.url, []);
    expect(usable.findings[0]).toMatchObject({ state: 'warning', seen: expect.stringContaining('(9998-of-tomorrow)') });
    expect(usable.store).not.toBeNull();
    await usable.store?.close();
    await add('9999-contract-after-9998-of-tomorrow');
    const { findings: seen, store } = await inspectStore(given.url, []);
    expect([store, seen.map(({ state }) => state)]).toEqual([null, ['error']]);
  });

  test('that is behind changes nothing', async () => {
    const db = given.store.db.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
    await db.deleteFrom('kysely_migration').where('name', 'like', 'tallies/%').execute();
    const behind = await inspectStore(given.url, [{ module: tallies, settings: { countUsage: false } }]);
    expect([behind.store, behind.findings[0]]).toEqual([
      null,
      expect.objectContaining({ state: 'warning', seen: 'the database is 1 migration behind' }),
    ]);
  });
});

test('a changed event of the audit trail is reported', async () => {
  const gateway = await startGateway({ connectors: [], secretOf: () => SECRET });
  try {
    const { db } = gateway.store;
    await db.transaction().execute((transaction) => emit(transaction, { type: 'consent_denied', now: 1, details: {} }));
    const env = {
      PUBLIC_URL: gateway.listensAt,
      DATABASE_URL: gateway.databaseUrl,
      ENCRYPTION_KEYS: gateway.encryptionKeys,
    };
    const trail = async () => {
      const { findings } = await examine([], { env, connectors: [] });
      return findings.filter(({ check }) => check === 'audit trail').map(({ seen }) => seen);
    };
    expect(await trail()).toEqual(['newest audit events verified: 1']);
    await db.updateTable('audit_events').set({ type: 'consent_given' }).execute();
    expect(await trail()).toEqual([
      expect.stringMatching(/^event \S+ \(consent_given, .*\) was changed, or no gateway recorded it$/),
    ]);
  } finally {
    await gateway.close();
  }
});
