import { expect, test } from 'vitest';
import {
  addToCallCounts,
  takeFromCallCounts,
} from '../../../../../server/base/store/repositories/limits/call-counts.ts';
import { openListeningStore } from '../../../../support/listening.ts';
import { describePostgres } from '../../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../../base/store/fixtures.ts';

describePostgres('counts of calls on two nodes', (given) => {
  test('stay exact while calls are counted and given back under overlapping rules', async () => {
    const other = await openListeningStore({ url: given.url });
    try {
      const { partner } = await insertPartnerAndUser(given.store);
      const keys = Array.from({ length: 5 }, (_, index) => `k${(index * 3) % 5}`);
      const counts = keys.map((key) => ({
        key,
        rule: key,
        partnerId: partner.id,
        userId: null,
        endsAt: 1,
        limit: 1_000_000,
      }));
      const failures: unknown[] = [];
      const lanes = Array.from({ length: 8 }, async (_, lane) => {
        const { db } = lane % 2 === 0 ? given.store : other;
        for (let turn = 0; turn < 15; turn += 1) {
          try {
            await addToCallCounts(db, counts);
            await takeFromCallCounts(db, keys);
          } catch (error) {
            failures.push((error as Error).message);
          }
        }
      });
      await Promise.all(lanes);
      expect(failures).toEqual([]);
      const rows = await given.store.db.selectFrom('rule_counts').select('calls').execute();
      expect(new Set(rows.map(({ calls }) => Number(calls)))).toEqual(new Set([0]));
    } finally {
      await other.close();
    }
  }, 120_000);
});
