import { expect, test } from 'vitest';
import { findPartner } from '../../../server/base/store/repositories/partners.ts';
import { countUsers } from '../../../server/base/store/repositories/users.ts';
import { removePartner } from '../../../server/identity/partners/lifecycle.ts';
import { describeStore } from '../base/store/dialects.ts';
import { connect, insertPartnerAndUser } from '../base/store/fixtures.ts';

const USERS = 300;

describeStore('the removal of a partner', (given) => {
  const fill = async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    const rows = Array.from({ length: USERS }, (_, index) => ({
      id: `user-${index}`,
      partner_id: partner.id,
      external_user_id: `user-${index}`,
      created_at: 1,
    }));
    await given.store.db.insertInto('users').values(rows).execute();
    for (const { id } of rows.slice(0, 5)) await connect(given.store, { userId: id, service: 'crm' });
    return partner.id;
  };

  test('stops after its limit of users, and is continued by another call', async () => {
    const id = await fill();
    const { db } = given.store;
    expect(await removePartner(db, id, { now: 7 }, { maxUsers: 120 })).toEqual({ removed: 120, left: USERS + 1 - 120 });
    expect(await findPartner(db, id)).toMatchObject({ suspendedAt: 7 });
    expect(await removePartner(db, id, { now: 8 })).toEqual({ removed: USERS + 1 - 120, left: 0 });
    expect(await findPartner(db, id)).toBeUndefined();
    expect(await db.selectFrom('connections').selectAll().execute()).toEqual([]);
    expect(await removePartner(db, id, { now: 9 })).toBeNull();
  });

  test('yields to other requests', async () => {
    const id = await fill();
    const removing = removePartner(given.store.db, id, { now: 7 });
    const counts: number[] = [];
    const looking = setInterval(async () => counts.push(await countUsers(given.store.db, id)), 0);
    await removing;
    clearInterval(looking);
    expect(counts.some((count) => count > 0 && count <= USERS)).toBe(true);
  });

  test('by two concurrent callers removes each user once', async () => {
    const id = await fill();
    const removals = await Promise.all([1, 2].map((now) => removePartner(given.store.db, id, { now })));
    expect(removals.filter((removal) => removal?.left === 0)).toHaveLength(1);
    expect(await countUsers(given.store.db, id)).toBe(0);
  });
});
