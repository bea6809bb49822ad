import { beforeEach, expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { issueTestSecret } from '../../../../server/identity/partners/test-partner.ts';
import {
  givenDashboard,
  insertCalls,
  insertHelper,
  insertTestRealm,
  linksOf,
  rowsOf,
  type Visitor,
} from './support.ts';

const given = givenDashboard();
const MARK = '<span class="badge quiet">test</span>';

let operator: Visitor;
let realm: Awaited<ReturnType<typeof insertTestRealm>>;
let call: string;
beforeEach(async () => {
  realm = await insertTestRealm(given);
  await insertHelper(given, { clientId: 'live-helper', users: [given.userId] });
  const [grantId = ''] = await insertHelper(given, { clientId: 'test-helper', users: [realm.userId] });
  const [, made = ''] = await insertCalls(given, [
    {},
    { partnerId: realm.partnerId, userId: realm.userId, grantId, outcome: 'not_found', tool: 'library_burn' },
  ]);
  call = made;
  operator = await given.operator();
});

async function rowsWithMark(path: string): Promise<[rows: number, marked: number]> {
  const { text } = await operator.get(path);
  const [table = ''] = /<table[\s\S]*?<\/table>/.exec(text) ?? [];
  const rows = table.match(/<tr><td[\s\S]*?<\/tr>/g) ?? [];
  return [rows.length, rows.filter((row) => row.includes(MARK)).length];
}

test.each(['users', 'connections', 'calls', 'clients', 'grants', 'partners'])(
  '%s of test mode are marked, and the list can be of one mode',
  async (list) => {
    expect(await rowsWithMark(`/admin/${list}`)).toEqual([2, 1]);
    expect(await rowsWithMark(`/admin/${list}?realm=live`)).toEqual([1, 0]);
    expect(await rowsWithMark(`/admin/${list}?realm=test`)).toEqual([1, 1]);
    expect(await rowsWithMark(`/admin/${list}?realm=neither`)).toEqual([2, 1]);
  },
);

test('the pages of what belongs to test mode are marked', async () => {
  const { partnerId, userId } = realm;
  await emit(given.store.db, { type: 'consent_given', now: given.now, partnerId, userId });
  const marked = [`/users/${userId}`, `/users/${userId}/why`, `/partners/${partnerId}`, `/calls/${call}`];
  for (const path of [...marked, '/clients/test-helper', '/search?q=tester', '/audit']) {
    expect([path, (await operator.get(`/admin${path}`)).text.includes(MARK)]).toEqual([path, true]);
  }
  for (const path of [`/users/${given.userId}`, `/partners/${given.partnerId}`, '/clients/live-helper']) {
    expect([path, (await operator.get(`/admin${path}`)).text.includes(MARK)]).toEqual([path, false]);
  }
});

test('a secret of test mode is marked', async () => {
  const partner = `/admin/partners/${realm.partnerId}`;
  await given.store.db.transaction().execute(async (transaction) => {
    const live = { id: given.partnerId, clientId: 'acme', realm: 'live', testOf: null } as never;
    await issueTestSecret(transaction, live, false, { now: given.now });
  });
  expect(await rowsWithMark(partner)).toEqual([1, 1]);
});

test('the overview counts one mode, and its links keep the mode', async () => {
  const figuresOf = async (path: string) => {
    const { text } = await operator.get(path);
    return [...text.matchAll(/<dt>([^<]*)<\/dt><dd><a href="([^"]*)">(\d+)<\/a>/g)].map(([, term, to, count]) => [
      term,
      Number(count),
      to?.includes('realm=test'),
    ]);
  };
  const terms = ['Failed', 'Waiting for users', 'Need attention', 'Tool calls'];
  terms.push('Connections', 'Users', 'Clients', 'Live grants');
  const none = ['Waiting for users', 'Need attention'];
  expect(await figuresOf('/admin?realm=test')).toEqual(terms.map((term) => [term, none.includes(term) ? 0 : 1, true]));
  expect((await figuresOf('/admin?realm=live')).map(([, count]) => count)).toEqual([0, 0, 0, 1, 1, 1, 1, 1]);
  expect((await figuresOf('/admin')).map(([, count]) => count)).toEqual([1, 0, 0, 2, 2, 2, 2, 2]);
  const { text } = await operator.get('/admin?realm=test');
  expect(linksOf(text).filter((to) => to.includes('library_burn') && to.startsWith('/admin/calls'))).toEqual([
    expect.stringContaining('realm=test'),
    expect.stringContaining('realm=test'),
  ]);
});

test('revoking a selection of one mode keeps the grants of the other', async () => {
  await operator.confirm('/admin/grants?realm=test', '/admin/grants/revoke', { realm: 'test' });
  const { text } = await operator.get('/admin/grants');
  expect(rowsOf(text).map(([user]) => user)).toEqual(['alice']);
});

test('choices of partners and users name the mode', async () => {
  expect((await operator.get('/admin/users')).text).toContain('Acme (test)');
  expect((await operator.get('/admin/tools/library_find')).text).toContain('tester (Acme, test)');
});
