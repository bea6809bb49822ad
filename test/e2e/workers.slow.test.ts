import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent, createServer, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seedUser } from '../../scripts/demo/seed.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { describeStore, type StoreUnderTest } from '../server/base/store/dialects.ts';
import { createSqliteDatabase } from '../server/base/store/sqlite-database.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../support/gateway-processes.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';
import { vaultBeside } from '../support/vault-beside.ts';

const MCP_PATH = '/api/mcp/unified';
const PARTITIONS = '{"pagination":{"next_cursor":null},"partitions":[]}';
const BRANDS = '{"data":[],"has_more":false}';
const TIMEOUT_MS = 60_000;
/** Workers tell each other through their parent. By themselves they would learn it five seconds later. */
const SOON = { timeout: 2_000, interval: 20 };

let upstream: Server;
let answer: RequestListener;
let asked: number;
let gateways: GatewayProcesses;
let tokens: string[];
let metricsAt: string;
/** A connection each, to different workers. */
let connections: Agent[];

beforeEach(async () => {
  asked = 0;
  answer = (_, response) => void json(response, PARTITIONS);
  upstream = createServer((incoming, response) => {
    asked += 1;
    answer(incoming, response);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  connections = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
});
afterEach(async () => {
  for (const connection of connections) connection.destroy();
  await gateways?.stop();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

function json(response: Parameters<RequestListener>[1], body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

async function start(given: StoreUnderTest, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const connectors = (await loadConnectors()).filter(({ name }) => name === 'mailer' || name === 'retrieval');
  const vault = await vaultBeside(given.store);
  const now = Date.now();
  const resource = SHARED_PUBLIC_URL + MCP_PATH;
  const of = { store: given.store, vault, partner: 'test', connectors, secretOf: () => 'key', resource, now };
  tokens = [(await seedUser({ ...of, user: 'ada' })).token, (await seedUser({ ...of, user: 'bob' })).token];
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const metrics = await freePort();
  metricsAt = `http://127.0.0.1:${metrics}/metrics`;
  gateways = await startGatewayProcesses({
    count: 1,
    workers: 2,
    script: 'server/main.ts',
    databaseUrl: given.url,
    env: {
      MAILER_BASE_URL: origin,
      RETRIEVAL_BASE_URL: origin,
      METRICS_LISTEN: `127.0.0.1:${metrics}`,
      TOOL_CALLS_PER_MINUTE: '100000',
      ...env,
    },
  });
}

interface Answered {
  readonly status: number;
  /** Of a tool call. */
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

function send(path: string, options: { agent?: Agent; headers?: object; body: string }): Promise<Answered> {
  const { agent = new Agent(), headers, body } = options;
  const url = gateways.origins[0]! + path;
  const all = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers: all }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ ...(text.startsWith('{') ? JSON.parse(text) : {}), status: response.statusCode ?? 0 });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function call(options: { tool?: string; agent?: Agent; token?: string } = {}): Promise<Answered> {
  const { tool = 'retrieval_list_partitions', token = tokens[0]!, ...more } = options;
  const params = { name: tool, arguments: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return send(MCP_PATH, { ...more, headers: { Authorization: `Bearer ${token}` }, body });
}

const on = (index: number) => ({ agent: connections[index % 2]! });
const codeOf = ({ result }: Answered) =>
  result?.isError === true ? JSON.parse(result.content[1]!.text).code : undefined;

async function readMetric(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(metricsAt)).text();
  const values: Record<string, number> = {};
  for (const [, labels = '', value] of text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))) {
    const worker = /gateway_worker="(\d+)"/.exec(labels)?.[1] ?? '';
    values[worker] = (values[worker] ?? 0) + Number(value);
  }
  return values;
}

describeStore('two workers', (given) => {
  test(
    'answer together: each its connections, and one listener tells the metrics of both',
    async () => {
      await start(given);
      for (let index = 0; index < 7; index += 1) expect((await call(on(index))).result?.isError).not.toBe(true);
      const calls = await readMetric('gateway_tool_calls_total');
      expect(Object.keys(calls).sort()).toEqual(['1', '2']);
      expect(Object.values(calls).sort()).toEqual([3, 4]);
      expect(await readMetric('process_uptime_seconds')).toEqual({ 1: expect.any(Number), 2: expect.any(Number) });
    },
    TIMEOUT_MS,
  );

  test(
    'keep the caps of a connector for parallel calls of one connection',
    async () => {
      const arrivals: number[] = [];
      let [now, most] = [0, 0];
      answer = async (_, response) => {
        arrivals.push(performance.now());
        now += 1;
        most = Math.max(most, now);
        await delay(400);
        now -= 1;
        json(response, BRANDS);
      };
      await start(given, { UPSTREAM_TIMEOUT_MS: '8000' });
      const calls = await Promise.all(Array.from({ length: 12 }, () => call({ tool: 'mailer_list_brands' })));
      expect(calls.filter(({ result }) => result?.isError === true)).toEqual([]);
      expect(most).toBe(4);
      for (const at of arrivals)
        expect(arrivals.filter((other) => other >= at && other < at + 800).length).toBeLessThanOrEqual(10);
    },
    TIMEOUT_MS,
  );

  test(
    'count limits together: exactly what must be exact, and calls once both know of them',
    async () => {
      await start(given, { REGISTRATIONS_PER_MINUTE: '7', TOOL_CALLS_PER_MINUTE: '10' });
      const body = JSON.stringify({
        redirect_uris: ['http://127.0.0.1:7000/callback'],
        token_endpoint_auth_method: 'none',
      });
      const registered = await Promise.all(Array.from({ length: 30 }, () => send('/api/mcp/oauth/register', { body })));
      const statuses = registered.map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(7);
      expect(statuses.filter((status) => status === 429)).toHaveLength(23);

      for (let index = 0; index < 10; index += 1) expect(codeOf(await call(on(index)))).toBeUndefined();
      await delay(given.dialect === 'sqlite' ? 300 : 2_500);
      await call(on(0));
      await call(on(1));
      await delay(given.dialect === 'sqlite' ? 300 : 2_500);
      expect([codeOf(await call(on(0))), codeOf(await call(on(1)))]).toEqual(['too_many_calls', 'too_many_calls']);
      if (given.dialect === 'sqlite') expect(asked).toBe(10);
      expect(asked).toBeLessThanOrEqual(12);
    },
    TIMEOUT_MS,
  );

  test(
    'know at once of a token that was revoked, and of an upstream that is down and that recovered',
    async () => {
      await start(given);
      expect([(await call(on(0))).status, (await call(on(1))).status]).toEqual([200, 200]);
      answer = (_, response) => void response.writeHead(503).end();
      for (let index = 0; index < 8; index += 1) await call({ ...on(0), token: tokens[index % 2]! });
      expect(codeOf(await call(on(0)))).toBe('upstream_circuit_open');
      await expect.poll(async () => codeOf(await call(on(1))), SOON).toBe('upstream_circuit_open');
      const before = asked;
      expect(codeOf(await call(on(1)))).toBe('upstream_circuit_open');
      expect(asked).toBe(before);
      await until(/an upstream does not answer/);
      expect(gateways.log().match(/an upstream does not answer/g)).toHaveLength(1);

      answer = (_, response) => void json(response, PARTITIONS);
      while (codeOf(await call(on(0))) !== undefined) await delay(200);
      await expect.poll(async () => codeOf(await call(on(1))), SOON).toBeUndefined();

      await given.store.db.updateTable('access_tokens').set({ revoked_at: Date.now() }).execute();
      expect([(await call(on(0))).status, (await call(on(1))).status]).toEqual([401, 401]);
    },
    TIMEOUT_MS,
  );

  test(
    'a worker that is killed loses its own request alone, and another takes its place',
    async () => {
      const waiting: (() => void)[] = [];
      answer = (_, response) => void waiting.push(() => json(response, PARTITIONS));
      await start(given);
      const calls = [0, 1].map((index) => call(on(index)).catch(() => null));
      while (waiting.length < 2) await delay(10);
      process.kill(workersOf(gateways.pids[0])[0]!, 'SIGKILL');
      await until(/a worker ended: another takes its place/);
      for (const end of waiting) end();
      const answered = (await Promise.all(calls)).filter((each) => each !== null);
      expect(answered.map(({ status }) => status)).toEqual([200]);
      await until(/(?:"msg":"listening"[\s\S]*){3}/);
      answer = (_, response) => void json(response, PARTITIONS);
      await Promise.all([1, 2, 3, 4].map(() => call()));
      expect(Object.keys(await readMetric('process_uptime_seconds'))).toEqual(['1', '2']);
      expect(await gateways.stop()).toEqual([0]);
    },
    TIMEOUT_MS,
  );

  test(
    'a stop lets the requests of both end, and writes their records',
    async () => {
      const waiting: (() => void)[] = [];
      answer = (_, response) => void waiting.push(() => json(response, PARTITIONS));
      await start(given);
      const calls = [0, 1].map((index) => call(on(index)));
      while (waiting.length < 2) await delay(10);
      const stopped = gateways.stop();
      await until(
        /"worker":1[^\n]*"stopping"[\s\S]*"worker":2[^\n]*"stopping"|"worker":2[^\n]*"stopping"[\s\S]*"worker":1[^\n]*"stopping"/,
      );
      for (const end of waiting) end();
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
      expect(await stopped).toEqual([0]);
      const records = await given.store.db.selectFrom('call_records').select('outcome').execute();
      expect(records).toEqual([{ outcome: 'ok' }, { outcome: 'ok' }]);
    },
    TIMEOUT_MS,
  );
});

async function until(pattern: RegExp): Promise<void> {
  while (!pattern.test(gateways.log())) await delay(50);
}

/** The processes of the workers. */
function workersOf(pid: number | undefined): number[] {
  return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
}

describe('npm start with workers', () => {
  let database: Awaited<ReturnType<typeof createSqliteDatabase>>;
  const scripts: RunningScript[] = [];

  beforeEach(async () => {
    database = await createSqliteDatabase();
  });
  afterEach(async () => {
    for (const script of scripts.splice(0)) await script.stop('SIGKILL');
    await database.remove();
  });

  async function run(env: Record<string, string> = {}): Promise<RunningScript> {
    const port = String(await freePort());
    const script = runScript('server/main.ts', [], { PORT: port, WORKERS: '2', DATABASE_URL: database.url, ...env });
    scripts.push(script);
    return script;
  }

  test(
    'says once what is wrong with the settings, and what the port is taken by',
    async () => {
      const wrong = await run({ UPSTREAM_CONCURRENCY: '1', HOST: '-' });
      expect(await wrong.ended()).toBe(1);
      expect(wrong.output().match(/WORKERS must not exceed UPSTREAM_CONCURRENCY/g)).toHaveLength(1);

      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address() as AddressInfo;
      const late = await run({ PORT: String(port) });
      expect(await late.ended()).toBe(1);
      expect(late.output().match(new RegExp(`Another program listens on port ${port}`, 'g'))).toHaveLength(1);
      taken.close();
    },
    TIMEOUT_MS,
  );

  test(
    'stops, and says why, when a worker cannot start again',
    async () => {
      const keys = join(dirname(database.url.slice('sqlite:'.length)), 'keys');
      await writeFile(keys, `k1:${randomBytes(32).toString('base64')}`);
      const gateway = await run({ ENCRYPTION_KEYS_FILE: keys });
      await gateway.waitFor(/(?:"msg":"listening"[\s\S]*){2}/);
      await writeFile(keys, 'no key');
      process.kill(workersOf(gateway.process.pid)[0]!, 'SIGKILL');
      expect(await gateway.ended()).toBe(1);
      expect(gateway.output()).toMatch(
        /"fatal".*"worker":\d.*a worker ended 6 times soon after its start: the gateway stops/,
      );
      expect(gateway.output()).toContain('ENCRYPTION_KEYS');
      expect(gateway.output().match(/"msg":"stopped"/g)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  test(
    'holds its SQLite file for as long as its primary process lives',
    async () => {
      const first = await run();
      await first.waitFor(/(?:"msg":"listening"[\s\S]*){2}/);
      const second = await run();
      expect(await second.ended()).toBe(1);
      expect(second.output()).toContain(`another gateway, process ${first.process.pid} on`);
      await first.stop('SIGKILL');
      await (await run()).waitFor(/(?:"msg":"listening"[\s\S]*){2}/);
    },
    TIMEOUT_MS,
  );
});
