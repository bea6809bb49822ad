import type { LookupAddress } from 'node:dns';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from '../../../../server/base/guarded-fetch/index.ts';
import { LOOPBACK_NETWORKS } from '../../../../server/base/guarded-fetch/networks.ts';
import { type DocumentServer, sendJson, startDocumentServer } from '../../../support/document-server.ts';

let server: DocumentServer;
let opened: GuardedFetch[];
beforeEach(async () => {
  server = await startDocumentServer();
  opened = [];
});
afterEach(async () => {
  for (const fetcher of opened) await fetcher.close();
  await server.close();
});

function open(options: GuardedFetchOptions = {}): GuardedFetch {
  const fetcher = createGuardedFetch({
    networks: LOOPBACK_NETWORKS,
    ca: server.ca,
    resolve: server.resolve,
    ...options,
  });
  opened.push(fetcher);
  return fetcher;
}

const refusal = (reason: string) => ({ name: 'GuardedFetchError', reason });
const PUBLIC: LookupAddress = { address: '1.1.1.1', family: 4 };
const PRIVATE: LookupAddress = { address: '10.0.0.1', family: 4 };
const HERE: LookupAddress = { address: '127.0.0.1', family: 4 };

describe('allowed URLs', () => {
  test.each([
    ['http://documents.example/client', 'url'],
    ['ftp://documents.example/client', 'url'],
    ['file:///etc/passwd', 'url'],
    ['data:application/json,{}', 'url'],
    ['https://user@documents.example/client', 'url'],
    ['https://user:secret@documents.example/client', 'url'],
    ['https://documents.example:8443/client', 'url'],
    ['documents.example', 'url'],
    ['', 'url'],
    ['https://127.0.0.1/client', 'address'],
    ['https://0x7f.1/client', 'address'],
    ['https://2130706433/client', 'address'],
    ['https://[::1]/client', 'address'],
    ['https://[::ffff:127.0.0.1]/client', 'address'],
    ['https://169.254.169.254/latest/meta-data', 'address'],
  ])('%s is refused without resolving a name', async (url, reason) => {
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return [PUBLIC];
    };
    await expect(open({ networks: [], resolve }).getJson(url)).rejects.toMatchObject(refusal(reason));
    expect(asked).toEqual([]);
  });

  test('this machine is refused under every name, without the exception for tests', async () => {
    const guarded = createGuardedFetch({ ca: server.ca });
    opened.push(guarded);
    await expect(guarded.getJson('https://localhost/client')).rejects.toMatchObject(refusal('address'));
    expect(server.requests).toEqual([]);
  });
});

describe('allowed addresses', () => {
  test.each([
    ['a private address', [PRIVATE]],
    ['a private address behind a public one', [PUBLIC, PRIVATE]],
    ['a mapped address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['a link-local address', [{ address: 'fe80::1%eth0', family: 6 }]],
  ])('a name with %s is refused', async (_, found) => {
    const fetching = open({ resolve: async () => found }).getJson('https://documents.example/client');
    await expect(fetching).rejects.toMatchObject(refusal('address'));
  });

  test('a name is resolved once per connection, which goes to the checked address', async () => {
    server.answer = sendJson({ value: 1 });
    const answers = [[HERE], [PRIVATE]];
    let asked = 0;
    const fetcher = open({ resolve: async () => answers[asked++] ?? [] });
    await expect(fetcher.getJson(`${server.origin}/client`)).resolves.toMatchObject({ json: { value: 1 } });
    expect([asked, server.requests]).toEqual([1, [`documents.example:${server.port} /client`]]);
    await expect(fetcher.getJson(`${server.origin}/client`)).rejects.toMatchObject(refusal('address'));
    expect([asked, server.requests.length]).toEqual([2, 1]);
  });

  test('a name without an address and one that cannot be resolved are refused alike', async () => {
    const failing = () => Promise.reject(new Error('no such name'));
    for (const resolve of [async () => [], failing]) {
      const fetching = open({ resolve }).getJson('https://documents.example/client');
      await expect(fetching).rejects.toMatchObject(refusal('unresolvable'));
    }
  });

  test('the error for users does not reveal whether an internal name exists', async () => {
    const texts = [];
    for (const resolve of [async () => [PRIVATE], async () => []]) {
      const error: unknown = await open({ resolve })
        .getJson('https://intranet.example/')
        .catch((e) => e);
      texts.push([(error as { description: string }).description, String(error).includes('intranet')]);
    }
    expect(texts[0]).toEqual(texts[1]);
    expect(texts[0]?.[1]).toBe(false);
  });
});

describe("the operator's networks", () => {
  const networks = ['127.0.0.0/8'];

  test('are reached by name and by address, at any port', async () => {
    server.answer = sendJson({ value: 1 });
    await expect(open({ networks }).getJson(`${server.origin}/client`)).resolves.toMatchObject({ json: { value: 1 } });
    const byAddress = open({ networks }).getJson(`https://127.0.0.1:${server.port}/client`);
    await expect(byAddress).rejects.toMatchObject(refusal('unreachable'));
  });

  test.each([
    ['a name with a public address', 'https://documents.example:8443/', [PUBLIC]],
    ['a name with an address in and one outside them', 'https://documents.example:8443/', [HERE, PUBLIC]],
    ['a public address', 'https://1.1.1.1:8443/', []],
    ['a private address outside them', 'https://10.0.0.1/', []],
  ])('open no other port of %s', async (_, url, found) => {
    await expect(open({ networks, resolve: async () => found }).getJson(url)).rejects.toMatchObject(refusal('address'));
  });

  test('do not open other ports through a proxy', async () => {
    const tunnelled: string[] = [];
    const proxy = createHttpServer().on('connect', ({ url = '' }, socket) => {
      tunnelled.push(url);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
    const fetcher = open({ networks, proxy: { url, directHosts: [] }, resolve: async () => [PUBLIC] });
    await expect(fetcher.getJson('https://client.example:8443/')).rejects.toMatchObject(refusal('address'));
    await expect(fetcher.getJson('https://client.example/')).rejects.toMatchObject(refusal('proxy'));
    expect(tunnelled).toEqual(['client.example:443']);
    proxy.close();
  });
});

describe('accepted answers', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'application/client+json', 'Application/JSON'])(
    'JSON as %s, with its headers',
    async (type) => {
      server.answer = sendJson({ a: [1] }, { 'Content-Type': type, 'Cache-Control': 'max-age=60' });
      const fetched = await open().getJson(`${server.origin}/client?x=1`);
      expect(fetched.json).toEqual({ a: [1] });
      expect(fetched.header('cache-control')).toBe('max-age=60');
      expect(fetched.header('etag')).toBeNull();
      expect(server.requests).toEqual([`documents.example:${server.port} /client?x=1`]);
    },
  );

  test.each([
    ['text/html', '{}', 'media_type'],
    ['text/json', '{}', 'media_type'],
    ['application/jsonp', '{}', 'media_type'],
    ['', '{}', 'media_type'],
    ['application/json', '{', 'not_json'],
    ['application/json', '', 'not_json'],
    ['application/json', Buffer.from('"\xff"', 'latin1'), 'not_json'],
  ])('refuses %s with body %j as %s', async (type, body, reason) => {
    server.answer = (_, response) => {
      response.writeHead(200, type === '' ? {} : { 'Content-Type': type });
      response.end(body);
    };
    await expect(open().getJson(`${server.origin}/`)).rejects.toMatchObject(refusal(reason));
  });

  test.each([
    [301, 'redirect'],
    [302, 'redirect'],
    [307, 'redirect'],
    [304, 'redirect'],
    [201, 'status'],
    [404, 'status'],
    [500, 'status'],
  ])('refuses status %i as %s, and follows no redirect', async (status, reason) => {
    server.answer = (_, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json', Location: `${server.origin}/elsewhere` });
      response.end('{}');
    };
    await expect(open().getJson(`${server.origin}/`)).rejects.toMatchObject(refusal(reason));
    expect(server.requests).toHaveLength(1);
  });

  test('refuses a compressed answer, which was not requested', async () => {
    server.answer = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(gzipSync('{}'));
    };
    await expect(open().getJson(`${server.origin}/`)).rejects.toMatchObject(refusal('media_type'));
  });

  test.each([true, false])('refuses an answer whose declared size is too large: %s', async (announced) => {
    const body = JSON.stringify('x'.repeat(999));
    server.answer = (_, response) => {
      response.setHeader('Content-Type', 'application/json');
      if (announced) response.setHeader('Content-Length', body.length);
      response.write(body.slice(0, 500));
      response.end(body.slice(500));
    };
    await expect(open({ maxBytes: 1001 }).getJson(`${server.origin}/`)).resolves.toBeDefined();
    await expect(open({ maxBytes: 1000 }).getJson(`${server.origin}/`)).rejects.toMatchObject(refusal('too_large'));
  });

  test('stops reading an endless answer', async () => {
    let written = 0;
    server.answer = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => {
        written += 65_536;
        response.write(Buffer.alloc(65_536, 0x20));
      }, 1);
      response.on('close', () => clearInterval(timer));
    };
    await expect(open().getJson(`${server.origin}/`)).rejects.toMatchObject(refusal('too_large'));
    expect(written).toBeLessThan(50 * 1024 * 1024);
  });
});

describe('time and rate limits', () => {
  const never = () => new Promise<never>(() => {});

  test('an answer that trickles in or never comes, and a resolver that never answers, time out', async () => {
    const trickle: DocumentServer['answer'] = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    server.answer = (request, response) => {
      if (request.url === '/trickles') trickle(request, response);
    };
    const fetchings = [
      open({ timeoutMs: 250 }).getJson(`${server.origin}/trickles`),
      open({ timeoutMs: 250 }).getJson(`${server.origin}/never`),
      open({ timeoutMs: 250, resolve: never }).getJson(`${server.origin}/`),
    ];
    await Promise.all(fetchings.map((fetching) => expect(fetching).rejects.toMatchObject(refusal('timeout'))));
  });

  test('a server without a trusted certificate and a closed port are unreachable', async () => {
    const foreign = createGuardedFetch({ networks: LOOPBACK_NETWORKS, resolve: server.resolve });
    opened.push(foreign);
    await expect(foreign.getJson(`${server.origin}/`)).rejects.toMatchObject(refusal('unreachable'));
    await expect(open().getJson(`https://other.example:${server.port}/`)).rejects.toMatchObject(refusal('unreachable'));
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    await expect(open().getJson(`https://documents.example:${port}/`)).rejects.toMatchObject(refusal('unreachable'));
  });

  test('concurrent requests are limited, per host and in total', async () => {
    const waiting: (() => void)[] = [];
    server.answer = (request, response) => {
      waiting.push(() => sendJson({})(request, response));
    };
    const fetcher = open({ maxOpen: 3, maxOpenPerHost: 2 });
    const elsewhere = `https://localhost:${server.port}/`;
    const running = [1, 2].map(() => fetcher.getJson(`${server.origin}/`));
    await expect(fetcher.getJson(`${server.origin}/`)).rejects.toMatchObject(refusal('busy'));
    running.push(fetcher.getJson(elsewhere));
    await expect(fetcher.getJson(elsewhere)).rejects.toMatchObject(refusal('busy'));
    await expect.poll(() => waiting.length).toBe(3);
    for (const answer of waiting) answer();
    await Promise.all(running);
    server.answer = sendJson({});
    await expect(fetcher.getJson(`${server.origin}/`)).resolves.toBeDefined();
  });

  test('requests per minute are limited, per host and in total', async () => {
    const fetcher = open({ maxPerHostAndMinute: 2, maxPerMinute: 3 });
    for (const path of ['/a', '/b']) await fetcher.getJson(server.origin + path);
    await expect(fetcher.getJson(`${server.origin}/c`)).rejects.toMatchObject(refusal('busy'));
    await expect(fetcher.getJson(`https://localhost:${server.port}/`)).resolves.toBeDefined();
    await expect(fetcher.getJson(`https://localhost:${server.port}/`)).rejects.toMatchObject(refusal('busy'));
  });

  test('every request has its own connection, and only the necessary headers', async () => {
    const seen: unknown[] = [];
    server.answer = (request, response) => {
      seen.push([request.method, Object.keys(request.headers).sort(), request.headers.connection]);
      sendJson({})(request, response);
    };
    const fetcher = open();
    for (const path of ['/a', '/b']) await fetcher.getJson(server.origin + path);
    const names = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
    expect(seen).toEqual(Array(2).fill(['GET', names, 'close']));
  });
});
