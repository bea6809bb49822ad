import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { GuardedFetch } from '../../server/base/guarded-fetch/index.ts';
import type { Store } from '../../server/base/store/index.ts';
import { purge } from '../../server/base/store/purge.ts';
import { describeStore } from '../server/base/store/dialects.ts';
import { connectorNamed } from '../server/connect/support.ts';
import { createClientKey } from '../server/identity/oauth/client-keys.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { RETENTION } from '../support/listening.ts';
import { CHECKED_SERVICE, createFloodSources, LARGEST_CLIENT, PARTNER_REDIRECT_URI, SERVICE } from './flood-sources.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PURGE_MINUTES = 15;
const FLOODED_MINUTES = 5;
const AT_ONCE = 10;
const TEN_MEGABYTES = 10_000_000;

const REQUESTS_PER_MINUTE: Readonly<Record<string, number>> = {
  clientDocuments: 21,
  assertAndAskForTokens: 65,
  assertAndRevoke: 65,
  deny: 10,
  typeWrongCodes: 18,
  connectWithAnyKey: 12,
  connectWithWrongKeys: 25,
  declineToConnect: 5,
  guessTheOperator: 10,
  guessThePartner: 5,
  register: 206,
};

const MINUTES_OF_ROWS: Readonly<Record<string, number>> = {
  single_use_codes: 11 + PURGE_MINUTES,
  attempt_counters: 60 + PURGE_MINUTES,
};
/** PostgreSQL only: a gateway on SQLite is one process, which counts in memory. */
const MINUTES_OF_SHARED_ROWS: Readonly<Record<string, number>> = { rate_limits: 1 + PURGE_MINUTES };
const MAX_ROWS: Readonly<Record<string, number>> = { oauth_clients: 1000 + 100, connection_attempts: 50 };

const LOGIN = { id: 'login', type: 'basic', label: 'Account' } as const;
const CONNECTORS = [connectorNamed(CHECKED_SERVICE, [LOGIN]), connectorNamed(SERVICE, [LOGIN], { verify: null })];

const documents: GuardedFetch = {
  getJson: async (url) => ({ json: { client_id: url, ...LARGEST_CLIENT }, header: () => null }),
  close: async () => {},
};

describeStore('an IPv6 /48 that floods every endpoint, each request from another address', (given) => {
  let upstream: Server;
  let gateway: RunningGateway;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
    upstream = createServer((_, response) => response.writeHead(401).end('{}'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    gateway = await startGateway({
      connectors: CONNECTORS,
      env: {
        DATABASE_URL: given.url,
        TRUST_PROXY: '127.0.0.1',
        ADMIN_SECRET: 'the-secret-of-the-operator',
        CLIENT_ID_METADATA_DOCUMENTS: 'on',
        LIBRARY_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      },
      secretOf: () => 'secret',
      documents,
    });
    await gateway.store.db
      .updateTable('partners')
      .set({ redirect_uris: JSON.stringify([PARTNER_REDIRECT_URI]) })
      .execute();
  });
  afterEach(async () => {
    await gateway.close();
    upstream.close();
    vi.useRealTimers();
  });

  test('fills less than 10 MB of the store in a day', { timeout: 60_000 }, async () => {
    const minutesOfRows =
      given.dialect === 'postgres' ? { ...MINUTES_OF_ROWS, ...MINUTES_OF_SHARED_ROWS } : MINUTES_OF_ROWS;
    let requests = 0;
    const nextAddress = () => `2001:db8:1:${(requests++ % 65_536).toString(16)}::1`;
    const { origin } = new URL(gateway.url);
    const target = { origin, partnerClientId: 'test', nextAddress, key: await createClientKey('flood') };
    const sources = Object.entries(createFloodSources(target));
    expect(sources.map(([name]) => name)).toEqual(Object.keys(REQUESTS_PER_MINUTE));
    const before = await sizesOf(given.store);
    const grown = async () => {
      const sizes = Object.entries(await sizesOf(given.store));
      return sizes
        .map(([table, { rows, bytes }]) => {
          const { rows: rowsBefore = 0, bytes: bytesBefore = 0 } = before[table] ?? {};
          return { table, rows: rows - rowsBefore, bytes: bytes - bytesBefore };
        })
        .filter(({ rows }) => rows !== 0);
    };

    for (let minute = 0; minute < FLOODED_MINUTES; minute += 1) {
      for (const [name, send] of sources) await send(REQUESTS_PER_MINUTE[name] ?? 0);
      vi.setSystemTime(Date.now() + MINUTE_MS);
      await vacuum(given.store);
    }
    const flooded = (await grown()).filter(({ table }) => table !== 'anonymous_events');
    const inNumber = flooded.filter(({ table }) => MAX_ROWS[table] !== undefined);
    const inTime = flooded.filter(({ table }) => MAX_ROWS[table] === undefined);
    expect(inNumber.map(({ table }) => table).sort()).toEqual(Object.keys(MAX_ROWS).sort());
    for (const { table, rows } of inNumber)
      expect(Math.abs(rows - (MAX_ROWS[table] ?? 0))).toBeLessThanOrEqual(AT_ONCE);
    expect(inTime.map(({ table }) => table).sort()).toEqual(Object.keys(minutesOfRows).sort());

    for (let hour = 1; hour < 24; hour += 1) {
      vi.setSystemTime(Date.now() + HOUR_MS);
      for (const [, send] of sources) await send(1);
    }
    const events = (await grown()).filter(({ table }) => table === 'anonymous_events');
    expect(events.map(({ rows }) => rows)).toEqual([24 * 9]);

    const perMinute = inTime.map(({ table, bytes }) => (bytes / FLOODED_MINUTES) * (minutesOfRows[table] ?? 0));
    const bytes = [...inNumber, ...events].map((table) => table.bytes).concat(perMinute);
    expect(bytes.reduce((sum, part) => sum + part, 0)).toBeLessThan(TEN_MEGABYTES);

    vi.setSystemTime(Date.now() + HOUR_MS + 1);
    await purge(given.store, RETENTION, { now: Date.now() });
    expect((await grown()).map(({ table }) => table).sort()).toEqual(['anonymous_events', 'oauth_clients']);
  });
});

interface TableSize {
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
}

/** The tables of a store, by name. */
async function sizesOf({ db, dialect }: Store): Promise<Record<string, TableSize>> {
  const { rows } =
    dialect === 'sqlite'
      ? await sql<{ name: string; bytes: number }>`
          select m.tbl_name as name, sum(s.pgsize) as bytes from dbstat s join sqlite_schema m on m.name = s.name
           where m.tbl_name not like 'sqlite%' and m.tbl_name not like 'kysely%' group by m.tbl_name`.execute(db)
      : await sql<{ name: string; bytes: number }>`
          select relname as name, pg_total_relation_size(oid) as bytes from pg_class
           where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'`.execute(db);
  const sizes = await Promise.all(
    rows.map(async ({ name, bytes }) => {
      const counted = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
      return [name, { rows: Number(counted.rows[0]?.rows), bytes: Number(bytes) }];
    }),
  );
  return Object.fromEntries(sizes);
}

/** Without dead rows: PostgreSQL reuses their space, and their number depends on how busy the machine is. */
async function vacuum({ db, dialect }: Store): Promise<void> {
  if (dialect === 'postgres') await sql`vacuum full`.execute(db);
}
