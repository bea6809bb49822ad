import { afterEach, expect, test } from 'vitest';
import { requirePrincipal } from '../../server/base/http/authenticate.ts';
import { FULL_PERMISSION, readPermission, writePermission } from '../../server/base/principal/permission.ts';
import { namesOfAccounts, type Principal } from '../../server/base/principal/principal.ts';
import { hashSecret } from '../../server/base/principal/secrets.ts';
import { insertAccessToken } from '../../server/base/store/repositories/access-tokens.ts';
import {
  deleteConnection,
  listAccounts,
  NEW_ACCOUNT,
  putConnection,
  renameAccount,
} from '../../server/base/store/repositories/connections.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { describeStore } from '../server/base/store/dialects.ts';
import { connect, insertPartnerAndUser, tokenFor } from '../server/base/store/fixtures.ts';
import { type ApprovalsUnderTest, startApprovals } from '../server/call/tools/call/approve/support.ts';
import { ADD, type OnceUnderTest, startOnce } from '../server/call/tools/call/once/support.ts';
import { errorOf } from '../server/call/tools/support.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const RESOURCE = tokenFor('').resource;

describeStore('a client of a user with two accounts of a service', (given) => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const { close } of open.splice(0)) await close();
  });
  const keep = <Started extends ApprovalsUnderTest | OnceUnderTest>(started: Started): Started => {
    open.push(started);
    return started;
  };
  const add = (userId: string) =>
    putConnection(given.store.db, {
      ...{ userId, service: 'library', account: NEW_ACCOUNT, now: 1 },
      seal: () => null,
    });

  /** As the endpoint finds the user now. */
  async function accountsOf(userId: string): Promise<Partial<Principal>> {
    const [first, ...others] = (await listAccounts(given.store.db, userId, 'library')).map(
      ({ id, status, sealedCredential, updatedAt, accountName }) => ({
        ...{ id, status, sealedCredential, updatedAt },
        name: accountName ?? '',
      }),
    );
    const connections = new Map([['library', { ...first!, others }]]);
    return { connections, accounts: namesOfAccounts(connections) };
  }

  test('cannot use the approval of a call for the same call with another account', async () => {
    const calls = keep(await startApprovals(given.store));
    await add(calls.principal.userId);
    const principal = await accountsOf(calls.principal.userId);
    const burn = (account: string) => calls.outcome({ id: '1', account }, { principal });
    expect(await burn('account-1')).toBe('awaiting_approval');
    const [row] = await calls.waiting();
    expect(row?.connectionId).toBe(principal.connections?.get('library')?.id);
    await calls.approveAll();
    expect(await burn('account-2')).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
    expect(await burn('account-1')).toBe('ok');
    expect(calls.writes()).toBe(1);
    expect(await burn('account-1')).toBe('awaiting_approval');
  });

  test('cannot use it by swapping the names of the accounts after it was given', async () => {
    const calls = keep(await startApprovals(given.store));
    const { userId } = calls.principal;
    const second = await add(userId);
    const before = await accountsOf(userId);
    expect(await calls.outcome({ id: '1', account: 'account-1' }, { principal: before })).toBe('awaiting_approval');
    await calls.approveAll();
    const first = before.connections?.get('library')?.id ?? '';
    for (const [id, name] of [
      [first, 'spare'],
      [second, 'account-1'],
      [first, 'account-2'],
    ] as const)
      await given.store.db.transaction().execute((transaction) => renameAccount(transaction, { userId, id, name }));
    const principal = await accountsOf(userId);
    expect(await calls.outcome({ id: '1', account: 'account-1' }, { principal })).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
    expect(await calls.outcome({ id: '1', account: 'account-2' }, { principal })).toBe('ok');
  });

  test('cannot use it for an account that took the place of the one that was removed', async () => {
    const calls = keep(await startApprovals(given.store));
    const { userId } = calls.principal;
    const second = await add(userId);
    await calls.outcome({ id: '1', account: 'account-2' }, { principal: await accountsOf(userId) });
    await calls.approveAll();
    await deleteConnection(given.store.db, userId, second);
    await add(userId);
    const principal = await accountsOf(userId);
    expect(await calls.outcome({ id: '1', account: 'account-2' }, { principal })).toBe('awaiting_approval');
    expect(calls.writes()).toBe(0);
  });

  test('cannot read the answer of a key with another account, and the key stays usable for its own', async () => {
    const calls = keep(await startOnce(given.store, (_, response) => response.writeHead(200, JSON_TYPE).end('{}')));
    await add(calls.principal.userId);
    const principal = await accountsOf(calls.principal.userId);
    const book = (account: string) => calls.add('key', { title: 'x', account }, { tool: ADD, principal });
    const first = await book('account-1');
    expect(first.isError).toBeUndefined();
    expect(errorOf(await book('account-2')).code).toBe('idempotency_key_reused');
    expect(await book('account-1')).toEqual(first);
    expect(calls.hits()).toBe(1);
  });

  test('cannot reach past the account that its grant pins, or the next user, by any name', async () => {
    const { user, partner } = await insertPartnerAndUser(given.store);
    const { db } = given.store;
    const first = await connect(given.store, { userId: user.id, service: 'library' });
    const second = await add(user.id);
    const permission = writePermission({ ...FULL_PERMISSION, accounts: { library: second } });
    const token = { scopes: ['tools:read'] as const, services: null, resource: RESOURCE, now: 1, expiresAt: 1e15 };
    const grantId = await insertGrant(db, { ...token, userId: user.id, clientId: null, permission });
    await insertAccessToken(db, { ...token, userId: user.id, tokenHash: hashSecret(db, 'secret'), grantId });
    const find = requirePrincipal({
      ...{ store: given.store, resource: RESOURCE },
      challenges: () => {
        throw new Error('the token is valid');
      },
    });
    const principal = await find('Bearer secret', '', '');
    expect([...principal.connections]).toEqual([
      ['library', { id: second, status: 'active', sealedCredential: null, updatedAt: 1, name: 'account-2' }],
    ]);
    expect(principal.accounts).toBeNull();
    await deleteConnection(db, user.id, second);
    await add(user.id);
    expect([...(await find('Bearer secret', '', '')).connections.keys()]).toEqual([]);
    await db.updateTable('oauth_grants').set({ permission: null }).where('id', '=', grantId).execute();
    const whole = await find('Bearer secret', '', '');
    expect(whole.connections.get('library')).toMatchObject({ id: first, others: [{ name: 'account-2' }] });
    expect(whole.accounts).toEqual(new Map([['library', ['account-1', 'account-2']]]));
    expect(partner.id).toBe(whole.partnerId);
  });

  test('gets nothing from a pin that this version cannot read', () => {
    expect(() => readPermission('{"accounts":{"library":7}}')).toThrow();
  });
});
