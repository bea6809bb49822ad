import { beforeEach, expect, test } from 'vitest';
import { hashSecret } from '../../../server/base/principal/secrets.ts';
import { ensureUser, findUserById } from '../../../server/base/store/repositories/users.ts';
import { errorCodeOf } from '../../../server/call/tools/results/errors.ts';
import { connect } from '../base/store/fixtures.ts';
import { describeUserPage } from '../modules/me/support.ts';

describeUserPage('a team of a partner', (given) => {
  let bob: string;
  const teams = (method: string, path: string, body?: unknown, as?: { id: string; secret: string }) =>
    given.api(method, `../teams${path}`, body, as);
  const expectDone = async (...request: Parameters<typeof teams>) => expect((await teams(...request)).status).toBe(204);
  const shareLibrary = (more = {}) => expectDone('PUT', '/sales/shares/library', { user_id: 'alice', ...more });
  const tokenOf = async (userId = bob, changes = {}) => (await given.allow('Claude', { userId, ...changes })).token;
  const outcomeOf = async (...call: Parameters<typeof given.call>) => {
    const { result } = (await given.call(...call)).body;
    return result.isError === true ? errorCodeOf(result) : 'ok';
  };
  const textOf = async (token: string, tool: string, args = {}) =>
    JSON.stringify((await given.call(token, tool, args)).body.result);

  beforeEach(async () => {
    const { partnerId } = (await findUserById(given.store.db, given.userId))!;
    const user = { partnerId, externalUserId: 'bob', now: given.now };
    bob = (await ensureUser(given.store.db, user)).id;
    await expectDone('PUT', '/sales', { name: 'Team Sales' });
    await expectDone('PUT', '/sales/members', { user_ids: ['alice', 'bob'] });
  });

  test('shows its account to a member as that of the team, for reading, until the next call after any end', async () => {
    const token = await tokenOf();
    expect(await outcomeOf(token, 'library_find')).toBe('not_connected');
    await shareLibrary();
    expect(await given.tools(token)).toContain('library_find');
    expect(await outcomeOf(token, 'library_find')).toBe('ok');
    const refusal = await textOf(token, 'library_lend');
    expect(refusal).toContain('Team Sales');
    expect(refusal).toContain('reading only');
    expect(refusal).not.toMatch(/alice|owner/);
    await shareLibrary({ read_only: false });
    expect(await outcomeOf(token, 'library_lend')).toBe('ok');
    const ends: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [() => expectDone('DELETE', '/sales/members/bob'), () => expectDone('PUT', '/sales/members/bob')],
      [() => expectDone('DELETE', '/sales/shares/library'), () => shareLibrary()],
      [
        () => given.api('DELETE', 'alice/connections/library'),
        () => connect(given.store, { userId: given.userId, service: 'library' }),
      ],
      [() => expectDone('DELETE', '/sales'), async () => {}],
    ];
    for (const [end, begin] of ends) {
      await end();
      expect(await outcomeOf(token, 'library_find')).toBe('not_connected');
      await begin();
      await teams('PUT', '/sales/shares/library', { user_id: 'alice' });
    }
  });

  test('reaches no grant that pins an account or leaves the service out', async () => {
    await connect(given.store, { userId: bob, service: 'library' });
    const { connections } = (await given.api('GET', 'bob/connections')).body;
    const pinned = await tokenOf(bob, { permission: JSON.stringify({ accounts: { library: connections[0].id } }) });
    const narrowed = await tokenOf(bob, { services: ['museum'] });
    await shareLibrary();
    expect(await outcomeOf(pinned, 'library_find')).toBe('ok');
    expect(await outcomeOf(pinned, 'library_find', { account: 'Team Sales' })).toBe('invalid_arguments');
    expect(await outcomeOf(narrowed, 'library_find')).toBe('not_allowed');
  });

  test('sends a member with a broken account to the partner, and offers no page to connect it', async () => {
    await shareLibrary();
    const token = await tokenOf();
    const { db } = given.store;
    await db.updateTable('partners').set({ connect_uri: 'https://acme.example/connect' }).execute();
    await db.updateTable('connections').set({ status: 'attention', account: 'alice@acme.example' }).execute();
    const text = await textOf(token, 'library_find');
    expect(text).toContain('connection_needs_attention');
    expect(text).toContain('ask Acme & Sons about the team');
    expect(text).not.toMatch(/alice|acme\.example/);
    const own = await tokenOf(given.userId);
    expect(await textOf(own, 'library_find')).toContain('acme.example/connect');
  });

  test('adds no user with a change that is refused', async () => {
    for (let index = 0; index < 19; index += 1) {
      await expectDone('PUT', `/t${index}`, { name: `Team ${index}` });
      await expectDone('PUT', `/t${index}/members`, { user_ids: ['bob'] });
    }
    await expectDone('PUT', '/one-more', { name: 'One more' });
    const { status, body } = await teams('PUT', '/one-more/members', { user_ids: ['carol', 'bob'] });
    expect([status, body.error_description]).toEqual([400, expect.stringContaining('Nothing was changed.')]);
    const { users } = (await given.api('GET', '../users')).body;
    expect(users.map(({ user_id }: { user_id: string }) => user_id).toSorted()).toEqual(['alice', 'bob']);
  });

  test('costs a user without teams no statement more', async () => {
    const { db } = given.store;
    const token = await tokenOf(given.other.userId);
    const found = await given.store.findAccessToken(hashSecret(db, token));
    expect(found?.connections.size).toBe(0);
    await shareLibrary();
    const rows = await db.selectFrom('users').select('id').where('in_teams', 'is', null).execute();
    expect(rows).toEqual([{ id: given.other.userId }]);
    const tokenOfMember = await tokenOf();
    await db.schema.alterTable('team_shares').renameTo('moved_shares').execute();
    expect((await given.store.findAccessToken(hashSecret(db, token)))?.userId).toBe(given.other.userId);
    await expect(given.store.findAccessToken(hashSecret(db, tokenOfMember))).rejects.toThrow('team_shares');
    await db.schema.alterTable('moved_shares').renameTo('team_shares').execute();
  });
});
