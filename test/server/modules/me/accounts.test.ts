import { expect, test } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../../../server/base/principal/permission.ts';
import { listAccounts, NEW_ACCOUNT, putConnection } from '../../../../server/base/store/repositories/connections.ts';
import { describeUserPage } from './support.ts';

describeUserPage('several accounts of a service on a user’s own page', (given) => {
  const add = (userId: string, service = 'library') =>
    putConnection(given.store.db, { userId, service, account: NEW_ACCOUNT, now: 5, seal: () => null });
  const names = async (service = 'library') =>
    (await listAccounts(given.store.db, given.userId, service)).map(({ accountName }) => accountName);
  const send = async (action: string, fields: readonly (readonly [string, string])[]) =>
    (await given.entered()).submit('/me', `/me/connections/library/${action}`, fields);

  test('one account has no name there, and no form to change it', async () => {
    const { text } = await (await given.entered()).get('/me');
    expect(text).toContain('<h3>Library</h3>');
    expect(text).not.toContain('Rename');
    expect(text).not.toContain('name="account"');
    expect((await send('remove', [])).headers.get('Location')).toBe('/me?done=removed');
    expect(await names()).toEqual([]);
  });

  test('each is listed by its name, renamed and removed alone', async () => {
    const { token } = await given.allow('Claude');
    const second = await add(given.userId);
    const [first] = await listAccounts(given.store.db, given.userId, 'library');
    const { text } = await (await given.entered()).get('/me');
    for (const name of ['account-1', 'account-2']) expect(text).toContain(`<h3>Library: ${name}</h3>`);
    const renamed = await send('rename', [
      ['account', second],
      ['name', ' Work '],
    ]);
    expect(renamed.headers.get('Location')).toBe('/me?done=renamed');
    expect(await names()).toEqual(['account-1', 'Work']);
    expect(await given.auditOf('connection_renamed')).toEqual([
      { user_id: given.userId, details: { service: 'library', by: 'user' }, address: '127.0.0.1' },
    ]);
    expect((await send('remove', [['account', first?.id ?? '']])).headers.get('Location')).toBe('/me?done=removed');
    expect(await names()).toEqual(['Work']);
    expect(await given.tools(token)).toContain('library_find');
    expect((await given.call(token, 'library_find')).body.result.isError ?? false).toBe(false);
  });

  test.each([
    ['no name', '', 'A name has 1 to 30 letters'],
    ['markup', '<b>x</b>', 'A name has 1 to 30 letters'],
    [
      'the name of another account',
      'ACCOUNT-1',
      'Another of your accounts of this service has this name, or one that looks like it.',
    ],
  ])('refuses %s', async (_, name, text) => {
    const second = await add(given.userId);
    const answer = await send('rename', [
      ['account', second],
      ['name', name],
    ]);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(text);
    expect(await names()).toEqual(['account-1', 'account-2']);
  });

  test('a form without the account, with that of another service or of another user, or of another session changes nothing', async () => {
    const second = await add(given.userId);
    await add(given.userId, 'archive');
    const [elsewhere] = await listAccounts(given.store.db, given.userId, 'archive');
    const others = await add(given.other.userId);
    for (const account of [undefined, elsewhere?.id ?? '', others, 'nothing']) {
      const field = account === undefined ? [] : [['account', account] as const];
      for (const action of ['remove', 'rename']) {
        expect((await send(action, [...field, ['name', 'Mine']])).status).toBe(404);
      }
    }
    const browser = await given.entered();
    const foreign = [
      ['csrf', 'made-up'],
      ['account', second],
      ['name', 'Mine'],
    ] as const;
    for (const action of ['remove', 'rename']) {
      expect((await browser.post(`/me/connections/library/${action}`, foreign)).status).toBe(403);
    }
    expect(await names()).toEqual(['account-1', 'account-2']);
    expect(await names('archive')).toEqual(['account-1', 'account-2']);
  });

  test('a client’s card and the partner API name the only account that it may use', async () => {
    const only = await add(given.userId);
    const permission = writePermission({ ...FULL_PERMISSION, accounts: { library: only } });
    await given.allow('Claude', { permission });
    const pinned = async () => (await given.api('GET', 'alice/grants')).body.grants[0].accounts;
    expect(await pinned()).toEqual({ library: 'account-2' });
    const browser = await given.entered();
    expect((await browser.get('/me')).text).toContain('Library: the account is always account-2');
    await send('remove', [['account', only]]);
    expect(await pinned()).toEqual({ library: null });
    expect((await browser.get('/me')).text).toContain('Library: the account is always one that you removed');
  });

  test('Reconnect names the account for the application', async () => {
    await given.store.db.updateTable('partners').set({ connect_uri: 'https://acme.example/c?x=1' }).execute();
    await add(given.userId);
    const { text } = await (await given.entered()).get('/me');
    expect(text).toContain('href="https://acme.example/c?x=1&amp;service=library&amp;account=account-2"');
    expect(text).toContain('href="https://acme.example/c?x=1&amp;service=archive"');
  });
});
