import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { UpstreamFailure } from '../../../../server/call/upstream/index.ts';
import { toBindings } from '../../../support/fake-connector.ts';
import { callThrough, callUpstream, type Host, startHost, startRawHost, upstreamFor } from './support.ts';

const hosts: Host[] = [];
const host = async (starting: Promise<Host>): Promise<Host> => {
  const started = await starting;
  hosts.push(started);
  return started;
};
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((started) => started.close()));
});

const OPTIONAL_BODY = {
  body: { mediaType: 'application/json', optional: true, members: toBindings(['title', 'none']) },
} as const;

const failureOf = async (call: Promise<unknown>): Promise<UpstreamFailure> =>
  call.then(
    () => {
      throw new Error('the call succeeded');
    },
    (error) => error as UpstreamFailure,
  );

describe('credentials', () => {
  const ROWS = [
    [
      'bearer',
      [{ id: 'key', type: 'bearer', label: 'Key' }],
      { key: 's3cret' },
      { authorization: 'Bearer s3cret' },
      '',
    ],
    [
      'header',
      [{ id: 'key', type: 'header', label: 'Key', name: 'X-API-Key' }],
      { key: 'k&1' },
      { 'x-api-key': 'k&1' },
      '',
    ],
    ['query', [{ id: 'key', type: 'query', label: 'Key', name: 'api_key' }], { key: 'k&1' }, {}, '?api_key=k%261'],
    [
      'cookie',
      [{ id: 'key', type: 'cookie', label: 'Key', name: 'sid' }],
      { key: 'a+b/c=="d", e%20' },
      { cookie: 'sid=a+b/c=="d", e%20' },
      '',
    ],
    [
      'header that is a cookie',
      [{ id: 'key', type: 'header', label: 'Key', name: 'Cookie' }],
      { key: 'sid=a=b; csrf=c' },
      { cookie: 'sid=a=b; csrf=c' },
      '',
    ],
    [
      'basic',
      [{ id: 'login', type: 'basic', label: 'Login' }],
      { 'login.username': 'ada', 'login.password': 'pä:ss' },
      { authorization: `Basic ${Buffer.from('ada:pä:ss').toString('base64')}` },
      '',
    ],
  ] as const;
  for (const [type, parts, fields, headers, query] of ROWS) {
    it(`sends a ${type} credential`, async () => {
      const upstream = await host(
        startHost((request, response) => response.end(JSON.stringify({ url: request.url, headers: request.headers }))),
      );
      const { text } = await callUpstream({ origin: upstream.origin, parts: [...parts], fields: { ...fields } });
      expect(JSON.parse(text)).toMatchObject({ url: `/things${query}`, headers });
    });
  }

  it('appends a query credential without rewriting the query', async () => {
    const upstream = await host(startHost((request, response) => response.end(request.url)));
    const { text } = await callUpstream({
      origin: upstream.origin,
      parts: [{ id: 'key', type: 'query', label: 'Key', name: 'api_key' }],
      fields: { key: 'abc' },
      args: { q: "it's 100% (x)" },
    });
    expect(text).toBe('/things?q=it%27s%20100%25%20(x)&api_key=abc');
  });

  it('lets no argument take the place of a query credential', async () => {
    const upstream = await host(startHost((request, response) => response.end(request.url)));
    const { text } = await callUpstream({
      origin: upstream.origin,
      parts: [{ id: 'key', type: 'query', label: 'Key', name: 'api_key' }],
      fields: { key: 'abc' },
      args: { a: '1', api_key: 'forged', api_key2: '2' },
    });
    expect(text).toBe('/things?a=1&api_key2=2&api_key=abc');
  });

  it.each([
    ['a cookie', { type: 'cookie', name: 'sid' }, 'abc', 'theme=dark; sid2=x; sid=abc'],
    ['a whole Cookie header', { type: 'header', name: 'cookie' }, 'sid=abc; a=b', 'theme=dark; sid2=x; sid=abc; a=b'],
  ] as const)('lets no argument take the place of a credential that is %s', async (_, part, key, want) => {
    const upstream = await host(startHost((request, response) => response.end(request.headers.cookie)));
    const { text } = await callUpstream({
      origin: upstream.origin,
      parts: [{ id: 'key', label: 'Key', ...part }],
      fields: { key },
      tool: { request: { cookie: toBindings(['theme', 'sid', 'prefs']) } },
      args: { theme: 'dark', sid: 'forged', prefs: { sid: 'forged', sid2: 'x' } },
    });
    expect(text).toBe(want);
  });

  it.each(['a;b', ' a', 'a\n', 'é', ''])('rejects the cookie credential %j, without revealing it', async (key) => {
    const call = callUpstream({
      origin: 'http://127.0.0.1:9',
      parts: [{ id: 'key', type: 'cookie', label: 'Key', name: 'sid' }],
      fields: { key },
    });
    await expect(call).rejects.toThrow('the credential field "key" is not sendable');
  });

  it('rejects a credential that no header can carry, without revealing it', async () => {
    const call = callUpstream({
      origin: 'http://127.0.0.1:9',
      parts: [{ id: 'key', type: 'bearer', label: 'Key' }],
      fields: { key: 'secret\r\nX-Injected: 1' },
    });
    await expect(call).rejects.toThrow('the credential field "key" is not sendable');
  });

  it('rejects a connection without the field that the upstream needs', async () => {
    const call = callUpstream({ origin: 'http://127.0.0.1:9', parts: [{ id: 'key', type: 'bearer', label: 'Key' }] });
    await expect(call).rejects.toThrow('the credential field "key" is missing');
  });
});

describe('the request', () => {
  it('is joined to a base URL with a path, and names the gateway', async () => {
    const upstream = await host(
      startHost((request, response) =>
        response.end(`${request.url} ${request.headers['user-agent']} ${request.headers.accept}`),
      ),
    );
    const { text } = await callUpstream({
      origin: `${upstream.origin}/api/v3`,
      tool: { path: '/books/{bookId}' },
      args: { bookId: 'a/b?c#d' },
    });
    expect(text).toBe('/api/v3/books/a%2Fb%3Fc%23d gateway-test/1.0 application/json, */*;q=0.8');
  });

  it('carries a JSON body', async () => {
    const upstream = await host(
      startHost(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        response.end(`${request.method} ${request.headers['content-type']} ${body}`);
      }),
    );
    const { text } = await callUpstream({
      origin: upstream.origin,
      tool: { method: 'POST', request: OPTIONAL_BODY },
      args: { title: 'Ångström', none: undefined },
    });
    expect(text).toBe('POST application/json {"title":"Ångström"}');
  });

  it('has no body when no member of an optional one is set', async () => {
    const upstream = await host(
      startHost((request, response) =>
        response.end(`${request.headers['content-length']} ${request.headers['content-type']}`),
      ),
    );
    const { text } = await callUpstream({
      origin: upstream.origin,
      tool: { method: 'POST', request: OPTIONAL_BODY },
    });
    expect(text).toBe('0 undefined');
  });

  it('reuses its connection', async () => {
    const sockets = new Set<unknown>();
    const upstream = await host(
      startHost((request, response) => {
        sockets.add(request.socket);
        response.end('{}');
      }),
    );
    const client = upstreamFor(upstream.origin);
    for (let call = 0; call < 3; call += 1) {
      await callThrough(client, {});
      await delay(10);
    }
    await client.close();
    expect(sockets.size).toBe(1);
  });
});

describe('redirects', () => {
  it('are followed for a GET within the same origin, with the credential', async () => {
    const upstream = await host(
      startHost((request, response) => {
        if (request.url?.startsWith('/things')) response.writeHead(302, { location: '/moved?a=1' }).end();
        else response.end(`${request.url} ${request.headers.authorization}`);
      }),
    );
    const { text } = await callUpstream({
      origin: upstream.origin,
      parts: [
        { id: 'key', type: 'bearer', label: 'Key' },
        { id: 'app', type: 'query', label: 'App', name: 'app' },
      ],
      fields: { key: 'abc', app: 'x' },
    });
    expect(text).toBe('/moved?a=1&app=x Bearer abc');
  });

  it('to another origin are rejected, and nothing is sent there', async () => {
    const other = await host(startHost((_, response) => response.end('{}')));
    const upstream = await host(
      startHost((_, response) => response.writeHead(307, { location: `${other.origin}/x` }).end()),
    );
    const failure = await failureOf(callUpstream({ origin: upstream.origin }));
    expect(failure).toMatchObject({ kind: 'redirect', status: 307 });
    expect(other.hits()).toBe(0);
  });

  it('are rejected for a call that writes', async () => {
    const upstream = await host(startHost((_, response) => response.writeHead(302, { location: '/x' }).end()));
    const failure = await failureOf(callUpstream({ origin: upstream.origin, tool: { method: 'POST' } }));
    expect(failure).toMatchObject({ kind: 'redirect', status: 302 });
    expect(upstream.hits()).toBe(1);
  });

  it('by 303 are the answer to a call that writes', async () => {
    const upstream = await host(startHost((_, response) => response.writeHead(303, { location: '/x' }).end()));
    const { status, header } = await callUpstream({ origin: upstream.origin, tool: { method: 'POST' } });
    expect([status, header('location'), upstream.hits()]).toEqual([303, '/x', 1]);
  });

  it.each([
    [307, 'QUERY {"a":1}'],
    [302, 'QUERY {"a":1}'],
    [303, 'GET '],
  ])('of a QUERY by %s are followed as %s', async (status, want) => {
    const upstream = await host(
      startHost(async (request, response) => {
        if (request.url?.startsWith('/things')) return void response.writeHead(status, { location: '/moved' }).end();
        const chunks: Buffer[] = await request.toArray();
        const type = request.headers['content-type'] === undefined ? '' : ' with a type';
        response.end(`${request.method}${type} ${Buffer.concat(chunks)}`);
      }),
    );
    const tool = {
      method: 'QUERY' as const,
      request: { body: { mediaType: 'application/json', members: { a: 'a' } } },
    };
    const { text } = await callUpstream({ origin: upstream.origin, tool, args: { a: 1 } });
    expect(text.replace(' with a type', '')).toBe(want);
    expect(text.includes('with a type')).toBe(status !== 303);
  });

  it('stop after three', async () => {
    const upstream = await host(startHost((_, response) => response.writeHead(302, { location: '/again' }).end()));
    expect(await failureOf(callUpstream({ origin: upstream.origin }))).toMatchObject({ kind: 'redirect' });
    expect(upstream.hits()).toBe(4);
  });
});

describe('the retry', () => {
  it('sends a GET again after a reset, once', async () => {
    const upstream = await host(startRawHost((socket) => socket.resetAndDestroy()));
    expect(await failureOf(callUpstream({ origin: upstream.origin }))).toMatchObject({ kind: 'reset' });
    expect(upstream.hits()).toBe(2);
  });

  it('hides a reset when the second attempt succeeds', async () => {
    const upstream = await host(
      startRawHost((socket, request) => {
        if (request === 1) socket.destroy();
        else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      }),
    );
    expect(await callUpstream({ origin: upstream.origin })).toMatchObject({ status: 200, text: '{}' });
  });

  it('sends a QUERY again, which changes nothing either', async () => {
    const upstream = await host(startRawHost((socket) => socket.resetAndDestroy()));
    const failure = await failureOf(callUpstream({ origin: upstream.origin, tool: { method: 'QUERY' } }));
    expect([failure.kind, upstream.hits()]).toEqual(['reset', 2]);
  });

  it('never sends a POST twice', async () => {
    const upstream = await host(startRawHost((socket) => socket.resetAndDestroy()));
    const failure = await failureOf(callUpstream({ origin: upstream.origin, tool: { method: 'POST' } }));
    expect(failure.kind).toBe('reset');
    expect(upstream.hits()).toBe(1);
  });

  it('never sends a GET twice that changes something', async () => {
    const upstream = await host(startRawHost((socket) => socket.resetAndDestroy()));
    const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
    const tool = { path: '/jobs/7/stop', more: { annotations } };
    expect(await failureOf(callUpstream({ origin: upstream.origin, tool }))).toMatchObject({ kind: 'reset' });
    expect(upstream.hits()).toBe(1);
  });

  for (const status of [429, 502, 503]) {
    it(`waits as long as a ${status} says, up to two seconds`, async () => {
      const waits: number[] = [];
      const upstream = await host(
        startHost((_, response) => {
          if (upstream.hits() === 1) response.writeHead(status, { 'retry-after': '2' }).end();
          else response.end('{}');
        }),
      );
      const wait = async (ms: number) => void waits.push(ms);
      const answer = await callUpstream({ origin: upstream.origin, upstream: { wait, timeoutMs: 5000 } });
      expect(answer.status).toBe(200);
      expect(waits).toEqual([2000]);
    });
  }

  const NOT_RETRIED: readonly [string, number, Record<string, string>, 'GET' | 'POST'][] = [
    ['a longer wait', 429, { 'retry-after': '3' }, 'GET'],
    ['no Retry-After', 503, {}, 'GET'],
    ['another status', 500, { 'retry-after': '1' }, 'GET'],
    ['a POST', 503, { 'retry-after': '1' }, 'POST'],
  ];
  for (const [title, status, headers, method] of NOT_RETRIED) {
    it(`leaves ${title} to the caller`, async () => {
      const upstream = await host(startHost((_, response) => response.writeHead(status, headers).end('{"a":1}')));
      expect(
        await callUpstream({
          origin: upstream.origin,
          tool: { method },
          upstream: { wait: async () => undefined, timeoutMs: 10_000 },
        }),
      ).toMatchObject({
        status,
        text: '{"a":1}',
      });
      expect(upstream.hits()).toBe(1);
    });
  }

  it('stays within the deadline', async () => {
    const upstream = await host(startHost((_, response) => response.writeHead(429, { 'retry-after': '2' }).end()));
    expect(await callUpstream({ origin: upstream.origin, upstream: { timeoutMs: 1500 } })).toMatchObject({
      status: 429,
    });
    expect(upstream.hits()).toBe(1);
  });
});

describe('a misbehaving upstream', () => {
  const SILENT = () => undefined;
  const ROWS: readonly [string, () => Promise<Host>, Partial<UpstreamFailure>][] = [
    ['that never answers', () => startHost(SILENT), { kind: 'timeout', limit: 150 }],
    [
      'whose body never ends',
      () => startHost((_, response) => void response.writeHead(200).write('{')),
      { kind: 'timeout' },
    ],
    [
      'that trickles its body',
      () =>
        startHost((_, response) => {
          const timer = setInterval(() => response.write(' '), 20);
          response.on('close', () => clearInterval(timer));
        }),
      { kind: 'timeout' },
    ],
    ['that drops the connection', () => startRawHost((socket) => socket.destroy()), { kind: 'reset' }],
    [
      'that sends half a body',
      () =>
        startRawHost((socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":');
          setTimeout(() => socket.destroy(), 20);
        }),
      { kind: 'reset' },
    ],
    [
      'that breaks off a chunked body',
      () =>
        startRawHost((socket) => {
          socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
          setTimeout(() => socket.destroy(), 20);
        }),
      { kind: 'reset' },
    ],
    [
      'whose headers never end',
      () =>
        startRawHost((socket) => {
          socket.write('HTTP/1.1 200 OK\r\n');
          const timer = setInterval(() => socket.write(`x-more: ${'a'.repeat(1000)}\r\n`), 1);
          socket.on('close', () => clearInterval(timer));
        }),
      { kind: 'protocol', reason: 'UND_ERR_HEADERS_OVERFLOW' },
    ],
    [
      'that does not speak HTTP',
      () => startRawHost((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
      { kind: 'protocol' },
    ],
    [
      'whose status does not exist',
      () => startRawHost((socket) => socket.end('HTTP/1.1 799 Odd\r\ncontent-length: 0\r\n\r\n')),
      { kind: 'protocol' },
    ],
    [
      'whose gzip is broken',
      () => startHost((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')),
      { kind: 'coding', status: 200 },
    ],
    [
      'that announces 100 MiB',
      () =>
        startHost((_, response) => response.writeHead(200, { 'content-length': String(100 * 1024 * 1024) }).write('x')),
      { kind: 'too_large', bytes: 104857600, limit: 1048576 },
    ],
    [
      'that sends more than it may',
      () => startHost((_, response) => response.end(Buffer.alloc(1024 * 1024 + 1))),
      { kind: 'too_large', bytes: 1048577, limit: 1048576 },
    ],
    [
      'that sends without end',
      () =>
        startHost((_, response) => {
          const block = Buffer.alloc(64 * 1024, 'a');
          const pump = () => {
            while (!response.destroyed && response.write(block));
          };
          response.on('drain', pump);
          pump();
        }),
      { kind: 'too_large', bytes: null },
    ],
    [
      'that sends a gzip bomb',
      () => {
        const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
        return startHost((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
      },
      { kind: 'too_large', bytes: null },
    ],
  ];
  for (const [title, start, want] of ROWS) {
    it(`${title} gives a failure, in bounded time and memory`, async () => {
      const upstream = await host(start());
      const before = process.memoryUsage.rss();
      const timeoutMs = want.kind === 'timeout' ? 150 : 5000;
      const failure = await failureOf(callUpstream({ origin: upstream.origin, upstream: { timeoutMs } }));
      expect(failure).toMatchObject({ name: 'UpstreamFailure', ...want });
      expect(process.memoryUsage.rss() - before).toBeLessThan(60 * 1024 * 1024);
    });
  }

  it('does not hurt the next call through the same client', async () => {
    let broken = true;
    const upstream = await host(
      startRawHost((socket) => {
        if (broken) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
        else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
      }),
    );
    const client = upstreamFor(upstream.origin);
    expect(await failureOf(callThrough(client, {}))).toMatchObject({ kind: 'reset' });
    broken = false;
    expect(await callThrough(client, {})).toMatchObject({ status: 200, text: '{}' });
    await client.close();
  });

  it('that no one listens at is unreachable', async () => {
    const gone = await startHost(SILENT);
    await gone.close();
    expect(await failureOf(callUpstream({ origin: gone.origin }))).toMatchObject({ kind: 'unreachable' });
  });

  it('cannot fill the memory with an error body', async () => {
    const upstream = await host(
      startHost((_, response) => response.writeHead(500).end(Buffer.alloc(10 * 1024 * 1024, 'e'))),
    );
    const { status, text } = await callUpstream({ origin: upstream.origin });
    expect(status).toBe(500);
    expect(text).toHaveLength(64 * 1024);
  });
});

describe('answers', () => {
  it('are decompressed', async () => {
    const upstream = await host(
      startHost((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'))),
    );
    const answer = await callUpstream({ origin: upstream.origin });
    expect(answer.text).toBe('{"a":1}');
    expect(answer.header('content-encoding')).toBe('gzip');
  });

  it('without a body are empty', async () => {
    const upstream = await host(startHost((_, response) => response.writeHead(204).end()));
    expect(await callUpstream({ origin: upstream.origin })).toMatchObject({ status: 204, text: '' });
  });

  it('of exactly the limit are read', async () => {
    const upstream = await host(startHost((_, response) => response.end(Buffer.alloc(1024 * 1024, 'a'))));
    expect((await callUpstream({ origin: upstream.origin })).text).toHaveLength(1024 * 1024);
  });
});

describe('a client that disconnects', () => {
  it('ends the request to the upstream', async () => {
    let ended: () => void = () => undefined;
    const upstreamSawEnd = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const upstream = await host(startHost((request) => void request.on('close', ended)));
    const client = new AbortController();
    const call = failureOf(callUpstream({ origin: upstream.origin, signal: client.signal }));
    while (upstream.hits() === 0) await delay(5);
    client.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    await upstreamSawEnd;
  });

  it('ends the wait between two attempts', async () => {
    const upstream = await host(startHost((_, response) => response.writeHead(429, { 'retry-after': '2' }).end()));
    const client = new AbortController();
    const call = failureOf(
      callUpstream({ origin: upstream.origin, signal: client.signal, upstream: { timeoutMs: 5000 } }),
    );
    while (upstream.hits() === 0) await delay(5);
    await delay(20);
    client.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    expect(upstream.hits()).toBe(1);
  });
});
