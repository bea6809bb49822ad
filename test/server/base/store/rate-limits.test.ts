import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { purge } from '../../../../server/base/store/purge.ts';
import { addUses } from '../../../../server/base/store/repositories/limits/rate-limits.ts';
import { retentionRules } from '../../../../server/base/store/retention.ts';
import { describePostgres } from './dialects.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;

describePostgres('uses of a limit', (given) => {
  const add = async (uses: number, now: number, leftMs = MINUTE_MS) => {
    const counted = await addUses(given.store.db, [{ key: 'a', uses, windowMs: MINUTE_MS, leftMs }], now);
    return counted.get('a');
  };

  test('add up in a window that begins with the first of them', async () => {
    expect(await add(3, NOW, 40_000)).toEqual({ uses: 3, leftMs: 40_000 });
    expect(await add(2, NOW + 30_000)).toEqual({ uses: 5, leftMs: 10_000 });
    expect(await add(1, NOW + 40_000)).toEqual({ uses: 1, leftMs: MINUTE_MS });
  });

  test('are given back to their window, never to the next one', async () => {
    await add(3, NOW);
    expect(await add(-2, NOW)).toEqual({ uses: 1, leftMs: MINUTE_MS });
    expect(await add(-2, NOW)).toEqual({ uses: 0, leftMs: MINUTE_MS });
    await add(3, NOW);
    expect(await add(-2, NOW + MINUTE_MS)).toMatchObject({ uses: 0 });
    await given.store.db.deleteFrom('rate_limits').execute();
    expect(await add(-2, NOW)).toBeUndefined();
    expect(await add(1, NOW)).toMatchObject({ uses: 1 });
  });

  test('start again if a gateway with a clock hours ahead opened the window', async () => {
    await add(100, NOW + 3 * 3_600_000);
    expect(await add(1, NOW)).toEqual({ uses: 1, leftMs: MINUTE_MS });
    expect(await add(1, NOW)).toEqual({ uses: 2, leftMs: MINUTE_MS });
  });

  test('of many keys are one statement, and gateways that add to the same keys do not deadlock', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `key-${index}`);
    const toUses = (key: string) => ({ key, uses: 1, windowMs: MINUTE_MS, leftMs: MINUTE_MS });
    const rounds = Array.from({ length: 20 }, (_, round) =>
      addUses(given.store.db, (round % 2 === 0 ? keys : keys.toReversed()).map(toUses), NOW),
    );
    const counted = await Promise.all(rounds);
    const seen = counted.map((each) => each.get('key-7')?.uses).sort((a = 0, b = 0) => a - b);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('do not wait for a WAL flush, and are purged when their window is over', async () => {
    const { rows } = await sql<{ relpersistence: string }>`
      select relpersistence from pg_class where relname = 'rate_limits'`.execute(given.store.db);
    expect(rows).toEqual([{ relpersistence: 'u' }]);
    await add(1, NOW);
    const rules = retentionRules({ callRecordDays: 90 });
    expect(await purge(given.store, rules, { now: NOW + MINUTE_MS - 1 })).toMatchObject({ rate_limits: 0 });
    expect(await purge(given.store, rules, { now: NOW + MINUTE_MS + 1 })).toMatchObject({ rate_limits: 1 });
  });
});
