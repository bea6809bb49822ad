import { expect, test } from 'vitest';
import { startPurging } from '../../../../server/base/store/purge.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { insertSingleUseCode } from '../../../../server/base/store/repositories/single-use-codes.ts';
import { retentionRules } from '../../../../server/base/store/retention.ts';
import { describeStore } from './dialects.ts';

describeStore('the purge timer', (given) => {
  const rules = retentionRules({ callRecordDays: 1 });
  const code = { purpose: 'test', userId: null, payload: null, now: 0, expiresAt: 1 };

  test('purges at every interval until it is stopped', async () => {
    const purged: Readonly<Record<string, number>>[] = [];
    const stop = startPurging({
      store: given.store,
      rules,
      now: () => 1e12,
      intervalMs: 5,
      onPurged: (removed) => purged.push(removed),
      onError: (error) => expect.unreachable(String(error)),
    });
    for (const [before, codeHash] of ['first', 'second'].entries()) {
      await insertSingleUseCode(given.store.db, { ...code, codeHash });
      await expect.poll(() => purged.length).toBeGreaterThan(before);
      expect(await given.store.db.selectFrom('single_use_codes').select('code_hash').execute()).toEqual([]);
    }
    await stop();
    await insertSingleUseCode(given.store.db, { ...code, codeHash: 'third' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await given.store.db.selectFrom('single_use_codes').select('code_hash').execute()).toHaveLength(1);
  });

  test('reports a purge that failed and tries again', async () => {
    const errors: unknown[] = [];
    const stop = startPurging({
      store: given.store,
      rules: [{ ...rules[0]!, table: 'missing' as 'access_tokens' }],
      now: () => 1e12,
      intervalMs: 5,
      onPurged: () => expect.unreachable('nothing can be purged'),
      onError: (error) => errors.push(error),
    });
    await expect.poll(() => errors.length).toBeGreaterThanOrEqual(2);
    await stop();
    await insertPartner(given.store.db, { clientId: 'acme', name: 'Acme', now: 1 });
  });
});
