import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { rateLimit } from '../../../../server/base/http/caller-limits.ts';
import { RequestError } from '../../../../server/base/http/errors.ts';
import { JSON_UTF8, readText } from '../../../../server/base/http/exchange.ts';
import { createRateLimiter } from '../../../../server/base/limits/limiter.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { givenApp, HOST_HEADER } from '../../app-server.ts';

const given = givenApp();

async function call(headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
  const authorization = { Authorization: `Bearer ${await given.issueToken()}` };
  return given.send(MCP_PATH, { method: 'POST', body: '{}', ...init, headers: { ...authorization, ...headers } });
}

function statusWithHost(host: string, path = MCP_PATH): Promise<number> {
  const { port } = new URL(given.origin);
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method: 'POST', headers: { Host: host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('Host', () => {
  test.each(['localhost', 'localhost:9', '127.0.0.1:1', '[::1]:3000', 'LOCALHOST:3000'])(
    'a local gateway answers to %s',
    async (host) => {
      await given.start();
      expect(await statusWithHost(host)).toBe(401);
    },
  );

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'tools.example.com', '10.0.0.1'])(
    'a local gateway does not answer to %s',
    async (host) => {
      await given.start();
      expect(await statusWithHost(host)).toBe(403);
    },
  );

  test.each([
    ['tools.example.com', 401],
    ['TOOLS.example.com', 401],
    ['tools.example.com:8443', 403],
    ['localhost', 403],
    ['evil.example', 403],
  ])('a public gateway answers %s with %i', async (host, status) => {
    await given.start({ publicUrl: 'https://tools.example.com' });
    expect(await statusWithHost(host)).toBe(status);
  });

  test.each([[], ['127.0.0.1']])('X-Forwarded-Host is ignored, with the trusted proxies %j', async (...proxies) => {
    await given.start({ publicUrl: 'https://tools.example.com', trustedProxies: proxies });
    expect((await call({ 'X-Forwarded-Host': 'tools.example.com' })).status).toBe(403);
  });

  test('probes are answered under any host name', async () => {
    await given.start({ publicUrl: 'https://tools.example.com' });
    expect((await given.send('/healthz')).status).toBe(200);
    expect((await given.send('/readyz')).status).toBe(200);
  });

  test.each([MCP_PATH, '/healthz', '/readyz', '/page', '/nowhere'])('two of them are refused at %s', async (path) => {
    await given.start();
    const { hostname, port, host } = new URL(given.origin);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*invalid_request/s);
  });
});

describe('Origin', () => {
  test.each(['http://localhost:6274', 'http://127.0.0.1:1', 'http://[::1]'])(
    'pages of %s may call a local gateway',
    async (origin) => {
      await given.start();
      const answer = await call({ Origin: origin });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(origin);
      expect(answer.headers.get('Vary')).toContain('Origin');
    },
  );

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'garbage'])(
    'pages of %s may not, and are refused before authentication',
    async (origin) => {
      await given.start();
      const answer = await given.send(MCP_PATH, { method: 'POST', headers: { Origin: origin } });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
      expect(await answer.json()).toMatchObject({ error: 'invalid_origin' });
    },
  );

  test.each([
    ['https://tools.example.com', 200],
    ['https://app.example.com', 200],
    ['http://tools.example.com', 403],
    ['https://tools.example.com:8443', 403],
    ['http://localhost:3000', 403],
  ])('a public gateway answers pages of %s with %i', async (origin, status) => {
    await given.start({
      publicUrl: 'https://tools.example.com',
      allowedOrigins: ['https://app.example.com'],
    });
    expect((await call({ Origin: origin, [HOST_HEADER]: 'tools.example.com' })).status).toBe(status);
  });

  test('a preflight is answered without credentials', async () => {
    await given.start();
    const answer = await given.send(MCP_PATH, {
      method: 'OPTIONS',
      headers: {
        Origin: 'http://localhost:6274',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,mcp-method',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('Access-Control-Allow-Methods')).toBe('POST');
    expect(answer.headers.get('Access-Control-Allow-Headers')).toBe(
      'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID',
    );
  });

  test('a page can read the challenge of a 401', async () => {
    verifies('mcp-challenge-readable');
    await given.start();
    const answer = await given.send(MCP_PATH, { method: 'POST', headers: { Origin: 'http://localhost:6274' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('http://localhost:6274');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('WWW-Authenticate');
  });
});

describe('errors', () => {
  test('a RequestError is answered with its code, description and headers', async () => {
    await given.start();
    given.mcp = async () => {
      throw new RequestError(409, 'facts_changed', 'Short and stout.', { headers: { 'X-Pot': 'tea' } });
    };
    const answer = await call();
    expect(answer.status).toBe(409);
    expect(answer.headers.get('X-Pot')).toBe('tea');
    expect(await answer.json()).toEqual({ error: 'facts_changed', error_description: 'Short and stout.' });
  });

  test('any other error reveals only the request id, and the log has the details', async () => {
    await given.start();
    given.mcp = async () => {
      throw new Error('planted detail /etc/secret select * from users');
    };
    const answer = await call();
    const body = await answer.text();
    const requestId = answer.headers.get('X-Request-Id');
    expect(answer.status).toBe(500);
    expect(JSON.parse(body)).toEqual({
      error: 'server_error',
      error_description: `The gateway could not answer. Its log has this request as ${requestId}.`,
    });
    expect(given.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        requestId,
        err: expect.objectContaining({
          message: 'planted detail /etc/secret select * from users',
          stack: expect.stringContaining('app.test.ts'),
        }),
      }),
    );
  });

  test('an answer that has begun is aborted', async () => {
    await given.start();
    given.mcp = async ({ response }) => {
      response.writeHead(200, { 'Content-Type': 'text/plain' });
      response.write('half');
      throw new Error('too late');
    };
    await expect(call().then((answer) => answer.text())).rejects.toThrow();
  });
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('request id and log', () => {
  test.each(['0af7651916cd43dd8448eb211c80319c', 'a.b_c:d-12345'])(
    'a well-formed request id of the caller is logged next to that of the gateway: %s',
    async (id) => {
      await given.start();
      const requestId = (await call({ 'X-Request-Id': id })).headers.get('X-Request-Id');
      expect(requestId).toMatch(UUID);
      expect(given.lines.at(-1)).toMatchObject({ requestId, sentRequestId: id });
    },
  );

  test.each(['short', 'with space in it', 'x'.repeat(129), '{"level":"fatal"}'])(
    'a malformed request id is not: %s',
    async (id) => {
      await given.start();
      expect((await call({ 'X-Request-Id': id })).headers.get('X-Request-Id')).toMatch(UUID);
      expect(JSON.stringify(given.lines)).not.toContain(JSON.stringify(id).slice(1, -1));
    },
  );

  test('a request leaves one line, without its path and its query', async () => {
    await given.start();
    const answer = await given.send('/nowhere?code=planted-code', { headers: { 'X-Request-Id': 'request-42' } });
    await answer.text();
    expect(given.lines.filter((line) => line.msg === 'request')).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        requestId: answer.headers.get('X-Request-Id'),
        sentRequestId: 'request-42',
        method: 'GET',
        route: 'none',
        status: 404,
        ms: expect.any(Number),
        address: '127.0.0.1',
        msg: 'request',
      },
    ]);
    expect(JSON.stringify(given.lines)).not.toMatch(/planted-code|nowhere/);
  });

  test('the line of a call names user and token by row id', async () => {
    await given.start();
    await (await call()).text();
    expect(given.lines.at(-1)).toMatchObject({ userId: given.userId, tokenId: expect.any(String) });
  });

  test('the address is that of the client only behind trusted proxies', async () => {
    await given.start({ trustedProxies: ['127.0.0.1'] });
    await (await call({ 'X-Forwarded-For': '6.6.6.6, 203.0.113.7' })).text();
    expect(given.lines.at(-1)).toMatchObject({ address: '203.0.113.7' });
  });

  test('no token reaches the log, wherever the request has it', async () => {
    verifies('mcp-token-not-logged');
    await given.start();
    const token = await given.issueToken();
    given.mcp = async ({ log, request: { headers } }) => {
      log.info({ authorization: `Bearer ${token}`, headers, nested: { token } }, `got ${token}`);
      throw new Error(`failed with ${token}`);
    };
    const headers = { Authorization: `Bearer ${token}` };
    await (await given.send(`${MCP_PATH}?x=${token}`, { method: 'POST', headers })).text();
    await (await given.send(`/${token}`)).text();
    const log = JSON.stringify(given.lines);
    expect(given.lines.length).toBeGreaterThan(3);
    expect(log).not.toContain(token.slice(0, 20));
    expect(log).toContain('[redacted]');
  });
});

describe('probes', () => {
  test('readiness requires the store', async () => {
    await given.start();
    expect((await given.send('/readyz')).status).toBe(200);
    const { ping } = given.store;
    given.store.ping = () => Promise.reject(new Error('gone'));
    const answer = await given.send('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ status: 'store unreachable' });
    expect((await given.send('/healthz')).status).toBe(200);
    given.store.ping = ping;
  });

  test('readiness does not wait for a store that hangs', async () => {
    given.pingTimeoutMs = 50;
    await given.start();
    given.store.ping = () => new Promise(() => {});
    expect((await given.send('/readyz')).status).toBe(503);
    delete given.pingTimeoutMs;
  });

  test('a stopping gateway is alive but not ready, and closes connections', async () => {
    await given.start();
    given.stop.abort();
    expect((await given.send('/healthz')).status).toBe(200);
    const answer = await given.send('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Connection')).toBe('close');
  });
});

describe('security headers', () => {
  test('are in every answer', async () => {
    await given.start();
    for (const path of ['/healthz', '/nowhere', '/.well-known/oauth-protected-resource', MCP_PATH]) {
      const { headers } = await given.send(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      expect(headers.get('Strict-Transport-Security')).toBeNull();
      expect(headers.get('X-Powered-By')).toBeNull();
    }
  });

  test('include HSTS under https', async () => {
    await given.start({ publicUrl: 'https://tools.example.com' });
    expect((await given.send('/healthz')).headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
  });
});

describe('request bodies', () => {
  const json = { 'Content-Type': 'application/json' };

  async function startReader(maxBytes = 100): Promise<void> {
    await given.start();
    given.mcp = async (exchange) => {
      const read = await readText(exchange.request, { maxBytes, mediaTypes: ['application/json'] });
      exchange.send(200, JSON_UTF8, JSON.stringify({ read }));
    };
  }

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'a text is read as %s',
    async (type) => {
      await startReader();
      const answer = await call({ 'Content-Type': type }, { body: '{"a":"é"}' });
      expect(await answer.json()).toEqual({ read: '{"a":"é"}' });
    },
  );

  test.each([
    ['text/plain', '{}'],
    ['application/json; charset=latin1', '{}'],
    ['application/jsonx', '{}'],
  ])('%s is 415', async (type, body) => {
    await startReader();
    const answer = await call({ 'Content-Type': type }, { body });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: 'unsupported_media_type' });
  });

  test('a compressed body is 415', async () => {
    await startReader();
    expect((await call({ ...json, 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  test('invalid UTF-8 is 400', async () => {
    await startReader();
    const answer = await call(json, { body: Buffer.from([0x22, 0xff, 0x22]) as BodyInit });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  test('a body of exactly the limit is read', async () => {
    await startReader(10);
    expect((await call(json, { body: '"12345678"' })).status).toBe(200);
  });

  test('a body over the limit is 413', async () => {
    await startReader(10);
    const answer = await call(json, { body: '"123456789"' });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({
      error: 'payload_too_large',
      error_description: 'The request body is larger than 10 bytes.',
    });
  });

  test('a body over the limit without Content-Length is 413', async () => {
    await startReader(1000);
    let chunks = 2000;
    const stream = new ReadableStream({
      pull(controller) {
        chunks -= 1;
        if (chunks === 0) controller.close();
        else controller.enqueue(new Uint8Array(600));
      },
    });
    const answer = await call(json, { body: stream, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(413);
  });
});

describe('rate limit', () => {
  test('uses beyond the limit are 429 with the seconds to wait, per key', async () => {
    await given.start();
    const limit = rateLimit(createRateLimiter({ points: 2, durationSeconds: 60 }), (ctx) => ctx.get('X-Key'));
    given.page = async (ctx) => {
      await limit(ctx, async () => {
        ctx.body = {};
      });
    };
    const ask = (key: string) => given.send('/page', { headers: { 'X-Key': key } });
    const statuses = [];
    for (const key of ['a', 'a', 'a', 'b']) statuses.push((await ask(key)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    const refused = await ask('a');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(55);
    expect(await refused.json()).toMatchObject({ error: 'too_many_requests' });
  });
});
