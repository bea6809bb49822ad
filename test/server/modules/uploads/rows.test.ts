import { expect, test } from 'vitest';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { insertUpload, sumUploadBytes } from '../../../../server/modules/uploads/rows.ts';
import { plansOf } from '../../../support/query-plans.ts';
import { describeStore } from '../../base/store/dialects.ts';

describeStore('the bytes of uploads', (given) => {
  test.each([
    ['all users', undefined, 'uploads_by_expiry'],
    ['one user', 'user', 'uploads_by_user'],
  ])('of %s are summed in an index, without reading the files', async (_, userId, index) => {
    const plans = await plansOf(given.store, (db) => sumUploadBytes(db, 1, userId));
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans)
      expect(plan).toContain(given.store.dialect === 'sqlite' ? `COVERING INDEX ${index}` : 'uploads');
  });
});

describeStore('the uploads of a user', (given) => {
  test('are no more than allowed, however many are asked for at the same time', async () => {
    const { db } = given.store;
    const partner = await insertPartner(db, { clientId: 'acme', name: 'Acme', now: 1 });
    const user = await ensureUser(db, { partnerId: partner.id, externalUserId: 'ada', now: 1 });
    const row = { user_id: user.id, grant_id: null, request: 'sealed', expires_at: 9 };
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        insertUpload(db, { ...row, id: `id ${index}`, address: `address ${index}` }, { maxUploads: 5, now: 1 }),
      ),
    );
    expect(added.filter(Boolean)).toHaveLength(5);
  });
});
