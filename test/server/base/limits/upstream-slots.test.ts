import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLocalCounts, createStoreCounts, type SharedCounts } from '../../../../server/base/limits/counts.ts';
import {
  buildUpstreamSlots,
  createLocalSlots,
  createSharedSlots,
  createUpstreamSlots,
  gatherCounts,
  type SlotOutcome,
  toWindow,
  type UpstreamSlotRequest,
} from '../../../../server/base/limits/upstream-slots.ts';
import { UPSTREAM_RATES } from '../../../../server/base/store/repositories/limits/rate-limits.ts';
import type { Caps } from '../../../../server/contract/index.ts';
import { describePostgres } from '../store/dialects.ts';

const HOUR_MS = 3_600_000;

type Counts = Pick<SharedCounts, 'add'>;

const waiting = (next: () => number): Counts => ({
  add: async (all) =>
    new Map(
      all.map(({ key }) => {
        const leftMs = next();
        return [key, { uses: leftMs === 0 ? 0 : Number.MAX_SAFE_INTEGER, leftMs }];
      }),
    ),
});

const local = (counts: Counts = createLocalCounts(Date.now)) =>
  buildUpstreamSlots({
    slots: createLocalSlots(),
    counts,
    now: Date.now,
    onError: (error) => {
      throw error;
    },
  });

const wanting = (caps: Caps, changes: Partial<UpstreamSlotRequest> = {}): UpstreamSlotRequest => ({
  connectionId: 'a',
  caps,
  startBy: Date.now() + HOUR_MS,
  endBy: Date.now() + HOUR_MS,
  signal: new AbortController().signal,
  ...changes,
});

function end(turn: SlotOutcome): void {
  if (turn.kind !== 'taken') throw new Error(turn.kind);
  turn.end();
}

describe('turns of one process', () => {
  test('never exceed the cap of concurrent requests, and are first come, first served', async () => {
    const turns = local();
    const order: number[] = [];
    let [now, most] = [0, 0];
    const call = async (index: number) => {
      const turn = await turns.take(wanting({ concurrency: 3 }));
      order.push(index);
      now += 1;
      most = Math.max(most, now);
      await delay(2);
      now -= 1;
      end(turn);
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test('of one connection do not wait for those of another', async () => {
    const turns = local();
    const held = await turns.take(wanting({ concurrency: 1 }));
    end(await turns.take(wanting({ concurrency: 1 }, { connectionId: 'b' })));
    end(held);
  });

  test('end when the client disconnects, and the next one in the queue gets its turn', async () => {
    const turns = local();
    const client = new AbortController();
    const first = await turns.take(wanting({ concurrency: 1 }));
    const second = turns.take(wanting({ concurrency: 1 }, { signal: client.signal }));
    const third = turns.take(wanting({ concurrency: 1 }));
    client.abort();
    expect(await second).toEqual({ kind: 'cancelled' });
    end(first);
    end(await third);
  });

  test.each([
    ['concurrency', { concurrency: 1 }],
    ['rate', { rate: { requests: 1, seconds: 1000 } }],
  ] as const)('that time out report which cap was reached: %s', async (cap, caps) => {
    const turns = local();
    const first = await turns.take(wanting(caps));
    const late = await turns.take(wanting(caps, { startBy: Date.now() + 20 }));
    expect(late).toEqual({ kind: 'none', cap, retryAfterSeconds: cap === 'rate' ? 1000 : 2 });
    end(first);
  });

  test('release their slot when the rate cannot be counted', async () => {
    let isAway = true;
    const turns = local(
      waiting(() => {
        if (isAway) throw new Error('the store is away');
        return 0;
      }),
    );
    const caps = { concurrency: 1, rate: { requests: 5, seconds: 1 } };
    await expect(turns.take(wanting(caps))).rejects.toThrow('the store is away');
    isAway = false;
    end(await turns.take(wanting(caps)));
  });

  test.each(['slot', 'rate'] as const)(
    'are not given where an unavailable database must count them: %s',
    async (part) => {
      const away = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
      let isAway = true;
      const slots = createLocalSlots();
      const reported: unknown[] = [];
      const fail = () => {
        if (isAway) throw away;
      };
      const turns = buildUpstreamSlots({
        slots: {
          ...slots,
          async take(request) {
            if (part === 'slot') fail();
            return slots.take(request);
          },
        },
        counts: waiting(() => {
          if (part === 'rate') fail();
          return 0;
        }),
        now: Date.now,
        onError: (error) => reported.push(error),
      });
      const caps = { concurrency: 1, rate: { requests: 5, seconds: 1 } };
      expect(await turns.take(wanting(caps))).toEqual({ kind: 'none', cap: 'uncounted', retryAfterSeconds: 5 });
      expect(reported).toEqual([away]);
      isAway = false;
      end(await turns.take(wanting(caps)));
    },
  );

  test('wait for the rate', async () => {
    const waits = [5, 5, 0, 0];
    const turns = local(waiting(() => waits.shift() ?? 0));
    end(await turns.take(wanting({ rate: { requests: 10, seconds: 1 } })));
    expect(waits).toEqual([0]);
  });
});

describe('the windows in which a rate is counted', () => {
  test('never exceed the rate in any period of its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 36_000 }), (requests, tenths) => {
        const { points, seconds } = toWindow({ requests, seconds: tenths / 10 });
        const met = Math.floor(tenths / 10 / seconds) + 1;
        expect(points).toBeGreaterThan(0);
        expect(requests === 1 ? points : points * met).toBeLessThanOrEqual(requests);
      }),
    );
  });

  test('are a quarter as long and allow a fifth: 10 in a second are 2 in a quarter of a second', () => {
    expect(toWindow({ requests: 10, seconds: 1 })).toEqual({ points: 2, seconds: 0.25 });
    expect(toWindow({ requests: 900, seconds: 60 })).toEqual({ points: 180, seconds: 15 });
    expect(toWindow({ requests: 1, seconds: 1 })).toEqual({ points: 1, seconds: 1 });
  });
});

describePostgres('turns of several gateways', (given) => {
  const gateway = () =>
    buildUpstreamSlots({
      slots: createSharedSlots(given.store.db, Date.now),
      counts: gatherCounts(createStoreCounts(given.store, Date.now, UPSTREAM_RATES)),
      now: Date.now,
      onError: (error) => {
        throw error;
      },
    });

  test('never exceed the cap of concurrent requests, and no gateway waits for all others', async () => {
    const gateways = [gateway(), gateway()];
    const done: number[] = [];
    let [now, most] = [0, 0];
    const call = async (index: number) => {
      const turn = await gateways[index]!.take(wanting({ concurrency: 2 }));
      now += 1;
      most = Math.max(most, now);
      await delay(5);
      now -= 1;
      done.push(index);
      end(turn);
      await gateways[index]!.settle();
    };
    await Promise.all(Array.from({ length: 24 }, (_, index) => call(index % 2)));
    expect(most).toBe(2);
    expect(new Set(done.slice(0, 18))).toEqual(new Set([0, 1]));
    expect(await given.store.db.selectFrom('upstream_slots').selectAll().execute()).toEqual([]);
  });

  const RATE = { requests: 10, seconds: 1000 };
  const soon = () => wanting({ rate: RATE }, { startBy: Date.now() + 100 });

  test('count requests in a shared window', async () => {
    const gateways = [gateway(), gateway()];
    const turns = await Promise.all(Array.from({ length: 12 }, (_, index) => gateways[index % 2]!.take(soon())));
    expect(turns.filter(({ kind }) => kind === 'taken')).toHaveLength(2);
    const waits = turns.flatMap((turn) => (turn.kind === 'none' ? [turn.retryAfterSeconds] : []));
    expect(Math.max(...waits)).toBeGreaterThan(200);
    // Rounded up, by a clock that may be a millisecond behind.
    expect(Math.max(...waits)).toBeLessThanOrEqual(251);
  });

  test('do not wait for the end of a window opened by a gateway whose clock is an hour ahead', async () => {
    const turns = gateway();
    while ((await turns.take(soon())).kind === 'taken');
    await given.store.db
      .updateTable('upstream_rates')
      .set({ expire: Date.now() + 3_600_000 })
      .execute();
    end(await turns.take(soon()));
    const { expire } = await given.store.db.selectFrom('upstream_rates').select('expire').executeTakeFirstOrThrow();
    expect(expire).toBeLessThanOrEqual(Date.now() + 250_000);
  });

  test('of one gateway with SQLite are counted in its process', async () => {
    const { db, ping } = given.store;
    const turns = createUpstreamSlots({ db, ping, dialect: 'sqlite' }, { now: Date.now, onError: () => {} });
    end(await turns.take(soon()));
    expect(await given.store.db.selectFrom('upstream_rates').selectAll().execute()).toEqual([]);
  });
});
