import { beforeEach, expect, test } from 'vitest';
import { readPermission } from '../../../server/base/principal/permission.ts';
import { ensureUser, findUserById } from '../../../server/base/store/repositories/users.ts';
import { errorCodeOf } from '../../../server/call/tools/results/errors.ts';
import { connect } from '../base/store/fixtures.ts';
import { describeUserPage } from '../modules/me/support.ts';

describeUserPage('teams of a partner, over HTTP', (given) => {
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

  test('is created, renamed, filled and removed by idempotent calls, each with one audit event', async () => {
    await expectDone('PUT', '/sales', { name: 'Team Sales' });
    await expectDone('PUT', '/sales', { name: 'Sellers' });
    await expectDone('PUT', '/sales/members', { user_ids: ['alice', 'carol', 'carol'] });
    given.now += 1;
    await expectDone('PUT', '/sales/members/dave');
    await expectDone('DELETE', '/sales/members/alice');
    await shareLibrary();
    await shareLibrary();
    const { members } = (await teams('GET', '/sales/members?limit=1')).body;
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).toEqual(['dave']);
    const listed = (await teams('GET', '')).body.teams;
    expect(listed).toMatchObject([{ team_id: 'sales', name: 'Sellers', members: 2, shares: 1 }]);
    const shared = { service: 'library', user_id: 'alice', status: 'active', read_only: true };
    expect((await teams('GET', '/sales/shares')).body).toMatchObject({ team_id: 'sales', shares: [shared] });
    await expectDone('DELETE', '/sales/shares/library');
    expect((await teams('DELETE', '/sales/shares/library')).status).toBe(404);
    await expectDone('DELETE', '/sales');
    expect((await teams('GET', '/sales/shares')).status).toBe(404);
    for (const [type, times] of Object.entries({ team_changed: 2, team_removed: 1, connection_shared: 1 }))
      expect([type, (await given.auditOf(type)).length]).toEqual([type, times]);
    expect((await given.auditOf('team_member_added')).length).toBe(4);
    expect((await given.auditOf('connection_share_ended'))[0]!.details).toEqual({
      team: 'sales',
      service: 'library',
      by: 'partner',
    });
  });

  test('is one of several accounts of a member, which records and activity name', async () => {
    await connect(given.store, { userId: bob, service: 'library' });
    await shareLibrary();
    const token = await tokenOf();
    expect(await textOf(token, 'library_find')).toContain('\\"account-1\\", \\"Team Sales\\"');
    expect(await outcomeOf(token, 'library_find', { account: 'team sales' })).toBe('ok');
    expect(await outcomeOf(token, 'library_lend', { account: 'account-1' })).toBe('ok');
    expect(await outcomeOf(token, 'library_lend', { account: 'Team Sales' })).toBe('not_allowed');
    const { connections } = (await given.api('GET', 'alice/connections')).body;
    const library = connections.find(({ service }: { service: string }) => service === 'library');
    await expect
      .poll(async () => {
        const rows = await given.store.calls
          .selectFrom('call_records')
          .select(['user_id', 'connection_id', 'outcome'])
          .execute();
        return rows
          .filter((row) => row.connection_id === library.id && row.user_id === bob)
          .map((row) => row.outcome)
          .sort();
      })
      .toEqual(['ok']);
    expect(JSON.stringify((await given.api('GET', 'bob/activity')).body)).toContain('"Team Sales"');
  });

  test('can be the only account of a connection code, until that share ends', async () => {
    await connect(given.store, { userId: bob, service: 'library' });
    await shareLibrary();
    const body = { user_id: 'bob', accounts: { library: 'Team Sales' } };
    expect((await given.api('POST', '../../mcp/oauth/sessions', body)).status).toBe(200);
    const { payload } = await given.store.db.selectFrom('single_use_codes').selectAll().executeTakeFirstOrThrow();
    const { permission } = JSON.parse(payload);
    const token = await tokenOf(bob, { permission });
    expect(Object.keys(readPermission(permission).accounts)).toEqual(['library']);
    expect(await outcomeOf(token, 'library_find')).toBe('ok');
    await expectDone('DELETE', '/sales/shares/library');
    await shareLibrary();
    expect(await outcomeOf(token, 'library_find')).toBe('not_allowed');
  });

  test('is shared with, and left, on the own page of the owner, if the partner lets users share', async () => {
    const page = await given.entered();
    expect((await page.get('/me')).text).not.toContain('Share with');
    const { db } = given.store;
    await db.updateTable('partners').set({ owner_sharing: 1 }).execute();
    const { text } = await page.get('/me');
    const [, account = '', team = ''] =
      /name="account" value="([^"]+)"><input type="hidden" name="team" value="([^"]+)"/.exec(text) ?? [];
    expect(text).toContain('Share with');
    const fields = [
      ['account', account],
      ['team', team],
    ] as const;
    await page.submit('/me', '/me/connections/library/share', fields);
    const token = await tokenOf();
    const service = await db.selectFrom('team_shares').select(['service', 'id']).executeTakeFirstOrThrow();
    expect(await outcomeOf(token, `${service.service}_${service.service === 'library' ? 'find' : 'read'}`)).toBe('ok');
    given.now += 120_000;
    expect((await page.get('/me')).text).toMatch(/Shared with .*for reading.* Its members made \d+ calls? in 30 days/s);
    await page.submit('/me', `/me/shares/${service.id}/end`);
    expect(await db.selectFrom('team_shares').selectAll().execute()).toEqual([]);
    expect((await given.auditOf('connection_share_ended'))[0]!.details).toMatchObject({ by: 'user', team: 'sales' });
  });

  test('is out of reach of other partners, test mode, users who do not own the connection, and users outside it', async () => {
    const other = { id: 'other', secret: given.other.secret };
    expect((await teams('GET', '/sales/members', undefined, other)).status).toBe(404);
    expect((await teams('PUT', '/sales/members/alice', undefined, other)).status).toBe(404);
    expect((await teams('PUT', '/sales/shares/library', { user_id: 'alice' }, other)).status).toBe(404);
    await expectDone('PUT', '/sales', { name: 'Team Sales' }, other);
    await expectDone('PUT', '/sales/members', { user_ids: ['alice'] }, other);
    expect((await teams('PUT', '/sales/shares/library', { user_id: 'alice' }, other)).status).toBe(404);
    await shareLibrary();
    expect(await outcomeOf(await tokenOf(given.other.userId), 'library_find')).toBe('not_connected');
    expect((await teams('PUT', '/sales/shares/library', { user_id: 'bob' })).status).toBe(404);
    const { db } = given.store;
    await db.updateTable('partners').set({ owner_sharing: 1 }).execute();
    const share = await db.selectFrom('team_shares').selectAll().executeTakeFirstOrThrow();
    const outsider = await tokenOf(
      (await ensureUser(db, { partnerId: (await findUserById(db, bob))!.partnerId, externalUserId: 'eve', now: 1 })).id,
    );
    expect(await outcomeOf(outsider, 'library_find')).toBe('not_connected');
    const link = (await given.api('POST', 'bob/links')).body.url.slice(given.origin.length);
    const page = given.browser();
    await page.enter(link);
    const fields = [
      ['account', share.connection_id],
      ['team', share.team_id],
    ] as const;
    expect((await page.submit('/me', '/me/connections/library/share', fields)).status).toBe(404);
    expect((await page.submit('/me', `/me/shares/${share.id}/end`)).status).toBe(404);
    expect((await page.get('/me')).text).toContain('Team Sales');
    expect((await page.get('/me')).text).not.toContain('alice');
  });

  test('has names that do not look alike, and bounded lists', async () => {
    expect((await teams('PUT', '/sales2', { name: 'team sales' })).status).toBe(400);
    expect((await teams('PUT', '/sales2', { name: 'a@b.example' })).status).toBe(400);
    expect((await teams('PUT', '/..%2Fusers', { name: 'Users' })).status).toBe(400);
    const many = Array.from({ length: 1001 }, (_, index) => `u${index}`);
    expect((await teams('PUT', '/sales/members', { user_ids: many })).status).toBe(400);
  });
});
