import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../server/base/http/log.ts';
import { createGateway, type Gateway } from '../../server/gateway.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { REGISTER_PATH, TOKEN_PATH } from '../../server/identity/oauth/paths.ts';
import { loadConfig } from '../../server/index.ts';
import { createSqliteDatabase } from '../server/base/store/sqlite-database.ts';
import { ringText } from '../support/keys.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: HOST\r\n${headers}\r\n\r\n${body}`;

const CUT_OFF: readonly [title: string, sent: string][] = [
  ['a body that is announced and does not come', post(TOKEN_PATH, `${FORM}\r\nContent-Length: 100`, '')],
  ['a body that stops', post(REGISTER_PATH, 'Content-Type: application/json\r\nContent-Length: 100', '{"a"')],
  ['a chunked body that stops', post(TOKEN_PATH, `${FORM}\r\nTransfer-Encoding: chunked`, '5\r\nabc')],
  ['headers that stop', `POST ${MCP_PATH} HTTP/1.1\r\nHost: HOST\r\nA`],
  [
    'a body to the MCP endpoint that stops',
    post(MCP_PATH, 'Content-Type: application/json\r\nContent-Length: 100', '{'),
  ],
];

const MALFORMED: readonly [title: string, sent: string][] = [
  ['no HTTP', 'GARBAGE\r\n\r\n'],
  ['a broken chunk', post(TOKEN_PATH, `${FORM}\r\nTransfer-Encoding: chunked`, 'xyz\r\nabc')],
  ['a broken length', post(TOKEN_PATH, `${FORM}\r\nContent-Length: -1`, 'abc')],
  ['a path with broken escapes', 'GET /connect/%E0%A4%A HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a path of a user with broken escapes', 'GET /admin/users/%ff%fe HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a target that is no path', 'GET http://[ HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a target with a broken user', 'GET http://%zz@HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a target of another scheme', 'GET ftp://HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['two slashes', 'GET // HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['no target', 'OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n'],
  ['an upgrade', 'GET / HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['an expectation', post(TOKEN_PATH, `${FORM}\r\nExpect: nonsense\r\nContent-Length: 1`, 'a')],
  ['a host that is none', 'GET / HTTP/1.1\r\nHost: [\r\n\r\n'],
  ['no host', 'GET / HTTP/1.0\r\n\r\n'],
  ['a broken cookie', 'GET /admin HTTP/1.1\r\nHost: HOST\r\nCookie: a=%E0%A4%A; =; utg_me=%\r\n\r\n'],
  ['broken JSON', post(REGISTER_PATH, 'Content-Type: application/json\r\nContent-Length: 4', '{"a:')],
  ['a form that is no UTF-8', post(TOKEN_PATH, `${FORM}\r\nContent-Length: 5`, 'a=%ff')],
  [
    'a query with broken escapes',
    'GET /api/mcp/oauth/authorize?client_id=%E0%A4%A&redirect_uri=%%% HTTP/1.1\r\nHost: HOST\r\n\r\n',
  ],
  ['an authorization that is none', `POST ${MCP_PATH} HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \u00ff\r\n\r\n`],
];

describe('a caller without a token', () => {
  const lines: string[] = [];
  let database: Awaited<ReturnType<typeof createSqliteDatabase>>;
  let server: Server;
  let gateway: Gateway;
  let host: string;

  beforeEach(async () => {
    lines.length = 0;
    database = await createSqliteDatabase();
    server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = {
      PUBLIC_URL: `http://${host}`,
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: ringText('k1', 1),
      ADMIN_SECRET: 'Vt3qGx8ZkL0pWn5sRb7y',
    };
    const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
    gateway = await createGateway({ config: loadConfig({ connectors: [], env }), connectors: [], log });
    server.on('request', gateway.handle);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await gateway.close();
    await database.remove();
  });

  async function send(text: string, end: 'wait' | 'break'): Promise<void> {
    const [address = '', port] = host.split(':');
    const socket = connect(Number(port), address);
    socket.on('error', () => {}).on('data', () => {});
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    socket.write(Buffer.from(text.replaceAll('HOST', host), 'latin1'));
    if (end === 'break') socket.resetAndDestroy();
    else socket.setTimeout(2_000, () => socket.destroy());
    await closed;
  }

  async function linesOfAll(sent: readonly string[], end: 'wait' | 'break'): Promise<string> {
    await fetch(`http://${host}/healthz`);
    await Promise.all(sent.map((text) => send(text, end)));
    await fetch(`http://${host}/healthz`);
    return lines.join('');
  }

  test.each([
    ['cuts off', CUT_OFF, 'break'],
    ['leaves waiting', CUT_OFF, 'wait'],
    ['malforms', MALFORMED, 'wait'],
    ['malforms and cuts off', MALFORMED, 'break'],
  ] as const)('that %s requests causes no stack and no error in the log', async (_, requests, end) => {
    const log = await linesOfAll(
      requests.map(([, text]) => text),
      end,
    );
    expect(log).not.toMatch(/"level":"(error|fatal)"/);
    expect(log).not.toContain('"stack"');
  });

  test('fills a line a second for each kind of refusal, and none is missing in the sums', async () => {
    const requests: readonly [path: string, init: RequestInit][] = [
      ['/nothing', {}],
      [MCP_PATH, { method: 'POST', body: '{}' }],
      [REGISTER_PATH, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"a"' }],
    ];
    let answered = 0;
    const begun = performance.now();
    for (let round = 0; round < 10; round += 1) {
      const sent = requests.flatMap(([path, init]) =>
        Array.from({ length: 20 }, async () => {
          const { status, headers } = await fetch(`http://${host}${path}`, init);
          expect(status).toBeGreaterThanOrEqual(400);
          if (headers.has('X-Request-Id')) answered += 1;
        }),
      );
      await Promise.allSettled(sent);
    }
    expect(answered).toBeGreaterThan(300);
    const seconds = Math.ceil((performance.now() - begun) / 1000);
    const written = () => lines.map((line) => JSON.parse(line)).filter(({ status, route }) => status >= 400 && route);
    const sum = () => written().reduce((total, { count = 1 }) => total + count, 0);
    await expect.poll(sum, { timeout: 5_000 }).toBe(answered);
    const byKind = Map.groupBy(written(), ({ route, status }) => `${route} ${status}`);
    expect([...byKind.keys()].toSorted()).toEqual([
      `${REGISTER_PATH} 400`,
      `${REGISTER_PATH} 429`,
      `${MCP_PATH} 401`,
      'none 404',
    ]);
    for (const ofKind of byKind.values()) expect(ofKind.length).toBeLessThanOrEqual(seconds + 2);
  });

  test('cannot write a path or a request id of its choice into the log', async () => {
    const id = 'request-of-somebody-else';
    for (const path of [
      '/api/partner/users/ada-lovelace',
      '/api/partner/users/ada-lovelace/nothing',
      '/admin/users/ada-lovelace',
      '/ada-lovelace',
    ]) {
      const answer = await fetch(`http://${host}${path}`, { headers: { 'X-Request-Id': id }, redirect: 'manual' });
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(lines.join('')).not.toContain('ada-lovelace');
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(requests.length).toBeGreaterThanOrEqual(3);
    for (const { requestId, sentRequestId, path } of requests) {
      expect([requestId === id, sentRequestId, path]).toEqual([false, id, undefined]);
    }
  });
});
