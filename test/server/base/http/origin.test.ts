import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { isLoopbackHostname, isLoopbackOrigin, originForHost } from '../../../../server/base/http/loopback.ts';
import {
  checkHost,
  createHostTest,
  createOriginTest,
  hostOf,
  invalidHost,
  invalidOrigin,
} from '../../../../server/base/http/origin.ts';

const PUBLIC = 'https://tools.example.com';
const LOCAL = 'http://127.0.0.1:3000';

describe('the host of a request', () => {
  test.each([
    [PUBLIC, 'tools.example.com', true],
    [PUBLIC, 'TOOLS.example.com', true],
    [PUBLIC, 'tools.example.com:443', false],
    [PUBLIC, 'evil.tools.example.com', false],
    [PUBLIC, 'localhost', false],
    [PUBLIC, '127.0.0.1', false],
    [PUBLIC, '', false],
    [LOCAL, '127.0.0.1:3000', true],
    [LOCAL, 'localhost', true],
    [LOCAL, '[::1]:9', true],
    [LOCAL, 'localhost.evil.example', false],
    [LOCAL, 'evil.example', false],
    [LOCAL, '?', false],
    [LOCAL, '', false],
  ])('of %s may be %j: %s', (publicUrl, host, want) => {
    expect(createHostTest({ publicUrl })(host)).toBe(want);
  });

  test('of the gateway passes, another is refused', async () => {
    const check = checkHost({ publicUrl: PUBLIC });
    const send = async (host: string) => {
      let went = 'nowhere';
      const ctx = { req: { headers: { host }, rawHeaders: [] } } as unknown as Parameters<typeof check>[0];
      await check(ctx, async () => {
        went = 'on';
      });
      return went;
    };
    expect(await send('tools.example.com')).toBe('on');
    await expect(send('evil.example')).rejects.toMatchObject({ status: 403, code: 'invalid_host' });
  });

  test('is trimmed', () => {
    const read = (headers: object) => hostOf({ headers, rawHeaders: [] } as unknown as IncomingMessage);
    expect([read({ host: ' a:1 ' }), read({})]).toEqual(['a:1', '']);
  });

  test('is refused with the fix', () => {
    expect(invalidHost()).toMatchObject({
      status: 403,
      code: 'invalid_host',
      description:
        'The Host of the request does not match PUBLIC_URL. A proxy in front must pass Host on unchanged: in nginx, proxy_set_header Host $http_host.',
    });
  });
});

describe('the origin of a page', () => {
  test.each([
    [PUBLIC, 'https://tools.example.com', true],
    [PUBLIC, 'https://app.example.com', true],
    [PUBLIC, 'https://evil.example', false],
    [PUBLIC, 'http://tools.example.com', false],
    [PUBLIC, 'http://localhost:5173', false],
    [PUBLIC, 'null', false],
    [LOCAL, 'http://localhost:5173', true],
    [LOCAL, 'https://[::1]:1', true],
    [LOCAL, 'http://localhost.evil.example', false],
    [LOCAL, 'ftp://localhost', false],
    [LOCAL, 'xhttp://localhost', false],
    [LOCAL, 'http://', false],
    [LOCAL, 'null', false],
  ])('may be %2$s for the gateway %1$s: %3$s', (publicUrl, origin, want) => {
    expect(createOriginTest({ publicUrl, allowedOrigins: ['https://app.example.com'] })(origin)).toBe(want);
  });

  test('is refused', () => {
    const description = 'Pages of this origin may not call the gateway.';
    expect(invalidOrigin()).toMatchObject({ status: 403, code: 'invalid_origin', description });
  });
});

describe('a loopback host', () => {
  test.each([
    ['localhost', true],
    ['[::1]', true],
    ['127.0.0.1', true],
    ['127.10.200.255', true],
    ['127.0.0', false],
    ['127.0.0.1.evil.example', false],
    ['x127.0.0.1', false],
    ['127.a.b.c', false],
    ['localhost.evil.example', false],
    ['::1', false],
    ['', false],
  ])('%j: %s', (hostname, want) => {
    expect(isLoopbackHostname(hostname)).toBe(want);
  });

  test('is recognised in an origin', () => {
    expect([isLoopbackOrigin(LOCAL), isLoopbackOrigin(PUBLIC)]).toEqual([true, false]);
  });

  test.each([
    [LOCAL, '127.0.0.1:3000', LOCAL],
    [LOCAL, 'localhost:3000', 'http://localhost:3000'],
    [LOCAL, 'LOCALHOST:3000', 'http://localhost:3000'],
    [LOCAL, '[::1]:3000', 'http://[::1]:3000'],
    [LOCAL, 'localhost:3001', LOCAL],
    [LOCAL, 'evil.example:3000', LOCAL],
    [LOCAL, '?', LOCAL],
    ['https://localhost', 'localhost:443', 'https://localhost'],
    ['https://localhost', '127.0.0.1', 'https://127.0.0.1'],
    [PUBLIC, 'localhost', PUBLIC],
  ])('of the gateway %s, requested as %s, gives the origin %s', (publicUrl, host, want) => {
    expect(originForHost(publicUrl, host)).toBe(want);
  });
});
