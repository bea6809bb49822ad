import { beforeEach, expect, test, vi } from 'vitest';
import { describeUserPage } from '../modules/me/support.ts';

vi.setConfig({ testTimeout: 60_000 });

describeUserPage('changes of teams at the same time', (given) => {
  const teams = async (method: string, path: string, body?: unknown) =>
    (await given.api(method, `../teams${path}`, body)).status;

  beforeEach(async () => {
    await teams('PUT', '/sales', { name: 'Team Sales' });
    await teams('PUT', '/sales/members', { user_ids: ['alice', 'bob'] });
  });

  test('end each share that began with an event, whichever comes first', async () => {
    const { db } = given.store;
    for (let turn = 0; turn < 8; turn += 1) {
      await teams('PUT', '/sales', { name: 'Team Sales' });
      const answers = await Promise.all([
        teams('PUT', '/sales/shares/library', { user_id: 'alice' }),
        teams('DELETE', '/sales'),
        teams('PUT', '/sales/shares/archive', { user_id: 'alice' }),
        teams('PUT', '/sales/members/carol'),
        teams('DELETE', '/sales/members/bob'),
      ]);
      expect(answers.every((status) => [204, 404].includes(status))).toBe(true);
      await teams('DELETE', '/sales');
    }
    expect(await db.selectFrom('team_shares').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('users').select('id').where('in_teams', 'is not', null).execute()).toEqual([]);
    const began = await given.auditOf('connection_shared');
    const ended = await given.auditOf('connection_share_ended');
    expect(ended.length).toBe(began.length);
  });

  test('keep a user in at most 20 teams', async () => {
    for (let index = 0; index < 25; index += 1)
      await teams('PUT', `/t${index}`, { name: `Group ${'abcdefghijkmnopqrstuvwxyz'[index]}` });
    const statuses = await Promise.all(
      Array.from({ length: 25 }, (_, index) => teams('PUT', `/t${index}/members/dora`)),
    );
    expect(statuses.filter((status) => status === 204)).toHaveLength(20);
    const rows = await given.store.db
      .selectFrom('team_members')
      .innerJoin('users', 'users.id', 'team_members.user_id')
      .select('team_members.id')
      .where('external_user_id', '=', 'dora')
      .execute();
    expect(rows).toHaveLength(20);
  });
});
