import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/start.ts';
import { ask, KEY, startBookshop } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startBookshop();
});
afterEach(() => {
  sandbox.behave();
  sandbox.clearRequests();
});
afterAll(() => sandbox.close());

const get = (signal?: AbortSignal): Promise<Response> =>
  fetch(`${sandbox.origin}/bookshop/api/v2/books`, { headers: KEY, redirect: 'manual', ...(signal ? { signal } : {}) });

describe('planned failures', () => {
  test('slow answers late, with 200', async () => {
    sandbox.misbehave({ kind: 'slow', delayMs: 120 });
    const start = performance.now();
    const reply = await ask(sandbox, '/books');
    expect(reply.status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(110);
  });

  test('rate-limited answers 429 with Retry-After and the descriptor’s example', async () => {
    sandbox.misbehave({ kind: 'rate-limited', retryAfterSeconds: 2 });
    const reply = await ask(sandbox, '/books');
    expect([reply.status, reply.headers.get('retry-after'), reply.body]).toEqual([
      429,
      '2',
      { error: { code: 'slow_down', text: 'Too many requests.' } },
    ]);
  });

  test('server-error answers 500, once', async () => {
    sandbox.misbehave({ kind: 'server-error' });
    expect([(await ask(sandbox, '/books')).status, (await ask(sandbox, '/books')).status]).toEqual([500, 200]);
  });

  test('unavailable answers 503 as often as planned, then 200', async () => {
    sandbox.misbehave({ kind: 'unavailable', times: 2 });
    const statuses = [await ask(sandbox, '/books'), await ask(sandbox, '/books'), await ask(sandbox, '/books')];
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  test('broken-json is not JSON', async () => {
    sandbox.misbehave({ kind: 'broken-json' });
    const response = await get();
    expect(response.headers.get('content-type')).toBe('application/json');
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  test('wrong-content-type is an HTML page', async () => {
    sandbox.misbehave({ kind: 'wrong-content-type' });
    const response = await get();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    await response.text();
  });

  test('dropped-connection never answers', async () => {
    sandbox.misbehave({ kind: 'dropped-connection' });
    await expect(get()).rejects.toThrow('fetch failed');
    expect(sandbox.requests().map(({ status }) => status)).toEqual([null]);
  });

  test('half-body stops in the middle', async () => {
    sandbox.misbehave({ kind: 'half-body' });
    const response = await get();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('huge-body is 100 MiB of JSON', async () => {
    sandbox.misbehave({ kind: 'huge-body' });
    const response = await get();
    let received = 0;
    for await (const chunk of response.body!) received += chunk.length;
    expect(received).toBeGreaterThanOrEqual(100 * 1024 ** 2);
  });

  test('huge-body is never held in memory', async () => {
    sandbox.misbehave({ kind: 'huge-body', bytes: 512 * 1024 ** 2 });
    const before = process.memoryUsage.rss();
    const response = await get();
    let peak = 0;
    for await (const _ of response.body!) peak = Math.max(peak, process.memoryUsage.rss());
    expect(peak - before).toBeLessThan(256 * 1024 ** 2);
  });

  test('huge-body stops when the caller disconnects', async () => {
    sandbox.misbehave({ kind: 'huge-body', bytes: 1024 ** 3 });
    const response = await get();
    await response.body!.cancel();
    await expect.poll(() => sandbox.requests()[0]?.answerBytes).toBeGreaterThan(0);
    expect(sandbox.requests()[0]!.answerBytes).toBeLessThan(64 * 1024 ** 2);
  });

  test('redirect points elsewhere', async () => {
    sandbox.misbehave({ kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere' });
    const response = await get();
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/elsewhere']);
  });

  test('only the named operation fails', async () => {
    sandbox.misbehave({ kind: 'server-error', operationId: 'getBook' });
    expect([(await ask(sandbox, '/books')).status, (await ask(sandbox, '/books/1')).status]).toEqual([200, 500]);
  });

  test('a request that the descriptor refuses uses up no failure', async () => {
    sandbox.misbehave({ kind: 'server-error' });
    expect([(await ask(sandbox, '/books?x=1')).status, (await ask(sandbox, '/books')).status]).toEqual([422, 500]);
  });

  test('failures come in the order in which they were planned, and behave clears them', async () => {
    sandbox.misbehave({ kind: 'server-error' });
    sandbox.misbehave({ kind: 'unavailable' });
    sandbox.misbehave({ kind: 'rate-limited' });
    expect([(await ask(sandbox, '/books')).status, (await ask(sandbox, '/books')).status]).toEqual([500, 503]);
    sandbox.behave();
    expect((await ask(sandbox, '/books')).status).toBe(200);
  });
});

describe('the control path', () => {
  const control = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${sandbox.origin}/__sandbox${path}`, init);

  test('plans failures', async () => {
    const body = JSON.stringify({ kind: 'unavailable', service: 'bookshop', operationId: 'listBooks', times: 1 });
    expect((await control('/misbehave', { method: 'POST', body })).status).toBe(200);
    expect((await ask(sandbox, '/books')).status).toBe(503);
  });

  test.each<[string, { body: string; message: RegExp }]>([
    ['an unknown kind', { body: '{"kind":"sad"}', message: /expected one of "slow"/ }],
    ['an unknown member', { body: '{"kind":"slow","delay":1}', message: /Unrecognized key: "delay"/ }],
    ['an unknown service', { body: '{"kind":"slow","service":"library"}', message: /^Services: bookshop\.$/ }],
    ['an unknown operation', { body: '{"kind":"slow","operationId":"x"}', message: /^Operations: listBooks, / }],
    ['no JSON', { body: 'slow', message: /not JSON/ }],
  ])('refuses %s', async (_, { body, message }) => {
    const response = await control('/misbehave', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toMatch(message);
  });

  test('shows and clears the latest requests', async () => {
    await ask(sandbox, '/books/3');
    expect(await (await control('/requests')).json()).toMatchObject([{ url: '/bookshop/api/v2/books/3' }]);
    await control('/requests', { method: 'DELETE' });
    expect(await (await control('/requests')).json()).toEqual([]);
  });

  test('clears planned failures', async () => {
    sandbox.misbehave({ kind: 'server-error' });
    await control('/misbehave', { method: 'DELETE' });
    expect((await ask(sandbox, '/books')).status).toBe(200);
  });

  test('lists services, operations and failures', async () => {
    const body = (await (await control('')).json()) as { services: unknown; misbehaviours: object };
    expect(body.services).toMatchObject({
      bookshop: expect.arrayContaining(['listBooks: GET /bookshop/api/v2/books']),
    });
    expect(Object.keys(body.misbehaviours)).toContain('half-body');
  });
});
