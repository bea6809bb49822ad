import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../../server/base/http/log.ts';
import { openStore } from '../../../../server/base/store/index.ts';
import { createGateway, type Gateway } from '../../../../server/gateway.ts';
import { loadConfig } from '../../../../server/index.ts';
import { findPgbouncer, type Pooler, startPgbouncer } from '../../../support/pgbouncer.ts';
import { CONNECTORS, KEYS } from '../../connect/support.ts';
import { describePostgres, type StoreUnderTest } from './dialects.ts';

const PROGRAM = findPgbouncer();
const CALLERS = 31;
const ROUNDS = 4;

const describePooled = PROGRAM === null ? describe.skip : describe;
describePooled('behind pgbouncer in transaction mode', () => describePostgres('a gateway', define));

function define(given: StoreUnderTest): void {
  let pooler: Pooler;
  const closing: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    pooler = await startPgbouncer(PROGRAM ?? '', given.url);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await pooler.stop();
  });

  const openGateway = async (): Promise<string> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = {
      PUBLIC_URL: origin,
      DATABASE_URL: `${pooler.urlOf(given.url)}?pgbouncer=true`,
      ENCRYPTION_KEYS: `k1:${KEYS.k1}`,
      MAX_UNUSED_CLIENTS: '10000',
      TRUST_PROXY: '127.0.0.1',
    };
    const gateway: Gateway = await createGateway({
      config: loadConfig({ connectors: CONNECTORS, env }),
      connectors: CONNECTORS,
      log: createLog({ level: 'silent' }),
    });
    server.on('request', gateway.handle);
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await gateway.close();
    });
    return origin;
  };

  test('serves 496 mixed requests on two nodes, none of which fails', async () => {
    const origins = [await openGateway(), await openGateway()];
    const ask = async (turn: number, path: string, body: unknown, more = {}): Promise<number> => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `192.0.2.${turn % 250}`, ...more };
      const init = body === null ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(origins[turn % 2] + path, init)).status;
    };
    const bearer = { Authorization: `Bearer utg_at_${'x'.repeat(43)}` };
    const statuses: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      const asked = Array.from({ length: CALLERS }, (_, caller) => [
        ask(caller + round, '/api/mcp/unified', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer),
        ask(caller, '/api/mcp/oauth/register', { redirect_uris: ['http://127.0.0.1/cb'] }),
        ask(caller, '/api/partner/users/alice/connections', null, { Authorization: 'Basic YWNtZTp4' }),
        ask(caller, '/readyz', null),
      ]);
      for (const status of await Promise.all(asked.flat())) statuses[status] = (statuses[status] ?? 0) + 1;
    }
    const each = CALLERS * ROUNDS;
    expect(statuses).toEqual({ 200: each, 201: each, 401: 2 * each });
  });

  test('starts on an empty database, several at once', async () => {
    await sql`drop schema public cascade`.execute(given.store.db);
    await sql`create schema public`.execute(given.store.db);
    const url = `${pooler.urlOf(given.url)}?pgbouncer=true`;
    const opened = await Promise.all([1, 2, 3].map(() => openStore({ url })));
    for (const store of opened) await store.close();
    expect(opened).toHaveLength(3);
  });

  test('bounds what a transaction waits for, and no other session', async () => {
    const store = await openStore({ url: `${pooler.urlOf(given.url)}?pgbouncer=true` });
    closing.push(() => store.close());
    const read = sql<{ limits: string }>`
      select current_setting('statement_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout') as limits`;
    const inside = await store.db.transaction().execute((transaction) => read.execute(transaction));
    const outside = await read.execute(store.db);
    expect([inside.rows[0]?.limits, outside.rows[0]?.limits]).toEqual(['15s 5s', '0 0']);
  });

  test('says at the start what DATABASE_URL needs', async () => {
    await expect(openStore({ url: pooler.urlOf(given.url) })).rejects.toThrow(
      /^The pooler at 127\.0\.0\.1:\d+, which DATABASE_URL names, refuses the startup parameter lock_timeout: add \?pgbouncer=true to the address/,
    );
  });
}
