import { request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { toDashboardPath } from '../../../../server/modules/admin/sign-in/secret.ts';
import { searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { startGateway } from '../../../support/gateway.ts';
import { fieldOf, givenDashboard, IDLE_SECONDS, SECRET, SESSION_SECONDS } from './support.ts';

const MAX_WRONG_SECRETS = 10;
const SIGN_IN_WINDOW_SECONDS = 900;

const given = givenDashboard();
const COOKIE = 'utg_operator';

const eventTypes = async () => (await searchAuditEvents(given.store.db, {}, 50)).map(({ type }) => type);

describe('a gateway without operators', () => {
  test('has no dashboard', async () => {
    const gateway = await startGateway({ connectors: [], secretOf: () => '' });
    const statuses = [];
    for (const path of ['/admin', '/admin/sign-in', '/admin/users']) {
      statuses.push((await fetch(new URL(path, gateway.url), { redirect: 'manual' })).status);
    }
    await gateway.close();
    expect(statuses).toEqual([404, 404, 404]);
  });

  test('has one as soon as an operator is added', async () => {
    await given.start({ secret: '' });
    expect((await given.visitor().get('/admin')).status).toBe(404);
    const ada = await given.operator({ name: 'ada', role: 'look' });
    expect((await ada.get('/admin')).status).toBe(200);
  });
});

describe('signing in', () => {
  test.each([
    '',
    '/partners',
    '/partners/x',
    '/users',
    '/users/x',
    '/tools',
    '/tools/library_find',
    '/clients',
    '/audit',
  ])('comes before /admin%s', async (path) => {
    const { status, headers } = await given.visitor().get(`/admin${path}`);
    expect([status, headers.get('location')]).toEqual([
      303,
      `/admin/sign-in?next=${encodeURIComponent(`/admin${path}`)}`,
    ]);
  });

  test.each([
    '/partners',
    '/partners/x',
    '/partners/x/secrets',
    '/partners/x/secrets/y/revoke',
    '/users/x/tokens',
    '/users/x/tokens/y/revoke',
    '/users/x/grants/y/revoke',
    '/users/x/connections/library/remove',
    '/users/x/remove',
    '/tools/library_find',
    '/clients/x/remove',
    '/sign-out',
  ])('comes before a form of /admin%s', async (path) => {
    expect((await given.visitor().post(`/admin${path}`, { csrf: 'x' })).status).toBe(401);
  });

  test('with the right secret redirects to the requested page', async () => {
    const visitor = given.visitor();
    const answer = await visitor.signIn(SECRET, '/admin/sign-in?next=%2Fadmin%2Fusers%3Fq%3Dalice');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin/users?q=alice']);
    const [line] = answer.headers.getSetCookie();
    expect(line).toMatch(/^utg_operator=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect((await visitor.get('/admin/users')).status).toBe(200);
    expect(await eventTypes()).toEqual(['operator_signed_in']);
  });

  test('under https sets a cookie that is Secure and __Host-', async () => {
    await given.start({ publicUrl: 'https://tools.example.com' });
    const page = await given.visitor().get('/admin/sign-in');
    expect(page.status).toBe(403);
    const send = (
      path: string,
      { headers, body, method = 'GET' }: { headers?: object; body?: string; method?: string },
    ) =>
      new Promise<{ cookies: string[]; text: string }>((resolve, reject) => {
        const sent = request(given.origin + path, { method, headers: { ...headers, Host: 'tools.example.com' } });
        sent.on('error', reject).on('response', async (response) => {
          const text = await readAll(response);
          resolve({ cookies: response.headers['set-cookie'] ?? [], text });
        });
        sent.end(body);
      });
    const form = await send('/admin/sign-in', {});
    const body = new URLSearchParams({ page_state: fieldOf(form.text, 'page_state'), secret: SECRET }).toString();
    const { cookies } = await send('/admin/sign-in', {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Cookie: form.cookies[0]!.split(';')[0]!,
      },
    });
    expect(cookies).toEqual([expect.stringMatching(/^__Host-utg_operator=.*; Path=\/; .*SameSite=Strict; Secure$/)]);
  });

  test('with a wrong secret says so, and opens nothing', async () => {
    const visitor = given.visitor();
    const answer = await visitor.signIn('not-the-secret-of-the-operator');
    expect([answer.status, visitor.cookies.has(COOKIE)]).toEqual([401, false]);
    expect(answer.text).toContain('role="alert"');
    expect(answer.text).not.toContain('not-the-secret');
    expect(await eventTypes()).toEqual([]);
    const counted = await given.store.db.selectFrom('anonymous_events').select(['type', 'count']).execute();
    expect(counted).toEqual([{ type: 'operator_sign_in_refused', count: 1 }]);
  });

  test('is refused after too many wrong secrets, even with the right one, until the window ends', async () => {
    const visitor = given.visitor();
    for (let attempt = 0; attempt < MAX_WRONG_SECRETS; attempt += 1) {
      expect((await visitor.signIn('wrong')).status).toBe(401);
    }
    const refused = await visitor.signIn(SECRET);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(SIGN_IN_WINDOW_SECONDS)]);
    given.now += SIGN_IN_WINDOW_SECONDS * 1000;
    expect((await visitor.signIn(SECRET)).status).toBe(303);
  });

  test('with the right secret does not count as an attempt', async () => {
    for (let attempt = 0; attempt < MAX_WRONG_SECRETS + 2; attempt += 1) await given.operator();
    expect((await given.visitor().signIn('wrong')).status).toBe(401);
  });

  test('accepts no form of another browser', async () => {
    const { text } = await given.visitor().get('/admin/sign-in');
    const other = given.visitor();
    await other.get('/admin/sign-in');
    const answer = await other.post('/admin/sign-in', { page_state: fieldOf(text, 'page_state'), secret: SECRET });
    expect([answer.status, other.cookies.has(COOKIE)]).toEqual([400, false]);
  });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
  ])('accepts no form of another site: %o', async (headers) => {
    const visitor = given.visitor();
    const { text } = await visitor.get('/admin/sign-in');
    const answer = await visitor.post(
      '/admin/sign-in',
      { page_state: fieldOf(text, 'page_state'), secret: SECRET },
      headers,
    );
    expect([answer.status, visitor.cookies.has(COOKIE)]).toEqual([403, false]);
  });

  test.each([
    'https://evil.example/',
    '//evil.example/admin',
    '/admin/../../evil',
    '/\\evil.example',
    '/admin\\@evil.example',
    '/adminevil',
    '/api/mcp/oauth/authorize',
    '/admin/sign-in',
    'javascript:alert(1)',
    '/admin/\n//evil.example',
  ])('never redirects to %j', (next) => {
    expect(toDashboardPath(next, 'https://tools.example.com')).toBe('/admin');
  });
});

describe('a session', () => {
  test('has a new id that no one could plant before', async () => {
    const visitor = given.visitor();
    const planted = 'A'.repeat(43);
    visitor.cookies.set(COOKIE, planted);
    await visitor.signIn(SECRET);
    expect(visitor.cookies.get(COOKIE)).not.toBe(planted);
    const attacker = given.visitor();
    attacker.cookies.set(COOKIE, planted);
    expect((await attacker.get('/admin')).status).toBe(303);
  });

  test('ends with sign-out, even for a copy of its cookie', async () => {
    const visitor = await given.operator();
    const thief = given.visitor();
    thief.cookies.set(COOKIE, visitor.cookies.get(COOKIE)!);
    expect((await thief.get('/admin')).status).toBe(200);
    const answer = await visitor.submit('/admin', '/admin/sign-out');
    expect([answer.status, answer.headers.get('location'), visitor.cookies.has(COOKIE)]).toEqual([
      303,
      '/admin/sign-in',
      false,
    ]);
    expect((await thief.get('/admin')).status).toBe(303);
  });

  test('ends after an hour without a request', async () => {
    const visitor = await given.operator();
    given.now += IDLE_SECONDS * 1000 - 1;
    expect((await visitor.get('/admin')).status).toBe(200);
    given.now += IDLE_SECONDS * 1000;
    expect((await visitor.get('/admin')).status).toBe(303);
  });

  test('ends after twelve hours, even if it is used', async () => {
    const visitor = await given.operator();
    const end = given.now + SESSION_SECONDS * 1000;
    for (given.now += 1_800_000; given.now < end; given.now += 1_800_000) {
      expect((await visitor.get('/admin')).status).toBe(200);
    }
    given.now = end;
    expect((await visitor.get('/admin')).status).toBe(303);
  });

  test('ends when the secret changes', async () => {
    const visitor = await given.operator();
    await given.start({ secret: 'another-secret-of-operators' });
    expect((await visitor.get('/admin')).status).toBe(303);
  });

  test('is valid on another gateway of the same store', async () => {
    const visitor = await given.operator();
    await given.start();
    expect((await visitor.get('/admin')).status).toBe(200);
  });

  test('leaves neither its cookie nor the secret in the store', async () => {
    const visitor = await given.operator();
    const codes = JSON.stringify(await given.store.db.selectFrom('operator_sessions').selectAll().execute());
    expect(codes).not.toContain(visitor.cookies.get(COOKIE)!);
    expect(codes).not.toContain(SECRET);
  });
});

describe('forms of the dashboard', () => {
  const addPartner = { name: 'Planted' };

  test('without the form token of the session are refused', async () => {
    const visitor = await given.operator();
    expect((await visitor.post('/admin/partners', addPartner)).status).toBe(403);
    expect((await visitor.post('/admin/partners', { ...addPartner, csrf: 'x' })).status).toBe(403);
    expect((await visitor.get('/admin/partners')).text).not.toContain('Planted');
  });

  test('of another session are refused', async () => {
    const [visitor, other] = [await given.operator(), await given.operator()];
    const csrf = fieldOf((await other.get('/admin')).text, 'csrf');
    expect((await visitor.post('/admin/partners', { ...addPartner, csrf })).status).toBe(403);
  });

  test('of another site are refused, whatever they contain', async () => {
    const visitor = await given.operator();
    const csrf = fieldOf((await visitor.get('/admin')).text, 'csrf');
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    expect((await visitor.post('/admin/partners', { ...addPartner, csrf }, headers)).status).toBe(403);
  });

  test('sent as a link do nothing', async () => {
    const visitor = await given.operator();
    expect((await visitor.get(`/admin/users/${given.userId}/remove`)).status).toBe(404);
    expect((await visitor.get(`/admin/users/${given.userId}`)).status).toBe(200);
  });
});

describe('pages of the dashboard', () => {
  test('are not cached, not framed, and run one script', async () => {
    const { headers } = await (await given.operator()).get('/admin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'sha256-[^']+'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
  });
});
