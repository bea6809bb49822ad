import { beforeEach, describe, expect, test } from 'vitest';
import { findPartner } from '../../../../server/base/store/repositories/partners.ts';
import { countUsers } from '../../../../server/base/store/repositories/users.ts';
import { givenDashboard, type Visitor } from './support.ts';

const MAX_USERS_PER_REQUEST = 1000;

const given = givenDashboard();
let operator: Visitor;
beforeEach(async () => {
  await given.start();
  operator = await given.operator();
});

describe('a partner with thousands of users', () => {
  test('is suspended first, and removed over several requests', { timeout: 60_000 }, async () => {
    const { db } = given.store;
    const row = (index: number) => ({
      id: `user-${index}`,
      partner_id: given.partnerId,
      external_user_id: `user-${index}`,
      created_at: given.now,
    });
    const more = 2 * MAX_USERS_PER_REQUEST;
    for (let first = 0; first < more; first += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => row(first + index));
      await db.insertInto('users').values(rows).execute();
    }
    const path = `/admin/partners/${given.partnerId}`;
    const remove = async () => {
      const { headers } = await operator.confirm(path, `${path}/remove`);
      return [headers.get('location'), await countUsers(db, given.partnerId)];
    };
    expect(await remove()).toEqual([`${path}?done=begun`, 1 + MAX_USERS_PER_REQUEST]);
    expect(await findPartner(db, given.partnerId)).toMatchObject({ suspendedAt: given.now });
    expect((await operator.get(`${path}?done=begun`)).text).toContain('Remove it again to continue');
    expect(await remove()).toEqual([`${path}?done=begun`, 1]);
    expect(await remove()).toEqual(['/admin/partners?done=removed', 0]);
    const events = await db
      .selectFrom('audit_events')
      .select(['type', 'details'])
      .where('type', 'like', 'partner_remov%')
      .orderBy('created_at')
      .execute();
    expect(events.map(({ type, details }) => [type, JSON.parse(details).users])).toEqual([
      ['partner_removal_begun', MAX_USERS_PER_REQUEST],
      ['partner_removal_begun', MAX_USERS_PER_REQUEST],
      ['partner_removed', 1],
    ]);
  });
});
