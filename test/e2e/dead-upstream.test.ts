import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Connector } from '../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { postRpc } from '../support/post-rpc.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

let gateway: RunningGateway;
let alive: Recorder;
let port: number;
let revived: Server | null = null;
let aheadMs = 0;
let log: string[];

function connector(name: string, title: string): Connector {
  const env = `${name.toUpperCase()}_BASE_URL`;
  const variable = { name: 'library_base_url', env, default: 'https://nowhere.example', derive: null };
  const made = fakeConnector({ name, title, tools: [fakeTool({ name: `${name}_list` })] });
  return { ...made, servers: [{ url: '{library_base_url}', variables: [variable] }] };
}

beforeEach(async () => {
  alive = await startRecorder();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  await new Promise((resolve) => server.close(resolve));
  aheadMs = 0;
  log = [];
  gateway = await startGateway({
    connectors: [connector('archive', 'Archive'), connector('library', 'Library')],
    env: { ARCHIVE_BASE_URL: `http://127.0.0.1:${port}`, LIBRARY_BASE_URL: alive.origin },
    secretOf: () => 'secret',
    now: () => Date.now() + aheadMs,
    log: (line) => log.push(line),
  });
});
afterEach(async () => {
  await gateway.close();
  await alive.close();
  revived?.closeAllConnections();
  revived?.close();
  revived = null;
});

async function call(name: string): Promise<Result> {
  const response = await postRpc(gateway, 'tools/call', { name, arguments: {} });
  return ((await response.json()) as { result: Result }).result;
}

async function codeOf(name: string): Promise<string> {
  const { isError, content } = await call(name);
  return isError === true ? JSON.parse(content[1]!.text).code : 'ok';
}

function said(message: string): Record<string, unknown>[] {
  return log.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith(message));
}

test('a dead upstream is not called after five failures, others still are, and its calls resume when it answers', async () => {
  for (let calls = 0; calls < 5; calls += 1) expect(await codeOf('archive_list')).toBe('upstream_unreachable');
  const { isError, content } = await call('archive_list');
  expect(isError).toBe(true);
  expect(content[0]!.text).toMatch(
    /^Archive has not answered the previous calls\. Nothing was sent\. Wait [1-5] seconds?, then call again\.$/,
  );
  expect(JSON.parse(content[1]!.text)).toMatchObject({
    code: 'upstream_circuit_open',
    retryable: true,
    retryAfterSeconds: expect.any(Number),
  });
  expect(await codeOf('library_list')).toBe('ok');
  const origin = `http://127.0.0.1:${port}`;
  expect(said('an upstream does not answer')).toMatchObject([
    { service: 'archive', origin, failure: 'cannot be reached (ECONNREFUSED)' },
  ]);
  expect(said('a tool call failed')).toHaveLength(5);

  revived = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  await new Promise<void>((resolve) => revived?.listen(port, '127.0.0.1', resolve));
  aheadMs += 5_000;
  expect(await codeOf('archive_list')).toBe('ok');
  expect(await codeOf('archive_list')).toBe('ok');
  expect(said('an upstream answers again')).toMatchObject([{ service: 'archive', origin }]);
  await gateway.stop();
});

test('a refused call is recorded with its own outcome', async () => {
  for (let calls = 0; calls < 6; calls += 1) await call('archive_list');
  const records = () => gateway.store.db.selectFrom('call_records').select(['outcome', 'service']).execute();
  await expect.poll(async () => (await records()).length, { timeout: 10_000 }).toBe(6);
  expect((await records()).filter(({ outcome }) => outcome === 'upstream_circuit_open')).toEqual([
    { outcome: 'upstream_circuit_open', service: 'archive' },
  ]);
});
