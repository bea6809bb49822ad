import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedUser } from '../../scripts/demo/seed.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { describePostgres, describeStore, type StoreUnderTest } from '../server/base/store/dialects.ts';
import { type Host, startHost } from '../server/call/upstream/support.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../support/gateway-processes.ts';
import { postRpc } from '../support/post-rpc.ts';
import { vaultBeside } from '../support/vault-beside.ts';

const MCP_PATH = '/api/mcp/unified';
const BRANDS = '{"data":[],"has_more":false}';

let upstream: Host;
let answer: RequestListener;
let gateways: GatewayProcesses;
let token: string;

async function start(given: StoreUnderTest, count: number): Promise<void> {
  const services = (await loadConnectors()).filter(({ name }) => name === 'mailer' || name === 'datatable');
  ({ token } = await seedUser({
    store: given.store,
    vault: await vaultBeside(given.store),
    partner: 'test',
    user: 'ada',
    connectors: services,
    secretOf: () => 'key',
    resource: SHARED_PUBLIC_URL + MCP_PATH,
    now: Date.now(),
  }));
  const { origin } = upstream;
  const env = { MAILER_BASE_URL: origin, DATATABLE_BASE_URL: `${origin}/api/v3`, UPSTREAM_TIMEOUT_MS: '8000' };
  gateways = await startGatewayProcesses({ count, databaseUrl: given.url, env });
}

beforeEach(async () => {
  upstream = await startHost((request, response) => answer(request, response));
});
afterEach(async () => {
  await gateways.stop();
  await upstream.close();
});

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

async function call(gateway: number, name: string, args: object): Promise<Result> {
  const url = gateways.origins[gateway]! + MCP_PATH;
  const response = await postRpc({ url, token }, 'tools/call', { name, arguments: args });
  return ((await response.json()) as { result: Result }).result;
}

describeStore('the caps of a connector', (given) => {
  test('hold for parallel calls of one connection, through one gateway or two', async () => {
    const nodes = given.dialect === 'sqlite' ? 1 : 2;
    const arrivals: number[] = [];
    let [now, most] = [0, 0];
    answer = async (_, response) => {
      arrivals.push(performance.now());
      now += 1;
      most = Math.max(most, now);
      await delay(600);
      now -= 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(BRANDS);
    };
    await start(given, nodes);
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => call(index % nodes, 'mailer_list_brands', {})),
    );
    expect(results.filter(({ isError }) => isError === true)).toEqual([]);
    expect(arrivals).toHaveLength(12);
    expect(most).toBeLessThanOrEqual(4);
    for (const at of arrivals) {
      expect(arrivals.filter((other) => other >= at && other < at + 1000).length).toBeLessThanOrEqual(10);
    }
  });
});

describePostgres('a gateway that crashes', (given) => {
  const TABLE = { vendorCode: 'A', tableCode: 'B', datatableCode: 'A/B' };

  test('has its slots freed automatically', async () => {
    let asked = 0;
    answer = (_, response) => {
      asked += 1;
      if (asked === 1) return;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"datatable":{}}');
    };
    await start(given, 2);
    call(0, 'datatable_get_datatable_metadata', TABLE).catch(() => undefined);
    while (asked === 0) await delay(10);
    await gateways.kill(0);
    const early = await call(1, 'datatable_get_datatable_metadata', TABLE);
    expect(JSON.parse(early.content[1]!.text)).toMatchObject({ code: 'no_free_turn', retryable: true });
    expect(early.content[0]!.text).toMatch(/takes 1 call at the same time from one connected account.* Wait 2 seconds/);
    expect(asked).toBe(1);
    let later = early;
    while (later.isError === true) later = await call(1, 'datatable_get_datatable_metadata', TABLE);
    expect(asked).toBe(2);
  }, 40_000);
});
