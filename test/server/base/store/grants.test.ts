import { expect, test } from 'vitest';
import { listAccess, listLiveGrants } from '../../../../server/base/store/repositories/live-access.ts';
import { findGrant, listUserGrants } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { describeTables } from '../../../../server/base/store/tables/describe.ts';
import { describeStore } from './dialects.ts';
import { insertPartnerAndUser } from './fixtures.ts';

describeStore('every reading of a grant', (given) => {
  test('has every column of the table', async () => {
    const { db } = given.store;
    const { user } = await insertPartnerAndUser(given.store);
    const tables = await describeTables(db, given.dialect);
    const { columns } = tables.find(({ name }) => name === 'oauth_grants')!;
    const set = { user_id: user.id, client_id: null, revoked_at: null, permission: null };
    const cells = columns.map(({ name, type }, index) => [name, type === 'text' ? `${name} set` : 1_000 + index]);
    await db
      .insertInto('oauth_grants')
      .values({ ...Object.fromEntries(cells), ...set })
      .execute();
    const names = columns.map(({ name }) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
    const now = 1;
    const grant = await findGrant(db, 'id set');
    expect(grant).toMatchObject({
      scopes: ['scopes', 'set'],
      services: ['services set'],
      redirectUri: 'redirect_uri set',
    });
    expect(Object.keys(grant!)).toEqual(expect.arrayContaining(names));
    for (const reading of [
      await listUserGrants(db, user.id, 10),
      await listLiveGrants(db, { userId: user.id, now }, 10),
      await listAccess(db, 'grants', { selection: { userId: user.id }, now, limit: 10 }),
    ])
      expect(reading).toMatchObject([{ ...grant, expiresAt: expect.any(Number) }]);
  });
});
