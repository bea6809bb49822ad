import { expect, test } from 'vitest';
import { countAnonymousEvent, listAnonymousEvents } from '../../../../server/modules/audit/anonymous-events.ts';
import { describeStore } from '../../base/store/dialects.ts';

const HOUR_MS = 3_600_000;

describeStore('events of callers without credentials', (given) => {
  test('an event of a network has one row an hour, with the times of the first and last occurrence', async () => {
    const event = { type: 'grant_refused', network: '192.0.2.1' } as const;
    await Promise.all(
      Array.from({ length: 10 }, () => countAnonymousEvent(given.store.db, { ...event, now: HOUR_MS })),
    );
    await countAnonymousEvent(given.store.db, { ...event, now: 2 * HOUR_MS - 1 });
    await countAnonymousEvent(given.store.db, { ...event, now: 2 * HOUR_MS });
    expect(await listAnonymousEvents(given.store.db, 10)).toEqual([
      { ...event, count: 1, firstAt: 2 * HOUR_MS, lastAt: 2 * HOUR_MS },
      { ...event, count: 11, firstAt: HOUR_MS, lastAt: 2 * HOUR_MS - 1 },
    ]);
  });

  test('an hour lists a thousand networks, and counts all others together', async () => {
    const row = (index: number) => ({
      key: `0:grant_refused:${index}`,
      type: 'grant_refused',
      network: String(index),
      count: 1,
      created_at: 1,
      last_at: 1,
    });
    await given.store.db
      .insertInto('anonymous_events')
      .values(Array.from({ length: 1000 }, (_, index) => row(index)))
      .execute();
    for (const network of ['x', 'y', '7']) {
      await countAnonymousEvent(given.store.db, { type: 'grant_refused', network, now: 2 });
    }
    const changed = await given.store.db
      .selectFrom('anonymous_events')
      .select(['network', 'count'])
      .where('last_at', '=', 2)
      .orderBy('network')
      .execute();
    expect(changed).toEqual([
      { network: '7', count: 2 },
      { network: 'elsewhere', count: 2 },
    ]);
  });
});
