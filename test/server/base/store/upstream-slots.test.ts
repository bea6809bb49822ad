import { expect, test } from 'vitest';
import { releaseSlot, takeSlot } from '../../../../server/base/store/repositories/upstream/upstream-slots.ts';
import { describeStore } from './dialects.ts';

describeStore('slots of a connection', (given) => {
  const take = (changes: Partial<Parameters<typeof takeSlot>[1]> = {}) =>
    takeSlot(given.store.db, { connectionId: 'c', count: 3, holder: 'h', now: 100, until: 200, ...changes });

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
    await releaseSlot(given.store.db, first!);
    expect(await take({ count: 1, holder: 'crashed' })).not.toBeNull();
    const next = await take({ count: 1, holder: 'next', now: 200, until: 300 });
    expect(next).toEqual({ key: 'c/0', holder: 'next' });
    await releaseSlot(given.store.db, { key: 'c/0', holder: 'crashed' });
    expect(await take({ count: 1, now: 250 })).toBeNull();
  });
});
