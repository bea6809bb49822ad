import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seedUser } from '../../../../scripts/demo/seed.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { type Host, startHost } from '../../call/upstream/support.ts';
import { libraryConnector } from '../../call/writes-once/connector.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WRITE_MANY = 'for (let i = 0; i < 400; i += 1) await library.addBook({ title: "T" + i })';

describeStore('a gateway in the middle of a program', (given) => {
  let host: Host;
  let gateways: GatewayProcesses;
  let token: string;
  let sent: string[];

  beforeEach(async () => {
    sent = [];
    host = await startHost(async (request, response) => {
      sent.push(new URL(request.url ?? '', host.origin).searchParams.get('title') ?? '');
      setTimeout(() => response.writeHead(201).end('{"number":1}'), 30);
    });
    ({ token } = await seedUser({
      ...{ store: given.store, vault: await vaultBeside(given.store), partner: 'acme', user: 'ada' },
      ...{ connectors: [libraryConnector()], secretOf: () => '', now: Date.now() },
      resource: SHARED_PUBLIC_URL + MCP_PATH,
    }));
    gateways = await startGatewayProcesses({
      count: 2,
      databaseUrl: given.url,
      script: 'test/server/call/writes-once/gateway-main.ts',
      env: {
        ...{ LIBRARY_BASE_URL: host.origin, CATALOGUE_MODE: 'code', STOP_TIMEOUT_MS: '1000' },
        CODE_RUNS_AT_ONCE: '1',
      },
    });
  });
  afterEach(async () => {
    await gateways.stop();
    await host.close();
  });

  async function run(node: number, code: string): Promise<string> {
    const client = await connectClient({ url: gateways.origins[node] + MCP_PATH, token });
    const result = await client.callTool({ name: 'run_code', arguments: { code } }).catch((error: Error) => error);
    await client.close();
    return result instanceof Error ? 'no answer' : JSON.stringify(result.content);
  }

  const recorded = () => given.store.db.selectFrom('call_records').selectAll().execute();
  const hasBegun = () => expect.poll(() => sent.length, { timeout: 60_000, interval: 20 }).toBeGreaterThan(3);

  test('stops when it is told to, in the middle, and has recorded every call that it made', async () => {
    const running = run(0, WRITE_MANY);
    await hasBegun();
    expect(await gateways.stop()).toEqual([0, 0]);
    await running;
    const records = await recorded();
    expect(records).toHaveLength(sent.length);
    expect(sent.length).toBeLessThan(400);
    for (const { tool, outcome } of records) expect([tool, outcome]).toEqual(['library_add_book', 'ok']);
  });

  test('leaves only whole records and no claim when it is killed, and another gateway runs programs', async () => {
    const running = run(0, WRITE_MANY);
    await hasBegun();
    await gateways.kill(0);
    expect(await running).toBe('no answer');
    const made = sent.length;
    for (const { tool, outcome, duration_ms, request_id } of await recorded()) {
      expect([tool, outcome, typeof request_id]).toEqual(['library_add_book', 'ok', 'string']);
      expect(duration_ms).toBeGreaterThanOrEqual(0);
    }
    expect((await recorded()).length).toBeLessThanOrEqual(made);
    expect(await given.store.db.selectFrom('kept_by_code').selectAll().execute()).toEqual([]);
    expect(await run(1, 'await library.addBook({ title: "after" }); return "ran"')).toContain('ran');
    expect(sent.slice(made)).toEqual(['after']);
  });
});
