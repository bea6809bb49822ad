import { expect, test } from 'vitest';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { newId } from '../../../../server/base/store/rows.ts';
import { givenDashboard, insertCalls, insertHelper, insertTestRealm, linksOf } from './support.ts';

const given = givenDashboard();

async function foundBy(text: string): Promise<string[]> {
  const operator = await given.operator();
  return linksOf((await operator.get(`/admin/search?q=${encodeURIComponent(text)}`)).text);
}

const addUser = (externalUserId: string) =>
  ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId, now: given.now });

test('services and tools are found by a part of their name or title', async () => {
  expect(await foundBy('LIBR')).toEqual(
    expect.arrayContaining(['/admin/tools?service=library', '/admin/tools/library_find', '/admin/tools/library_burn']),
  );
  expect(await foundBy('burn')).toEqual(['/admin/tools/library_burn']);
});

test('users are found by the beginning of their user_id, ten at most', async () => {
  const { id } = await addUser('zoe-1');
  expect(await foundBy('zoe')).toEqual([`/admin/users/${id}`]);
  for (let index = 2; index < 20; index += 1) await addUser(`zoe-${index}`);
  expect(await foundBy('zoe')).toHaveLength(10);
  expect(await foundBy('oe-1')).toEqual(['/admin/users?q=oe-1']);
});

test('calls are found by their whole request id', async () => {
  await insertCalls(given, [{ requestId: '01a1-request' }]);
  const [call, all, events] = await foundBy('01a1-request');
  expect(call).toMatch(/^\/admin\/calls\/[0-9a-f-]{36}$/);
  expect([all, events]).toEqual(['/admin/calls?request=01a1-request', '/admin/audit?q=01a1-request']);
  expect(await foundBy('01a1-reques')).toEqual(['/admin/users?q=01a1-reques']);
});

test('an id of which nothing is found leads to the events and the older calls of a request', async () => {
  const id = newId(given.now);
  expect(await foundBy(id)).toEqual([`/admin/users?q=${id}`, `/admin/calls?request=${id}`, `/admin/audit?q=${id}`]);
});

test('clients are found by a part of their name, client_id or redirect URI, ten at most', async () => {
  await insertHelper(given);
  await insertHelper(given, { clientId: 'https://app.example/client', clientName: 'Other' });
  for (const text of ['HELP', 'elper.exam']) expect(await foundBy(text)).toContain('/admin/clients/helper');
  expect(await foundBy('https://app.example/client')).toEqual(['/admin/clients/https%3A%2F%2Fapp.example%2Fclient']);
  for (let index = 0; index < 12; index += 1) await insertHelper(given, { clientId: `many-${index}` });
  expect(await foundBy('many-')).toHaveLength(10);
});

test('connections are found by the beginning of the account at the service', async () => {
  const { db } = given.store;
  await db.updateTable('connections').set({ account: 'maya@harbor.example' }).execute();
  expect(await foundBy('maya@')).toEqual([`/admin/users/${given.userId}#connections`]);
  expect(await foundBy('harbor.example')).toEqual(['/admin/users?q=harbor.example']);
});

test('partners are found by a part of their name or client_id', async () => {
  const test = await insertTestRealm(given);
  expect(await foundBy('ACM')).toEqual([`/admin/partners/${given.partnerId}`, `/admin/partners/${test.partnerId}`]);
});

test('what is stored is found by its whole id', async () => {
  const { db } = given.store;
  const [grant = ''] = await insertHelper(given, { users: [given.userId] });
  const [call = ''] = await insertCalls(given, [{ requestId: '01a1-request' }]);
  const { id: connection } = await db.selectFrom('connections').select('id').executeTakeFirstOrThrow();
  const user = `/admin/users/${given.userId}`;
  expect(await foundBy(given.userId)).toEqual([user]);
  expect(await foundBy(given.partnerId)).toEqual([`/admin/partners/${given.partnerId}`]);
  expect(await foundBy(grant)).toEqual([`${user}#grants`]);
  expect(await foundBy(connection)).toEqual([`${user}#connections`]);
  expect((await foundBy(call))[0]).toBe(`/admin/calls/${call}`);
  expect(await foundBy(grant.slice(0, -1))).toEqual([`/admin/users?q=${grant.slice(0, -1)}`]);
});

test.each(['%', '_%', "' or 1=1 --", '\\', '\0', '*'])('%j stands for itself', async (text) => {
  await addUser('amy');
  expect((await foundBy(text)).filter((to) => to.startsWith('/admin/users/'))).toEqual([]);
});

test('a text without end is cut, and a name with markup is text', async () => {
  const operator = await given.operator();
  const { id } = await addUser('<img src=x onerror=alert(1)>');
  expect((await operator.get(`/admin/search?q=${'x'.repeat(5000)}`)).status).toBe(200);
  const { text } = await operator.get(`/admin/search?q=${encodeURIComponent('<img')}`);
  expect([linksOf(text), text.includes('<img')]).toEqual([[`/admin/users/${id}`], false]);
});

test('only an operator who is signed in searches', async () => {
  const { status, headers } = await given.visitor().get('/admin/search?q=library');
  expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/admin/sign-in')]);
});
