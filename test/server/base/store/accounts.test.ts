import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../../server/base/store/index.ts';
import { searchConnections } from '../../../../server/base/store/reports/connection-list.ts';
import { countConnections } from '../../../../server/base/store/reports/overview.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { ACCOUNT_NAME } from '../../../../server/base/store/repositories/account-names.ts';
import {
  deleteConnection,
  listAccounts,
  listConnections,
  NEW_ACCOUNT,
  putConnection,
  renameAccount,
  TooManyAccountsError,
} from '../../../../server/base/store/repositories/connections.ts';
import { countAccess } from '../../../../server/base/store/repositories/live-access.ts';
import { listIdleConnections } from '../../../../server/base/store/repositories/upstream/connection-refreshes.ts';
import { MAX_ACCOUNTS } from '../../../../server/base/store/rows.ts';
import type { Executor } from '../../../../server/base/store/schema.ts';
import { TABLE_SETS } from '../../../support/listening.ts';
import { describeStore } from './dialects.ts';
import { connect, findConnection, insertPartnerAndUser, tokenFor } from './fixtures.ts';

/** Columns of call records that a file of calls of an earlier version lacks. */
const ADDED = ['connection_id', 'approved_by'];

/** Connects a service as a version without several accounts does. */
const olderInsert = (id: string, service: string) => sql`
  insert into connections (id, user_id, service, status, sealed_credential, created_at, updated_at)
  values (${id}, 'u', ${service}, 'active', 'sealed', 1, 1) on conflict (user_id, service) do nothing`;

describe('the short name of an account', () => {
  test.each(['a', 'Work', 'my 2nd_one', 'Büro', 'x'.repeat(30)])('may be %j', (name) =>
    expect(name).toMatch(ACCOUNT_NAME),
  );

  test.each(['', ' a', 'a ', 'x'.repeat(31), 'a.b', 'a\nb', 'a"b', 'a<b', '-a', 'a\u202eb'])('is not %j', (name) =>
    expect(name).not.toMatch(ACCOUNT_NAME),
  );
});

describeStore('several accounts of a service', (given) => {
  const add = (
    userId: string,
    service = 'crm',
    {
      executor = given.store.db,
      ...changes
    }: Partial<Parameters<typeof putConnection>[1]> & { executor?: Executor } = {},
  ) =>
    putConnection(executor, {
      ...{ userId, service, account: NEW_ACCOUNT, now: 5 },
      seal: (id) => `sealed for ${id}`,
      ...changes,
    });
  const rename = (userId: string, id: string, name: string) =>
    given.store.db.transaction().execute((transaction) => renameAccount(transaction, { userId, id, name }));
  const namesOf = async (userId: string) =>
    (await listConnections(given.store.db, userId)).map(({ service, number, accountName }) => [
      service,
      number,
      accountName,
    ]);

  test('rows without the columns of accounts are those of the only account, until there is a second', async () => {
    const { store } = given;
    for (const statement of [
      sql`insert into partners (id, client_id, name, created_at) values ('p', 'acme', 'Acme', 1)`,
      sql`insert into users (id, partner_id, external_user_id, created_at) values ('u', 'p', 'alice', 1)`,
      olderInsert('c1', 'crm'),
    ])
      await statement.execute(store.db);
    await olderInsert('c2', 'drive').execute(store.db);
    await olderInsert('c3', 'crm').execute(store.db);
    expect(await namesOf('u')).toEqual([
      ['crm', 1, null],
      ['drive', 1, null],
    ]);
    await insertAccessToken(store.db, tokenFor('u'));
    const found = await store.findAccessToken('hash');
    expect(found?.connections.get('crm')).toEqual({
      ...{ id: 'c1', status: 'active', sealedCredential: 'sealed', updatedAt: 1 },
    });
    const record = { ...{ createdAt: 2, partnerId: 'p', userId: 'u', tokenId: 't', service: 'crm', tool: 'crm_list' } };
    const ended = { outcome: 'ok', upstreamCode: null, upstreamStatus: 200, durationMs: 1, requestBytes: 1 };
    await store.insertCallRecords([{ ...record, ...ended, responseBytes: 1, requestId: 'q', connectionId: 'c1' }]);
    expect(await store.db.selectFrom('call_records').select('connection_id').orderBy('created_at').execute()).toEqual([
      { connection_id: 'c1' },
    ]);
    await add('u');
    await olderInsert('c4', 'crm').execute(store.db);
    expect(await namesOf('u')).toEqual([
      ['crm', 1, 'account-1'],
      ['crm', 2, 'account-2'],
      ['drive', 1, null],
    ]);
  });

  test('a file of calls from before, next to a store that was migrated already, gets the columns once', async () => {
    if (given.dialect === 'postgres') return;
    await sql`drop index calls.call_records_by_connection`.execute(given.store.db);
    for (const column of ADDED)
      await sql`alter table calls.call_records drop column ${sql.ref(column)}`.execute(given.store.db);
    for (let time = 0; time < 2; time += 1) await (await openStore({ url: given.url, sets: TABLE_SETS })).close();
    const file = new SqliteDatabase(`${given.url.slice('sqlite:'.length)}.calls`, { readonly: true });
    expect(file.prepare("select name from pragma_table_info('call_records')").pluck().all()).toEqual(
      expect.arrayContaining(ADDED),
    );
    file.close();
  });

  test('the first has no name until there is a second', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await connect(given.store, { userId: user.id, service: 'crm' });
    await connect(given.store, { userId: user.id, service: 'crm' });
    expect(await namesOf(user.id)).toEqual([['crm', 1, null]]);
    const id = await add(user.id);
    expect((await listAccounts(given.store.db, user.id, 'crm'))[1]).toMatchObject({
      ...{ id, service: 'crm', number: 2, accountName: 'account-2', sealedCredential: `sealed for ${id}` },
    });
    expect((await findConnection(given.store.db, user.id, 'crm'))?.number).toBe(1);
  });

  test('ten callers at once get ten accounts with ten names, and an eleventh is refused', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { db } = given.store;
    const ids = await Promise.all(
      Array.from({ length: MAX_ACCOUNTS }, () =>
        db.transaction().execute((executor) => add(user.id, 'crm', { executor })),
      ),
    );
    const accounts = await listAccounts(db, user.id, 'crm');
    expect(accounts.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(accounts.map(({ number }) => number)).toEqual(ids.map((_, index) => index + 1));
    expect(new Set(accounts.map(({ accountName }) => accountName)).size).toBe(MAX_ACCOUNTS);
    await expect(add(user.id)).rejects.toThrow(TooManyAccountsError);
    expect(await add(user.id, 'crm', { account: ids[3]! })).toBe(ids[3]);
  });

  test('a credential for an account that was removed meanwhile is another account', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const id = await connect(given.store, { userId: user.id, service: 'crm' });
    const second = await add(user.id);
    await deleteConnection(given.store.db, user.id, second);
    expect([id, second]).not.toContain(await add(user.id, 'crm', { account: second }));
  });

  test('a choice of a connection of another user or service replaces nothing there', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await sql`insert into users (id, partner_id, external_user_id, created_at)
      select 'other', partner_id, 'bob', 1 from users`.execute(given.store.db);
    const id = await connect(given.store, { userId: 'other', service: 'crm' });
    const elsewhere = await connect(given.store, { userId: user.id, service: 'drive' });
    for (const account of [id, elsewhere]) expect(await add(user.id, 'crm', { account })).not.toBe(account);
    expect((await findConnection(given.store.db, 'other', 'crm'))?.sealedCredential).toBeNull();
    expect((await findConnection(given.store.db, user.id, 'drive'))?.sealedCredential).toBeNull();
  });

  test('no two have the same name in any case, also when both are renamed at once', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const first = await connect(given.store, { userId: user.id, service: 'crm' });
    const second = await add(user.id);
    expect(await rename(user.id, first, 'Work')).toBe('renamed');
    expect(await rename(user.id, second, 'work')).toBe('taken');
    expect(await rename(user.id, second, 'Work')).toBe('taken');
    expect(await rename(user.id, first, 'work')).toBe('renamed');
    expect(await rename('someone-else', first, 'mine')).toBe('gone');
    expect(await rename(user.id, second, 'a"b')).toBe('gone');
    for (let round = 0; round < 10; round += 1) {
      const name = `name ${round}`;
      const answers = await Promise.all([first, second].map((id) => rename(user.id, id, name)));
      expect(answers.toSorted()).toEqual(['renamed', 'taken']);
    }
  });

  test.each([
    ['Work', 'Wоrk', 'taken'],
    ['Work', 'Ｗｏｒｋ', 'taken'],
    ['paypal', 'раураӏ', 'taken'],
    ['pаypal', 'paypаl', 'taken'],
    ['Account-l', 'account-1', 'taken'],
    ['OFFICE', '0ffice', 'taken'],
    ['modern', 'modem', 'taken'],
    ['оса', 'οϲα', 'taken'],
    ['рис', 'рпс', 'renamed'],
    ['José', 'Jose', 'renamed'],
    ['Grüße', 'Gruesse', 'renamed'],
    ['account-1', 'account-2', 'renamed'],
    ['東京', '東京2', 'renamed'],
    ['Мир', 'work', 'renamed'],
  ])('of accounts called %s and %s, the second is %s', async (one, other, answer) => {
    const { user } = await insertPartnerAndUser(given.store);
    const first = await connect(given.store, { userId: user.id, service: 'crm' });
    const second = await add(user.id);
    expect(await rename(user.id, second, 'free')).toBe('renamed');
    expect(await rename(user.id, first, one.normalize('NFC'))).toBe('renamed');
    expect(await rename(user.id, second, other.normalize('NFC'))).toBe(answer);
  });

  test('the lookup of a token finds them together, in the order of their numbers', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertAccessToken(given.store.db, tokenFor(user.id, { services: ['crm'] }));
    const ids = [];
    for (let number = 1; number <= MAX_ACCOUNTS; number += 1) ids.push(await add(user.id));
    await connect(given.store, { userId: user.id, service: 'crm-old' });
    await deleteConnection(given.store.db, user.id, ids.shift()!);
    const found = await given.store.findAccessToken('hash');
    expect([...(found?.connections.keys() ?? [])]).toEqual(['crm']);
    const first = found?.connections.get('crm');
    expect([first?.id, ...(first?.others ?? []).map(({ id }) => id)]).toEqual(ids);
    expect(first?.others?.at(-1)?.name).toBe('account-10');
  });

  test('what looks for a service finds all of its accounts', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const { db } = given.store;
    const refreshed = { hasRefreshToken: true };
    const [first, second] = [await add(user.id, 'crm', refreshed), await add(user.id, 'crm', refreshed)];
    await insertAccessToken(db, tokenFor(user.id));
    await deleteConnection(db, user.id, first);
    const found = await searchConnections(db, { service: 'crm' }, 10);
    expect(found.map(({ id, service }) => [id, service])).toEqual([[second, 'crm']]);
    await add(user.id, 'crm', refreshed);
    expect(await countConnections(db)).toEqual([{ service: 'crm', status: 'active', connections: 2 }]);
    expect((await countAccess(db, { service: 'crm' }, 15)).tokens).toBe(1);
    const idle = await listIdleConnections(db, { service: 'crm', idleSince: 9, now: 9, limit: 5 });
    expect(idle.map(({ service }) => service)).toEqual(['crm', 'crm']);
    expect(await listIdleConnections(db, { service: 'cr', idleSince: 9, now: 9, limit: 5 })).toEqual([]);
  });
});
