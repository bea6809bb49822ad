import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as requestPlain, type Server } from 'node:http';
import { connect } from 'node:http2';
import { request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { NOTHING_MAY_BE_SKIPPED, skipBecause } from '../support/fuller-checks.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { HOST, PROXIES, type RunningProxy, startProxy } from './proxies.ts';

const METADATA = '/.well-known/oauth-authorization-server';
/** Not that of the proxy. All of 127.0.0.0/8 is this machine. */
const CLIENT = '127.0.0.2';
const MEBIBYTE = 1_048_576;
const TOOL = 'crm_get_current_user';

const names = Object.keys(PROXIES) as (keyof typeof PROXIES)[];
for (const name of names) if (PROXIES[name].program === null) skipBecause(`${name} is not installed`);
if (!NOTHING_MAY_BE_SKIPPED) skipBecause('the samples of proxies are run in .ci/run only');

interface Request {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

describe.skipIf(!NOTHING_MAY_BE_SKIPPED).each(names)('a gateway behind the sample for %s', (name) => {
  let folder: string;
  let gateway: RunningGateway;
  let proxy: RunningProxy;
  let upstream: Server;
  let held: (() => void)[] | null = null;
  const lines: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), `${name}-`));
    upstream = createServer((_, response) => {
      const answer = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      if (held === null) answer();
      else held.push(answer);
    });
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => 'secret',
      env: {
        PUBLIC_URL: `https://${HOST}`,
        TRUST_PROXY: '127.0.0.1',
        OUTGOING_NETWORKS: '127.0.0.1',
        CRM_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      },
      log: (line) => lines.push(line),
    });
    proxy = await startProxy(name, folder, portOf(gateway));
  });

  afterAll(async () => {
    await proxy?.stop();
    await gateway?.close();
    upstream?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (request: Request): Promise<IncomingMessage> => sendTo(proxy, request);

  function call(args: object, body?: string): Promise<IncomingMessage> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOL, arguments: {}, ...args } };
    const headers = {
      authorization: `Bearer ${gateway.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    };
    return send({ path: MCP_PATH, method: 'POST', headers, body: body ?? JSON.stringify(message) });
  }

  test('knows the origin that clients use, over HTTP/1.1 and HTTP/2', async () => {
    const answer = await send({ path: METADATA });
    expect([answer.statusCode, JSON.parse(await text(answer)).issuer]).toEqual([200, `https://${HOST}`]);
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+$/);

    const session = connect(`https://${HOST}`, {
      host: '127.0.0.1',
      port: proxy.port,
      servername: HOST,
      ca: proxy.certificate,
    } as object);
    const stream = session.request({ ':path': METADATA, ':authority': HOST });
    const [headers] = await once(stream, 'response');
    expect([headers[':status'], JSON.parse(await text(stream)).issuer]).toEqual([200, `https://${HOST}`]);
    session.close();
  });

  test('redirects clients without TLS to https', async () => {
    const request = requestPlain({ port: proxy.plainPort, host: '127.0.0.1', path: METADATA, headers: { host: HOST } });
    request.end();
    const [{ statusCode, headers }] = (await once(request, 'response')) as [IncomingMessage];
    expect([statusCode, headers.location]).toEqual([
      308,
      expect.stringMatching(`^https://${HOST}(:\\d+)?${METADATA}$`),
    ]);
  });

  test('knows the address of the client, and ignores forwarding headers from the client', async () => {
    const forged = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' };
    const { headers } = await send({ path: METADATA, headers: forged });
    const line = lines.map((each) => JSON.parse(each)).find((each) => each.requestId === headers['x-request-id']);
    expect(line).toMatchObject({ route: METADATA, address: CLIENT });
  });

  test('answers a call', async () => {
    const answer = await call({});
    expect([answer.statusCode, JSON.parse(await text(answer)).result.isError ?? false]).toEqual([200, false]);
  });

  test('sends the first event of a stream while the upstream has not answered', async () => {
    held = [];
    const answer = await call({ _meta: { progressToken: 7 } });
    expect(answer.headers['content-type']).toContain('text/event-stream');
    let received = '';
    for await (const chunk of answer) {
      received += chunk;
      if (received.includes('notifications/progress')) for (const end of held.splice(0)) end();
    }
    expect(received).toContain('"result"');
  });

  test('refuses a long body itself, below the limit of nginx', async () => {
    const answers = [2, 4.5, 12].map(async (size) => {
      const answer = await call({}, `[${'0,'.repeat((size * MEBIBYTE) / 2)}0]`);
      answer.resume();
      return [size, answer.statusCode, answer.headers['x-request-id'] !== undefined];
    });
    expect(await Promise.all(answers)).toEqual([
      [2, 400, true],
      [4.5, 413, true],
      [12, 413, name === 'caddy'],
    ]);
  });
});

describe.skipIf(!NOTHING_MAY_BE_SKIPPED)('a change of the sample for nginx', () => {
  const env = { PUBLIC_URL: `https://${HOST}`, TRUST_PROXY: '127.0.0.1' };
  const started: { stop(): Promise<void> }[] = [];
  const gateways: RunningGateway[] = [];
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'nginx-'));
    for (let count = 0; count < 2; count += 1)
      gateways.push(await startGateway({ connectors: [], secretOf: () => '', env }));
  });

  afterAll(async () => {
    for (const proxy of started) await proxy.stop();
    for (const gateway of gateways) await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function startNginx(change: (sample: string) => string) {
    const proxy = await startProxy('nginx', folder, portOf(gateways[0]!), change);
    started.push(proxy);
    return (method: string, path: string) => sendTo(proxy, { method, path });
  }

  test('to proxy_pass alone is refused by the gateway, which names the line that nginx needs', async () => {
    const send = await startNginx((sample) => sample.replaceAll(/^ *proxy_(?!pass).*\n/gm, ''));
    const answer = await send('GET', METADATA);
    const { error_description: description } = JSON.parse(await text(answer));
    expect([answer.statusCode, description]).toEqual([
      403,
      expect.stringContaining('proxy_set_header Host $http_host'),
    ]);
  });

  test('to two gateways loses no request when one of them stops', async () => {
    const first = 'server 127.0.0.1:3000;';
    const both = `${first}\n    server 127.0.0.1:${portOf(gateways[1])};`;
    const send = await startNginx((sample) => sample.replace(first, both));
    const sendSome = async (): Promise<(number | undefined)[]> => {
      const statuses: (number | undefined)[] = [];
      for (let count = 0; count < 10; count += 1) {
        const answer = await send(...((count % 2 === 0 ? ['GET', METADATA] : ['POST', MCP_PATH]) as [string, string]));
        answer.resume();
        statuses.push(answer.statusCode);
      }
      return statuses;
    };
    const all = Array.from({ length: 10 }, (_, count) => (count % 2 === 0 ? 200 : 401));
    expect(await sendSome()).toEqual(all);
    await gateways[0]?.stop();
    expect(await sendSome()).toEqual(all);
  });
});

function portOf(gateway?: RunningGateway): number {
  return Number(new URL(gateway?.url ?? '').port);
}

/** From an address other than the proxy's. */
async function sendTo(proxy: RunningProxy, { path, method = 'GET', headers = {}, body }: Request) {
  const request = requestTls({
    host: '127.0.0.1',
    localAddress: CLIENT,
    port: proxy.port,
    servername: HOST,
    ca: proxy.certificate,
    agent: false,
    path,
    method,
    headers: { host: HOST, ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // A server that answers before it has read the body may reset the connection during the upload.
  request.on('error', () => undefined);
  return response;
}
