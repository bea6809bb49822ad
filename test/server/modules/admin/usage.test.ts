import { expect, test } from 'vitest';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertTestPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { givenDashboard, insertCalls, linksOf, rowsOf } from './support.ts';

const given = givenDashboard();
const DAY_MS = 86_400_000;
const MAX_PAGE_BYTES = 60_000;

async function insertTestUser(externalUserId = 'sample') {
  const { store, partnerId, now } = given;
  const testPartnerId = await insertTestPartner(store.db, partnerId, now);
  const user = await ensureUser(store.db, { partnerId: testPartnerId, externalUserId, now });
  return { partnerId: testPartnerId, userId: user.id };
}

async function insertClientOf(userId: string, clientName: string | null) {
  const { store, now } = given;
  await insertClient(store.db, {
    clientId: 'helper',
    clientName,
    redirectUris: [],
    applicationType: 'web',
    secretHash: null,
    authenticationMethod: 'none',
    now,
  });
  const grant = { clientId: 'helper', userId, scopes: [], services: null, resource: 'r' };
  return insertGrant(store.db, { ...grant, now, expiresAt: now + 1000 });
}

async function usageOf(query: string) {
  const { status, text } = await (await given.operator()).get(`/admin/usage.json?${query}`);
  return { status, answer: JSON.parse(text) };
}

test('calls with a token that an operator minted are not those of the partner', async () => {
  const { store, userId, now } = given;
  const own = { clientId: null, userId, scopes: [], services: null, resource: 'r', now, expiresAt: now + 1000 };
  await insertCalls(given, [{}, { grantId: await insertGrant(store.db, own) }, {}]);
  const { answer } = await usageOf('by=client');
  expect(answer.usage.map((row: Record<string, unknown>) => [row.client_id, row.calls])).toEqual([
    ['(minted)', 2],
    ['(partner)', 1],
  ]);
  expect((await (await given.operator()).get('/admin/usage?by=client')).text).toContain('Minted for testing');
});

test('calls are counted by what the form chooses, and one that waits for its user has not failed', async () => {
  const test = await insertTestUser();
  const grantId = await insertClientOf(given.userId, 'Helper');
  await insertCalls(given, [
    { grantId },
    { grantId, outcome: 'not_found', tool: 'library_burn' },
    { outcome: 'awaiting_approval', tool: 'library_burn', tokenId: 'dashboard' },
    { outcome: 'needs_approval', createdAt: given.now - DAY_MS, grantId: 'removed' },
    { ...test },
  ]);
  const sums = async (query: string, ...names: string[]) =>
    (await usageOf(query)).answer.usage.map((row: Record<string, unknown>) =>
      [...names, 'calls', 'failures', 'waiting'].map((name) => row[name]),
    );
  expect(await sums('by=partner', 'partner_name')).toEqual([
    ['Acme', 4, 1, 2],
    ['Acme (test mode)', 1, 0, 0],
  ]);
  expect(await sums('by=user', 'user_id')).toEqual([
    ['alice', 4, 1, 2],
    ['sample', 1, 0, 0],
  ]);
  expect(await sums('by=client', 'client_name', 'client_id')).toEqual(
    expect.arrayContaining([
      ['Helper', 'helper', 2, 1, 0],
      [null, '(dashboard)', 1, 0, 1],
      [null, '(removed)', 1, 0, 1],
      [null, '(minted)', 1, 0, 0],
    ]),
  );
  expect(await sums('by=service', 'service')).toEqual([['library', 5, 1, 2]]);
  expect(await sums('by=tool', 'tool')).toEqual([
    ['library_find', 3, 0, 1],
    ['library_burn', 2, 1, 1],
  ]);
  expect(await sums('by=day', 'day')).toEqual([
    ['2030-01-15', 4, 1, 1],
    ['2030-01-14', 1, 0, 1],
  ]);
  expect(await sums('by=user&and=tool', 'user_id', 'tool')).toHaveLength(3);
  expect(await sums('by=partner&realm=test', 'partner_name')).toEqual([['Acme (test mode)', 1, 0, 0]]);
  expect(await sums('by=user&realm=live', 'user_id')).toEqual([['alice', 4, 1, 2]]);
  expect(await sums('by=tool&client=helper', 'tool')).toHaveLength(2);
  expect(await sums('by=tool&tool=library_burn&from=2030-01-14&to=2030-01-14', 'tool')).toEqual([]);
});

test('the page shows names, leads to the calls that it counts, and is small', async () => {
  await insertCalls(given, [{}, { outcome: 'gone' }, { outcome: 'awaiting_approval' }]);
  const operator = await given.operator();
  const { text } = await operator.get('/admin/usage?by=user');
  expect(rowsOf(text)).toEqual([['alice', '3', '1', '1', '45 ms', '50 ms', 'By tool']]);
  const links = linksOf(text);
  const span = 'from=2030-01-09T00:00&to=2030-01-16T00:00';
  expect(links).toEqual(
    expect.arrayContaining([
      `/admin/users/${given.userId}`,
      `/admin/calls?user=${given.userId}&${span}`,
      `/admin/usage?by=tool&user=${given.userId}`,
      '/admin/usage.csv?by=user',
    ]),
  );
  const divided = await operator.get(`/admin/usage?by=tool&user=${given.userId}`);
  expect(rowsOf(divided.text).map(([tool]) => tool)).toEqual(['library_find']);
  for (let index = 0; index < 120; index += 1) {
    const user = await ensureUser(given.store.db, {
      partnerId: given.partnerId,
      externalUserId: `user-${index}-${'x'.repeat(200)}`,
      now: given.now,
    });
    await insertCalls(given, [{ userId: user.id }]);
  }
  const full = await operator.get('/admin/usage?by=user&and=tool');
  expect(rowsOf(full.text)).toHaveLength(40);
  expect(full.text).toContain('81 other groups');
  expect(Buffer.byteLength(full.text)).toBeLessThan(MAX_PAGE_BYTES);
});

test.each([
  ['?by=__proto__', 'by'],
  ['?by=user,tool', 'by'],
  ['?and=constructor', 'and'],
  ["?by=user'%20or%201=1--", 'by'],
  ['?by=outcome', 'by'],
])('a group that does not exist is refused in files and left out of the page: %s', async (query, name) => {
  const operator = await given.operator();
  const file = await operator.get(`/admin/usage.csv${query}`);
  expect([file.status, file.text]).toEqual([400, expect.stringContaining(`${name} must be day`)]);
  expect((await operator.get(`/admin/usage${query}`)).status).toBe(200);
});

test.each([
  ['?from=0001-01-01&to=9999-12-31', '2028-12-12', '2030-01-16'],
  ['?by=user&from=0001-01-01&to=9999-12-31', '2029-10-18', '2030-01-16'],
  ['?from=2030-01-14&to=2030-01-10', '2030-01-10', '2030-01-11'],
  ['?from=x&to=%00', '2030-01-09', '2030-01-16'],
  ['?days=999999999999', '2030-01-09', '2030-01-16'],
  ['?days=30', '2029-12-17', '2030-01-16'],
])('days are bounded by what is kept: %s', async (query, since, until) => {
  expect((await usageOf(query.slice(1))).answer).toMatchObject({ since, until });
});

test('a CSV is an attachment in which no name becomes a formula', async () => {
  const names = [
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    ' =cmd',
    '＝1',
    'a"b',
    'ordinary',
    ';=1;',
    'a; "+1',
    'b\n-1',
    '\t\t@x',
  ];
  for (const externalUserId of names) {
    const user = await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId, now: given.now });
    await insertCalls(given, [{ userId: user.id }]);
  }
  const { headers, text } = await (await given.operator()).get('/admin/usage.csv?by=user');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="usage-2030-01-09-2030-01-16.csv"');
  expect(headers.get('cache-control')).toBe('no-store');
  const [head, ...lines] = text.trimEnd().split('\r\n');
  expect(head).toBe('"user","user_id","calls","failures","waiting","p50_ms","p95_ms"');
  const cells = lines.map((line) => /^"[^"]*","((?:[^"]|"")*)",1,0,0,45,50$/.exec(line)?.[1]);
  expect(cells.toSorted()).toEqual(
    [
      ...["'=1+1", "'+1", "'-1", "'@x", "'\t'=1", "' =cmd", "'＝1", 'a""b', 'ordinary'],
      ...[";'=1;", 'a;\' ""+1', "b\n'-1", "'\t'\t'@x"],
    ].toSorted(),
  );
});

test('a CSV without calls has its columns', async () => {
  const { text } = await (await given.operator()).get('/admin/usage.csv?by=day&and=client');
  expect(text).toBe('"day","client_id","client_name","calls","failures","waiting","p50_ms","p95_ms"\r\n');
});

test.each(['/admin/usage', '/admin/usage.csv', '/admin/usage.json'])('%s is for operators only', async (path) => {
  await insertCalls(given, [{}]);
  const { status, headers, text } = await given.visitor().get(`${path}?by=user`);
  expect([status, headers.get('location'), text]).toEqual([
    303,
    `/admin/sign-in?next=${encodeURIComponent(`${path}?by=user`)}`,
    expect.not.stringContaining('alice'),
  ]);
  expect((await (await given.operator({ name: 'grace', role: 'look' })).get(path)).status).toBe(200);
});
