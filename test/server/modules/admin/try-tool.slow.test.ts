import { expect, test } from 'vitest';
import { setWritingStopped } from '../../../../server/base/store/repositories/switches.ts';
import { ensureUser, findUserById } from '../../../../server/base/store/repositories/users.ts';
import { describeUserPage, OPERATOR_SECRET, type UserPageUnderTest } from '../me/support.ts';
import { Visitor } from './support.ts';

async function tryAs(given: UserPageUnderTest, tool: string, fields: Record<string, string> = {}): Promise<string> {
  const operator = new Visitor(
    () => given.origin,
    () => {
      given.now += 1;
    },
  );
  await operator.signIn(OPERATOR_SECRET);
  const page = `/admin/tools/${tool}`;
  return (await operator.submit(page, page, { user: given.userId, sure: 'yes', ...fields })).text;
}

describeUserPage('a tool that an operator runs as a user', (given) => {
  test('writes, until all writing is stopped', async () => {
    expect(await tryAs(given, 'library_lend')).toContain('done');
    expect(given.writes).toBe(1);
    await given.store.db
      .transaction()
      .execute((transaction) => setWritingStopped(transaction, true, { now: given.now }));
    for (const fields of [{}, { do: 'show' }]) {
      expect(await tryAs(given, 'library_lend', fields)).toContain('writing_stopped');
    }
    expect(await tryAs(given, 'library_find')).toContain('done');
    expect(given.writes).toBe(1);
  });

  test('has the account that a team shares with the user', async () => {
    const { partnerId } = (await findUserById(given.store.db, given.userId))!;
    const bob = await ensureUser(given.store.db, { partnerId, externalUserId: 'bob', now: given.now });
    await given.api('PUT', '../teams/sales', { name: 'Team Sales' });
    await given.api('PUT', '../teams/sales/members', { user_ids: ['alice', 'bob'] });
    await given.api('PUT', '../teams/sales/shares/library', { user_id: 'alice' });
    expect(await tryAs(given, 'library_find', { user: bob.id })).toContain('done');
    expect(await tryAs(given, 'library_lend', { user: bob.id })).toContain('reading only');
  });
});

describeUserPage(
  'a tool that needs approval, which an operator runs as a user',
  (given) => {
    test('is not sent, and says that only a client can ask the user', async () => {
      const text = await tryAs(given, 'library_lend');
      expect(text).toContain('the user approves each call of library_lend');
      expect(text).toContain('awaiting_approval');
      expect(given.writes).toBe(0);
    });
  },
  { APPROVALS: 'write' },
);
