import { expect, test } from 'vitest';
import {
  releaseSlots,
  takeSlots,
  type WantedSlot,
} from '../../../../server/base/store/repositories/upstream/upstream-slots.ts';
import { describePostgres } from './dialects.ts';

describePostgres('slots of connections', (given) => {
  const wanted: WantedSlot = { connectionId: 'c', count: 3, holder: 'h', until: 200 };
  const take = async ({ now = 100, ...changes }: Partial<WantedSlot> & { now?: number } = {}) => {
    const slot = { ...wanted, ...changes };
    return (await takeSlots(given.store.db, [slot], now)).get(slot.holder) ?? null;
  };

  test('are never taken twice, however many concurrent requests ask', async () => {
    const taken = await Promise.all(Array.from({ length: 12 }, (_, index) => take({ holder: `h${index}` })));
    const keys = taken.flatMap((slot) => (slot === null ? [] : [slot.key]));
    expect(new Set(keys).size).toBe(keys.length);
    while (keys.length < 3) keys.push((await take())!.key);
    expect(keys.sort()).toEqual(['c/0', 'c/1', 'c/2']);
    expect(await take()).toBeNull();
    expect(await take({ connectionId: 'd' })).toMatchObject({ holder: 'h' });
  });

  test('are free again when they are given back, and after a crash when they expire', async () => {
    const first = await take({ count: 1 });
    expect(await take({ count: 1, now: 199 })).toBeNull();
    await releaseSlots(given.store.db, [first!]);
    expect(await take({ count: 1, holder: 'crashed' })).not.toBeNull();
    const next = await take({ count: 1, holder: 'next', now: 200, until: 300 });
    expect(next).toEqual({ key: 'c/0', holder: 'next' });
    await releaseSlots(given.store.db, [{ key: 'c/0', holder: 'crashed' }]);
    expect(await take({ count: 1, now: 250 })).toBeNull();
  });

  test('of several connections are taken and given back in one statement each', async () => {
    const { db } = given.store;
    await take({ connectionId: 'full', count: 1, holder: 'other' });
    const names = ['a', 'full', 'b'];
    const all = names.map((name) => ({ ...wanted, connectionId: name, count: 1, holder: `of ${name}` }));
    const taken = await takeSlots(db, all, 100);
    expect([...taken.values()].map(({ key, holder }) => `${holder}: ${key}`).sort()).toEqual([
      'of a: a/0',
      'of b: b/0',
    ]);
    await releaseSlots(db, [taken.get('of a')!, { key: 'b/0', holder: 'of a' }, { key: 'full/0', holder: 'of full' }]);
    const held = await db.selectFrom('upstream_slots').select('key').orderBy('key').execute();
    expect(held).toEqual([{ key: 'b/0' }, { key: 'full/0' }]);
  });
});
