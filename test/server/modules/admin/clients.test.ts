import { expect, test } from 'vitest';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import { emit } from '../../../../server/base/store/events.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { givenDashboard, insertCalls, insertHelper, linksOf, rowsOf } from './support.ts';

const given = givenDashboard();
const PAGE = '/admin/clients/helper';

async function insertToken(grantId: string) {
  const of = { userId: given.userId, scopes: ['tools:read'], services: null, resource: 'r', now: given.now };
  const { token } = await issueAccessToken(given.store.db, { ...of, scopes: ['tools:read'], grantId });
  return async () => (await given.store.findAccessToken(hashSecret(given.store.db, token))) !== undefined;
}

const wordsOf = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('a client has a page that says who registered it and how, and what it did today', async () => {
  const [grantId = ''] = await insertHelper(given, { users: [given.userId], registeredFrom: '192.0.2.0/24' });
  await insertCalls(given, [
    { grantId },
    { grantId, outcome: 'not_found' },
    { grantId, outcome: 'awaiting_approval' },
    { grantId, createdAt: given.now - 86_400_000 },
    {},
  ]);
  const { text } = await (await given.operator()).get(PAGE);
  const words = wordsOf(text);
  expect(words).toContain('“ Helper ” unverified name');
  expect(words).toContain('2030-01-15 12:00:00 , by itself (dynamic registration), from the network 192.0.2.0/24');
  expect(words).toContain('3 , 1 failed , 1 waiting');
  expect(words).toContain('https://helper.example/back');
  expect(rowsOf(text).map((row) => row.slice(0, 2))).toEqual([['alice', 'Acme']]);
  const calls = linksOf(text).filter((to) => to.startsWith('/admin/calls?client=helper'));
  const operator = await given.operator();
  const counts = await Promise.all(calls.map(async (to) => rowsOf((await operator.get(to)).text).length));
  expect(counts).toEqual([3, 1, 1]);
});

test('a client with a metadata document is named by its URL, in its address too', async () => {
  const document = { fetchedAt: given.now, expiresAt: given.now + 1 };
  const clientId = 'https://app.example/oauth/client.json';
  await insertHelper(given, { clientId, document, users: [given.userId] });
  const operator = await given.operator();
  const path = `/admin/clients/${encodeURIComponent(clientId)}`;
  const { status, text } = await operator.get(path);
  expect([status, wordsOf(text)]).toEqual([200, expect.stringContaining('by the metadata document at its client_id')]);
  const done = await operator.confirm(path, `${path}/cut-off`);
  expect(done.headers.get('location')).toBe(`${path}?done=cut-off`);
});

test('cutting a client off revokes its grants and tokens and nothing else, and keeps the client', async () => {
  const { id: bob } = await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'bob', now: 1 });
  const grants = await insertHelper(given, { users: [given.userId, bob] });
  const [other = ''] = await insertHelper(given, { clientId: 'other', users: [given.userId] });
  const isGood = await insertToken(grants[0] ?? '');
  const isOtherGood = await insertToken(other);
  const operator = await given.operator();
  const asked = await operator.submit(PAGE, `${PAGE}/cut-off`);
  expect([wordsOf(asked.text).includes('2 live grants with all tokens'), await isGood()]).toEqual([true, true]);
  const done = await operator.confirm(PAGE, `${PAGE}/cut-off`);
  expect([await isGood(), await isOtherGood()]).toEqual([false, true]);
  const after = await operator.get(done.headers.get('location') ?? '');
  expect([after.status, after.text.includes('The client is cut off'), rowsOf(after.text)]).toEqual([200, true, []]);
  const [event] = await searchAuditEvents(given.store.db, { clientId: 'helper', type: 'grants_revoked' }, 1);
  expect(event?.details).toMatchObject({ by: 'operator', grants: 2 });
});

test('the page of a removed client links to what it did', async () => {
  const { status, text } = await (await given.operator()).get('/admin/clients/gone');
  expect([status, linksOf(text)]).toEqual([404, ['/admin/clients', '/admin/audit?client=gone']]);
});

test('every page that names a client links to its page', async () => {
  const [grantId = ''] = await insertHelper(given, { users: [given.userId] });
  await insertToken(grantId);
  await emit(given.store.db, { type: 'consent_given', now: given.now, userId: given.userId, clientId: 'helper' });
  const [call = ''] = await insertCalls(given, [{ grantId }]);
  const operator = await given.operator();
  const user = `/admin/users/${given.userId}`;
  for (const page of [
    '/admin/clients',
    '/admin/calls',
    `/admin/calls/${call}`,
    '/admin/grants',
    user,
    '/admin/audit',
  ]) {
    expect([page, linksOf((await operator.get(page)).text)]).toEqual([page, expect.arrayContaining([PAGE])]);
  }
});
