import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../../server/base/http/log.ts';
import { isStoreOutage } from '../../../../server/base/store/outage.ts';
import { createPostgresPool } from '../../../../server/base/store/postgres.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { createGateway, type Gateway } from '../../../../server/gateway.ts';
import { loadConfig } from '../../../../server/index.ts';
import { openRelay, type Relay } from '../../../support/relay.ts';
import { CONNECTORS, KEYS, OPERATOR_SECRET } from '../../connect/support.ts';
import { describePostgres } from './dialects.ts';

const coded = (code: string) => Object.assign(new Error('x'), { code });

describe('an outage of the store', () => {
  test.each([
    'ECONNREFUSED',
    'ETIMEDOUT',
    '08006',
    '28P01',
    '42501',
    '57P01',
    '57P03',
    '25P03',
    '25006',
    '53300',
    '40P01',
    'SQLITE_BUSY',
    'SQLITE_IOERR_READ',
  ])('is %s', (code) => {
    expect(isStoreOutage(coded(code))).toBe(true);
  });

  test.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect', 'timeout expired'])(
    'is "%s"',
    (message) => {
      expect(isStoreOutage(new Error(message))).toBe(true);
    },
  );

  test.each<[string, unknown]>([
    ['a row that exists', coded('23505')],
    ['a broken statement', coded('42601')],
    ['a corrupt file', coded('SQLITE_CORRUPT')],
    ['a TypeError', new TypeError('x is not a function')],
    ['a string', 'ECONNREFUSED'],
  ])('is not %s', (_title, error) => {
    expect(isStoreOutage(error)).toBe(false);
  });
});

describePostgres('a gateway whose database is down', (given) => {
  const lines: string[] = [];
  let relay: Relay;
  let server: ReturnType<typeof createHttpServer>;
  let gateway: Gateway;
  let origin: string;

  beforeEach(async () => {
    lines.length = 0;
    relay = await openRelay(given.url);
    server = createHttpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = {
      PUBLIC_URL: origin,
      DATABASE_URL: relay.url,
      ENCRYPTION_KEYS: `k1:${KEYS.k1}`,
      ADMIN_SECRET: OPERATOR_SECRET,
    };
    const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
    gateway = await createGateway({ config: loadConfig({ connectors: CONNECTORS, env }), connectors: CONNECTORS, log });
    server.on('request', gateway.handle);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await gateway.close();
    await relay.close();
  });

  const form = (fields: Record<string, string>, headers = {}): RequestInit => ({
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  });
  const json = (body: unknown, headers = {}): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const credentials = { client_id: 'acme', client_secret: 'x' };
  const MACHINES: readonly [string, RequestInit][] = [
    ['/api/mcp/oauth/token', form({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'c' })],
    ['/api/mcp/oauth/revoke', form({ token: 'utg_at_x', client_id: 'c' })],
    ['/api/mcp/oauth/register', json({ redirect_uris: ['http://127.0.0.1/cb'] })],
    ['/api/mcp/oauth/sessions', json({ ...credentials, user_id: 'alice' })],
    ['/api/oauth/token', form({ ...credentials, grant_type: 'refresh_token', refresh_token: 'x' })],
    ['/api/partner/users/alice/connections', { headers: { Authorization: 'Basic YWNtZTp4' } }],
  ];
  const PAGES: readonly [string, RequestInit][] = [
    ['/api/mcp/oauth/authorize?client_id=c', {}],
    ['/connect/library?client_id=acme&user_id=alice', {}],
    ['/admin', { headers: { Cookie: `utg_operator=${'x'.repeat(43)}` } }],
  ];
  const MCP: RequestInit = json({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { Authorization: 'Bearer utg_at_x' });

  test('answers that it is unavailable, and recovers when the database is back', async () => {
    await relay.close();
    for (const [path, init] of MACHINES) {
      const answer = await fetch(origin + path, init);
      expect([path, answer.status, answer.headers.get('Retry-After')]).toEqual([path, 503, '5']);
      expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
    }
    for (const [path, init] of PAGES) {
      const answer = await fetch(origin + path, { ...init, redirect: 'manual' });
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        503,
        expect.stringContaining('Not available right now'),
      ]);
      expect(answer.headers.get('Retry-After')).toBe('5');
    }
    const call = await fetch(`${origin}/api/mcp/unified`, MCP);
    expect([call.status, call.headers.get('Retry-After'), await call.json()]).toEqual([
      503,
      '5',
      { jsonrpc: '2.0', id: null, error: { code: 503, message: expect.stringContaining('Try again in 5 seconds') } },
    ]);
    expect(lines.join('')).toContain('ECONNREFUSED');

    await relay.open();
    expect((await fetch(`${origin}/api/mcp/unified`, MCP)).status).toBe(401);
    expect((await fetch(origin + MACHINES[0]![0], MACHINES[0]![1])).status).toBe(401);
  });

  test('answers the same if the connection breaks during a statement', async () => {
    const answers = Array.from({ length: 30 }, () => fetch(`${origin}/api/mcp/unified`, MCP));
    const broken = Promise.all(answers);
    relay.cut();
    const statuses = (await broken).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
  });
});

describePostgres('a network to the database that drops all packets', (given) => {
  let relay: Relay;
  let pool: ReturnType<typeof createPostgresPool>;

  beforeEach(async () => {
    relay = await openRelay(given.url);
    pool = createPostgresPool({ url: relay.url, onError: () => {}, silenceMs: 300 });
  });
  afterEach(async () => {
    relay.cut();
    await pool.end();
    await relay.close();
  });

  test('is an outage for the current statement, and does not affect the next one', async () => {
    await pool.query('select 1');
    relay.lose();
    const error = await pool.query('select 1').catch((caught: unknown) => caught);
    expect(isStoreOutage(error)).toBe(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('leaves no rows locked: PostgreSQL ends an idle transaction', async () => {
    const { rows } = await pool.query('show idle_in_transaction_session_timeout');
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '5s' }]);
  });
});

describePostgres('a database that accepts no writes for a while', (given) => {
  const write = () =>
    insertPartner(given.store.db, {
      clientId: `acme-${Math.random()}`,
      name: 'Acme',
      redirectUris: [],
      connectUri: null,
      now: 1,
    });
  const becomeReadOnly = () =>
    given.store.db.connection().execute(async (connection) => {
      await sql`set session characteristics as transaction read only`.execute(connection);
    });

  test('is an outage, and so is its ping', async () => {
    await becomeReadOnly();
    expect(isStoreOutage(await given.store.ping().catch((error: unknown) => error))).toBe(true);
    await becomeReadOnly();
    expect(isStoreOutage(await write().catch((error: unknown) => error))).toBe(true);
  });

  test('gets no further writes over a connection that refused one', async () => {
    await becomeReadOnly();
    await expect(write()).rejects.toThrow('read-only');
    await write();
    await given.store.ping();
  });

  test('gets no further transactions over such a connection', async () => {
    await becomeReadOnly();
    const change = () =>
      given.store.db
        .transaction()
        .execute((transaction) =>
          insertPartner(transaction, { clientId: 'acme-2', name: 'Acme', redirectUris: [], connectUri: null, now: 1 }),
        );
    expect(isStoreOutage(await change().catch((error: unknown) => error))).toBe(true);
    await change();
  });
});
