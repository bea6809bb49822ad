import { expect, test } from 'vitest';
import { addTallies, sumTallies, type Tally } from '../../../../server/modules/tallies/table.ts';
import { describeStore } from '../../base/store/dialects.ts';

const DAY_MS = 86_400_000;
const tally = (key: string, day = 0, kind: Tally['kind'] = 'drift'): Tally => ({ day, kind, key, count: 2 });

describeStore('daily counts', (given) => {
  test('are added by day, kind and key, and summed up over days', async () => {
    const { db } = given.store;
    for (let time = 0; time < 5; time += 1) await addTallies(db, [tally('a\tx'), tally('a\tx', DAY_MS)]);
    await addTallies(db, [tally('a_b\tx'), tally('a\tx', 0, 'old_name')]);
    expect(await sumTallies(db, 'drift', { since: 0, until: 2 * DAY_MS })).toEqual([
      { key: 'a\tx', count: 20, lastDay: DAY_MS },
      { key: 'a_b\tx', count: 2, lastDay: 0 },
    ]);
    expect(await sumTallies(db, 'drift', { since: 0, until: DAY_MS, prefix: 'a\t' })).toEqual([
      { key: 'a\tx', count: 10, lastDay: 0 },
    ]);
    expect(await sumTallies(db, 'drift', { since: 2 * DAY_MS, until: 3 * DAY_MS })).toEqual([]);
  });
});
