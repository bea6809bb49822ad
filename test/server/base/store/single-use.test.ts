import { expect, test } from 'vitest';
import {
  consumeSingleUseCode,
  insertSingleUseCode,
} from '../../../../server/base/store/repositories/single-use-codes.ts';
import { describeStore } from './dialects.ts';

const CODE = {
  codeHash: 'code',
  purpose: 'test',
  userId: null,
  payload: { grant: ['a', 1, null] },
  now: 0,
  expiresAt: 10,
};

describeStore('single-use codes', (given) => {
  test('gives the payload to the first use and nothing to the second', async () => {
    await insertSingleUseCode(given.store.db, CODE);
    const use = { codeHash: 'code', purpose: 'test', now: 5 };
    expect(await consumeSingleUseCode(given.store.db, use)).toEqual({
      userId: null,
      payload: { grant: ['a', 1, null] },
    });
    expect(await consumeSingleUseCode(given.store.db, use)).toBeUndefined();
  });

  test.each([
    ['an unknown code', { codeHash: 'other', purpose: 'test', now: 5 }],
    ['another purpose', { codeHash: 'code', purpose: 'other', now: 5 }],
    ['the moment of expiry', { codeHash: 'code', purpose: 'test', now: 10 }],
  ])('gives nothing for %s', async (_title, use) => {
    await insertSingleUseCode(given.store.db, CODE);
    expect(await consumeSingleUseCode(given.store.db, use)).toBeUndefined();
  });

  test('gives the payload to exactly one of a hundred concurrent uses', async () => {
    await insertSingleUseCode(given.store.db, CODE);
    const uses = Array.from({ length: 100 }, () =>
      consumeSingleUseCode(given.store.db, { codeHash: 'code', purpose: 'test', now: 5 }),
    );
    expect((await Promise.all(uses)).filter((code) => code !== undefined)).toHaveLength(1);
  });

  test('gives the payload to exactly one of a hundred concurrent uses in transactions', async () => {
    await insertSingleUseCode(given.store.db, CODE);
    const uses = Array.from({ length: 100 }, () =>
      given.store.db.transaction().execute(async (transaction) => {
        await transaction.selectFrom('single_use_codes').select('consumed_at').execute();
        return consumeSingleUseCode(transaction, { codeHash: 'code', purpose: 'test', now: 5 });
      }),
    );
    expect((await Promise.all(uses)).filter((code) => code !== undefined)).toHaveLength(1);
  });

  test('a rolled-back use leaves the code unused', async () => {
    await insertSingleUseCode(given.store.db, CODE);
    const use = { codeHash: 'code', purpose: 'test', now: 5 };
    const failing = given.store.db.transaction().execute(async (transaction) => {
      await consumeSingleUseCode(transaction, use);
      throw new Error('stop here');
    });
    await expect(failing).rejects.toThrow('stop here');
    expect(await consumeSingleUseCode(given.store.db, use)).toBeDefined();
  });
});
