import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { isForeignKeyViolation, isUniqueViolation } from '../../../../server/base/store/conflicts.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import {
  findPartnerByClientId,
  insertPartner,
  listPartners,
  updatePartner,
} from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser, findUser } from '../../../../server/base/store/repositories/users.ts';
import { describePostgres, describeStore } from './dialects.ts';
import { insertPartnerAndUser, tokenFor } from './fixtures.ts';

describeStore('transactions', (given) => {
  test('a transaction that throws is rolled back, and the store still works', async () => {
    const failing = given.store.db.transaction().execute(async (transaction) => {
      await insertPartner(transaction, { clientId: 'gone', name: 'Gone', now: 1 });
      throw new Error('stop here');
    });
    await expect(failing).rejects.toThrow('stop here');
    expect(await listPartners(given.store.db, 10)).toEqual([]);
    await insertPartner(given.store.db, { clientId: 'kept', name: 'Kept', now: 1 });
    expect(await listPartners(given.store.db, 10)).toHaveLength(1);
  });

  test('a transaction whose statement fails is rolled back, and the store still works', async () => {
    await insertPartner(given.store.db, { clientId: 'taken', name: 'First', now: 1 });
    const failing = given.store.db.transaction().execute(async (transaction) => {
      await insertPartner(transaction, { clientId: 'gone', name: 'Gone', now: 1 });
      await insertPartner(transaction, { clientId: 'taken', name: 'Second', now: 1 });
    });
    await expect(failing).rejects.toSatisfy(isUniqueViolation);
    expect((await listPartners(given.store.db, 10)).map((partner) => partner.name)).toEqual(['First']);
  });

  test('transactions that lock the same rows in opposite order both commit', async () => {
    const names = ['first', 'second'];
    for (const clientId of names) await insertPartner(given.store.db, { clientId, name: 'before', now: 1 });
    let attempts = 0;
    const bothHoldOne = Promise.withResolvers<void>();
    const rename = (order: readonly string[]) =>
      given.store.db.transaction().execute(async (transaction) => {
        for (const clientId of order) {
          const { id } = (await findPartnerByClientId(transaction, clientId))!;
          await updatePartner(transaction, id, { name: `after ${order.join()}` });
          attempts += clientId === order[0] ? 1 : 0;
          if (attempts === 2) bothHoldOne.resolve();
          if (given.dialect === 'postgres') await bothHoldOne.promise;
        }
      });
    await Promise.all([rename(names), rename(names.toReversed())]);
    const [first, second] = await listPartners(given.store.db, 10);
    expect(first?.name).toMatch(/^after /);
    expect(second?.name).toBe(first?.name);
    expect(attempts).toBe(given.dialect === 'postgres' ? 3 : 2);
  });

  test('a row of a removed user is a foreign key violation', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await expect(insertAccessToken(given.store.db, tokenFor('nobody'))).rejects.toSatisfy(isForeignKeyViolation);
    const { partnerId, externalUserId } = user;
    const same = { id: 'same', partner_id: partnerId, external_user_id: externalUserId, created_at: 1 };
    const again = given.store.db.insertInto('users').values(same).execute();
    await expect(again).rejects.not.toSatisfy(isForeignKeyViolation);
  });

  test('the token lookup does not see uncommitted rows', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await given.store.db
      .transaction()
      .execute(async (transaction) => {
        await transaction
          .insertInto('access_tokens')
          .values({
            id: 'id',
            token_hash: 'early',
            user_id: user.id,
            scopes: '',
            services: null,
            resource: '',
            created_at: 1,
            expires_at: 2,
            revoked_at: null,
          })
          .execute();
        expect(await given.store.findAccessToken('early')).toBeUndefined();
        throw new Error('stop here');
      })
      .catch((error: Error) => expect(error.message).toBe('stop here'));
  });
});

describeStore('values', (given) => {
  test('a text with NUL is refused before it is sent, and the transaction can continue', async () => {
    await expect(insertPartner(given.store.db, { clientId: 'a\0b', name: 'x', now: 1 })).rejects.toThrow(
      'holds a NUL character',
    );
    await given.store.db.transaction().execute(async (transaction) => {
      await expect(insertPartner(transaction, { clientId: 'a\0b', name: 'x', now: 1 })).rejects.toThrow(
        'holds a NUL character',
      );
      await insertPartner(transaction, { clientId: 'kept', name: 'x', now: 1 });
    });
    expect((await listPartners(given.store.db, 10)).map((partner) => partner.clientId)).toEqual(['kept']);
  });

  test('a time in milliseconds is read as the number that was written', async () => {
    const now = Date.UTC(2286, 10, 20, 17, 46, 39, 999);
    const partner = await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now });
    const user = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'u', now });
    expect(user.createdAt).toBe(now);
  });

  test('any other text is read as it was written', async () => {
    const externalUserId = ' a\'b"c\\d%_ \u{1f600} \u0001 é e\u0301 ';
    const { partner } = await insertPartnerAndUser(given.store);
    const user = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId, now: 3 });
    expect(await findUser(given.store.db, { partnerId: partner.id, externalUserId })).toEqual(user);
    expect(user.externalUserId).toBe(externalUserId);
  });
});

describePostgres('a statement that PostgreSQL aborts because of another', (given) => {
  beforeEach(async () => {
    const { user } = await insertPartnerAndUser(given.store);
    await insertAccessToken(given.store.db, tokenFor(user.id));
    for (const statement of [
      sql`create sequence attempts`,
      sql`create function survives() returns boolean language plpgsql as $$ begin
            if nextval('attempts') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
            return true;
          end $$`,
      sql`alter table users rename to those`,
      sql`create view users as select * from those where survives()`,
    ])
      await statement.execute(given.store.db);
  });

  test('is repeated outside a transaction', async () => {
    expect(await given.store.db.selectFrom('users').select('external_user_id').execute()).toEqual([
      { external_user_id: 'alice' },
    ]);
  });

  test('is repeated if it looks up a token', async () => {
    expect(await given.store.findAccessToken('hash')).toMatchObject({ externalUserId: 'alice' });
  });

  test('has its whole transaction repeated', async () => {
    let begun = 0;
    const read = given.store.db.transaction().execute((transaction) => {
      begun += 1;
      return transaction.selectFrom('users').select('id').execute();
    });
    expect(await read).toHaveLength(1);
    expect(begun).toBe(2);
  });
});
