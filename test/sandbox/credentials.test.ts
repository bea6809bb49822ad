import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/start.ts';
import { ask, startBookshop } from './support.ts';

let open: Sandbox;
let strict: Sandbox;
beforeAll(async () => {
  open = await startBookshop();
  strict = await startBookshop({ credential: 'right' });
});
afterAll(async () => {
  await open.close();
  await strict.close();
});

const basic = (text: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
});

describe('credentials', () => {
  test.each<[string, { path: string; headers: Record<string, string>; any: number; exact: number }]>([
    ['none', { path: '/books', headers: {}, any: 401, exact: 401 }],
    ['an empty key', { path: '/books', headers: { 'x-key': '' }, any: 401, exact: 401 }],
    ['another key', { path: '/books', headers: { 'x-key': 'other' }, any: 200, exact: 401 }],
    ['the key in its header', { path: '/books', headers: { 'x-key': 'right' }, any: 200, exact: 200 }],
    ['the alternative scheme', { path: '/books', headers: { authorization: 'Bearer right' }, any: 200, exact: 200 }],
    [
      'a bearer scheme in lower case',
      { path: '/books', headers: { authorization: 'bearer right' }, any: 200, exact: 200 },
    ],
    ['the secret under another scheme', { path: '/books', headers: basic('a:right'), any: 401, exact: 401 }],
    ['username and password', { path: '/admin', headers: basic('right:right'), any: 200, exact: 200 }],
    ['a wrong password', { path: '/admin', headers: basic('a:other'), any: 200, exact: 401 }],
    ['basic without a colon', { path: '/admin', headers: basic('right'), any: 401, exact: 401 }],
    ['none where an alternative is empty', { path: '/tables/A/B.json', headers: {}, any: 200, exact: 200 }],
  ])('%s', async (_, { path, headers, any, exact }) => {
    expect([(await ask(open, path, { headers })).status, (await ask(strict, path, { headers })).status]).toEqual([
      any,
      exact,
    ]);
  });

  test('a refusal has the shape of the descriptor’s own 401 example', async () => {
    const reply = await ask(strict, '/books', { headers: {} });
    expect(reply.body).toEqual({ error: { code: 'unauthorized', text: 'Send a key.' } });
    expect(reply.headers.get('x-sandbox-reason')).toBe(
      'key requires the header X-Key, and the request has none; or token requires the header Authorization (Bearer), and the request has none',
    );
  });

  test('a refusal never repeats the secret', async () => {
    const reply = await ask(strict, '/admin', { headers: basic('user:hidden-secret') });
    expect(JSON.stringify([reply.body, ...reply.headers])).not.toContain('hidden');
  });
});
