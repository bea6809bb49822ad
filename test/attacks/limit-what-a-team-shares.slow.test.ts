import { beforeEach, expect, test, vi } from 'vitest';
import { ensureUser, findUserById } from '../../server/base/store/repositories/users.ts';
import { errorCodeOf } from '../../server/call/tools/results/errors.ts';
import { connect } from '../server/base/store/fixtures.ts';
import { describeUserPage } from '../server/modules/me/support.ts';

vi.setConfig({ testTimeout: 60_000 });

describeUserPage('limits of a member of a team', (given) => {
  let bob: string;
  const expectDone = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await given.api(method, path, body);
    expect([path, status < 300 ? 'done' : text]).toEqual([path, 'done']);
  };
  const teams = (method: string, path: string, body?: unknown) => expectDone(method, `../teams${path}`, body);
  const share = (more = {}) => teams('PUT', '/sales/shares/library', { user_id: 'alice', read_only: false, ...more });
  const tokenOf = async (changes = {}) => (await given.allow('Claude', { userId: bob, ...changes })).token;
  const call = async (token: string, tool: string, args = {}) => (await given.call(token, tool, args)).body.result;
  const outcomeOf = async (...request: Parameters<typeof call>) => {
    const result = await call(...request);
    if (result === undefined) return 'refused';
    return result.isError === true ? errorCodeOf(result) : 'ok';
  };

  beforeEach(async () => {
    const { partnerId } = (await findUserById(given.store.db, given.userId))!;
    bob = (await ensureUser(given.store.db, { partnerId, externalUserId: 'bob', now: given.now })).id;
    await teams('PUT', '/sales', { name: 'Team Sales' });
    await teams('PUT', '/sales/members', { user_ids: ['alice', 'bob'] });
    await share();
  });

  test('are those of an allowance, which names the account of a team by its name and never by its owner', async () => {
    await connect(given.store, { userId: bob, service: 'library' });
    const { db } = given.store;
    await db
      .updateTable('connections')
      .set({ account: 'alice@acme.example' })
      .where('user_id', '=', given.userId)
      .execute();
    const token = await tokenOf();
    const allow = (allows: unknown[]) => expectDone('PUT', 'bob/allowance', { allows });
    await allow([{ accounts: { library: ['Team Sales'] } }]);
    expect(await outcomeOf(token, 'library_find', { account: 'Team Sales' })).toBe('ok');
    expect(await outcomeOf(token, 'library_find', { account: 'account-1' })).toBe('invalid_arguments');
    await allow([{ accounts: { library: ['alice@acme.example'] } }]);
    expect(await outcomeOf(token, 'library_find', { account: 'Team Sales' })).toBe('not_allowed');
    await allow([{ effects: ['reads'] }]);
    expect(await outcomeOf(token, 'library_lend', { account: 'Team Sales' })).toBe('not_allowed');
    await allow([
      { effects: ['reads'] },
      { effects: ['reads', 'writes', 'destroys'], accounts: { library: ['account-1'] } },
    ]);
    expect(await outcomeOf(token, 'library_lend', { account: 'account-1' })).toBe('ok');
    expect(await outcomeOf(token, 'library_find', { account: 'Team Sales' })).toBe('ok');
    const writes = given.writes;
    const batch = { account: 'Team Sales', id: '1', also: ['2'], count: 2 };
    expect(JSON.stringify(await call(token, 'library_burn', batch))).toContain('not_allowed');
    expect(given.writes).toBe(writes);
    await allow([]);
    expect(await outcomeOf(token, 'library_find', { account: 'Team Sales' })).toBe('not_allowed');
  });

  test('count each item of a batch with the account of a team for the member, not for its owner', async () => {
    await expectDone('PUT', '../call-limits', { rules: ['tool:library_burn 3/day/user', 'destroy 5/day/partner'] });
    const token = await tokenOf();
    const burn = (ids: string[]) => call(token, 'library_burn', { id: ids[0], also: ids.slice(1), count: ids.length });
    expect((await burn(['1', '2'])).isError).not.toBe(true);
    expect(JSON.stringify(await burn(['3', '4']))).toContain('call_limit_reached');
    expect(given.writes).toBe(3);
    const { token: owner } = await given.allow('Claude');
    expect(await outcomeOf(owner, 'library_burn', { id: '5' })).toBe('ok');
    const { call_limits: _, ...rest } = (await given.api('GET', '../call-limits')).body;
    expect(JSON.stringify(rest)).toContain('destroy 5/day/partner');
    const rows = await given.store.db.selectFrom('rule_counts').select(['user_id', 'calls']).orderBy('calls').execute();
    expect(rows.map(({ user_id, calls }) => [user_id, Number(calls)])).toEqual([
      [given.userId, 1],
      [bob, 3],
      [null, 4],
    ]);
    given.now = Date.UTC(2030, 0, 15, 23, 59, 59, 999);
    expect(await outcomeOf(token, 'library_burn', { id: '6' })).toBe('call_limit_reached');
    given.now += 1;
    expect(await outcomeOf(token, 'library_burn', { id: '6' })).toBe('ok');
  });

  test('are those of a grant that was frozen or narrowed before the share', async () => {
    const frozen = await tokenOf({ permission: JSON.stringify({ only: ['library_find'] }) });
    const { token: narrowed, grantId } = await given.allow('Claude', { userId: bob });
    await expectDone('PATCH', `bob/grants/${grantId}`, { without: ['library_find'], read_only: true });
    expect(await outcomeOf(frozen, 'library_find')).toBe('ok');
    const refused = [];
    for (const token of [frozen, narrowed]) refused.push(await outcomeOf(token, 'library_lend'));
    refused.push(await outcomeOf(narrowed, 'library_find'));
    expect(refused).toEqual(['not_allowed', 'refused', 'not_allowed']);
    expect(given.writes).toBe(0);
  });

  test('let a team be filled and emptied with 1,000 members again and again', async () => {
    const namesOf = (prefix: string) => Array.from({ length: 1000 }, (_, index) => `${prefix}${index}`);
    for (const prefix of ['a', 'b', 'a']) {
      await teams('PUT', '/sales/members', { user_ids: namesOf(prefix) });
      const listed = (await given.api('GET', '../teams')).body.teams;
      expect(listed).toMatchObject([{ members: 1000 }]);
    }
    const inTeams = await given.store.db.selectFrom('users').select('id').where('in_teams', '=', 1).execute();
    expect(inTeams).toHaveLength(1000);
    await teams('PUT', '/sales/members', { user_ids: [] });
  });
});
