import { expect, test } from 'vitest';
import { insertPartner, listPartners } from '../../../../server/base/store/repositories/partners.ts';
import { insertSingleUseCode } from '../../../../server/base/store/repositories/single-use-codes.ts';
import { describeStore, emptyDatabase } from './dialects.ts';
import { runElsewhere } from './spawn.ts';
import { createEmptyDatabase } from './sqlite-database.ts';

const CODE = {
  codeHash: 'code',
  purpose: 'test',
  userId: null,
  payload: { grant: ['a', 1, null] },
  now: 0,
  expiresAt: 10,
};

describeStore('several processes', (given) => {
  test('get the payload of a single-use code exactly once', async () => {
    await insertSingleUseCode(given.store.db, CODE);
    const winners = await Promise.all([1, 2, 3].map(() => runElsewhere(given.url, 'consume', 'code')));
    expect(winners.toSorted()).toEqual([0, 0, 1]);
  });

  test('that start concurrently on an empty database migrate it once', async () => {
    await emptyDatabase(given);
    await runElsewhere(given.url, 'open');
    const tables = await given.store.db.introspection.getTables({ withInternalKyselyTables: true });
    await emptyDatabase(given);
    const opened = await Promise.all(Array.from({ length: 4 }, () => runElsewhere(given.url, 'open')));
    expect(opened).toEqual([1, 1, 1, 1]);
    expect(await given.store.db.introspection.getTables({ withInternalKyselyTables: true })).toEqual(tables);
  });

  test('commit all of their read-then-write transactions', async () => {
    const elsewhere = Promise.all([
      runElsewhere(given.url, 'transact', 'second'),
      runElsewhere(given.url, 'transact', 'third'),
    ]);
    for (let round = 0; round < 100; round += 1) {
      await given.store.db.transaction().execute(async (transaction) => {
        await transaction.selectFrom('partners').select('id').execute();
        await insertPartner(transaction, { clientId: `first-${round}`, name: 'first', now: round });
      });
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(await elsewhere).toEqual([100, 100]);
    expect(await listPartners(given.store.db, 1000)).toHaveLength(300);
  });
});

test('several processes that start concurrently on a missing SQLite file create it once', async () => {
  const database = await createEmptyDatabase();
  const opened = await Promise.all(Array.from({ length: 4 }, () => runElsewhere(database.url, 'open')));
  expect(opened).toEqual([1, 1, 1, 1]);
  await database.remove();
});
