import { createClient } from '@redis/client';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLocalCounts, createStoreCounts } from '../../../../server/base/limits/counts.ts';
import { createLocalLimits, type Limits } from '../../../../server/base/limits/index.ts';
import type { ForgivingRateLimiter, RateRule } from '../../../../server/base/limits/limiter.ts';
import { openRedisCounts } from '../../../../server/base/limits/redis.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { findRedis, type RedisServer, startRedis } from '../../../support/redis-server.ts';
import { describePostgres } from '../store/dialects.ts';
import { createTestCounts, type Gateways, openGateways } from './support.ts';

const WINDOW_MS = 60_000;

/** Limits of several gateways, or of one. */
interface LimitsUnderTest {
  limits: readonly Limits[];
  /** Has each gateway add its pending uses, one after another. */
  reconcile(): Promise<void>;
  /** Advances the clock until every window is over. */
  endWindows(): Promise<void>;
}

let names = 0;
/** A limit that no other test has used. */
const limitOf = (points: number): RateRule => ({
  name: `limit-${process.pid}-${names++}`,
  points,
  durationSeconds: WINDOW_MS / 1000,
});

async function allowedOf(uses: readonly Promise<number | null>[]): Promise<number> {
  return (await Promise.all(uses)).filter((wait) => wait === null).length;
}

/** Uses up the rest of a limit. @returns how many uses were left. */
async function useUp(limiters: readonly ForgivingRateLimiter[], key: string): Promise<number> {
  let allowed = 0;
  for (const limiter of limiters) while (allowed < 1000 && (await limiter.consume(key)) === null) allowed += 1;
  return allowed;
}

function itKeepsLimits(given: LimitsUnderTest): void {
  const exact = (rule: RateRule) => given.limits.map((each) => each.exact(rule));
  const reconciled = (rule: RateRule) => given.limits.map((each) => each.reconciled(rule));
  const gateway = () => fc.nat({ max: given.limits.length - 1 });
  const key = () => fc.constantFrom('a', 'b');

  test('exactly as many concurrent uses of a key pass, over all gateways, as the limit allows', async () => {
    const uses = () => fc.array(fc.record({ gateway: gateway(), key: key() }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), uses(), async (points, all) => {
        const limiters = exact(limitOf(points));
        const answers = await Promise.all(all.map((use) => limiters[use.gateway]!.consume(use.key)));
        for (const key of ['a', 'b']) {
          const ofKey = answers.filter((_, index) => all[index]!.key === key);
          expect(ofKey.filter((wait) => wait === null)).toHaveLength(Math.min(points, ofKey.length));
        }
      }),
      { numRuns: numRuns(30) },
    );
  });

  test.each(['exact', 'reconciled'] as const)(
    '%s: says how long to wait, and then allows as much again',
    async (kind) => {
      const rule = limitOf(3);
      const limiters = kind === 'exact' ? exact(rule) : reconciled(rule);
      for (let use = 0; use < 3; use += 1) expect(await limiters[0]!.consume('a')).toBeNull();
      const waits = [await limiters[0]!.consume('a'), await limiters[0]!.consume('a')];
      for (const wait of waits) {
        expect(wait).toBeGreaterThan(50);
        expect(wait).toBeLessThanOrEqual(60);
      }
      await given.reconcile();
      await given.endWindows();
      expect(await useUp(limiters.slice(0, 1), 'a')).toBe(3);
    },
  );

  test('uses that are given back can be used again, others cannot', async () => {
    const use = () => fc.record({ gateway: gateway(), kept: fc.boolean(), reconciles: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(use(), { maxLength: 30 }), async (points, all) => {
        const limiters = exact(limitOf(points));
        let kept = 0;
        for (const each of all) {
          const reserved = await limiters[each.gateway]!.reserve('a');
          if (reserved.waitSeconds === null && each.kept) kept += 1;
          else if (reserved.waitSeconds === null) reserved.giveBack();
          if (each.reconciles) await given.reconcile();
        }
        expect(kept + (await useUp(limiters, 'a'))).toBeLessThanOrEqual(points);
      }),
      { numRuns: numRuns(30) },
    );
  });

  test('after a reconciliation, uses that were given back are available at every gateway', async () => {
    const use = () => fc.record({ gateway: gateway(), kept: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 5, max: 10 }), fc.array(use(), { maxLength: 5 }), async (points, all) => {
        const limiters = exact(limitOf(points));
        for (const each of all) {
          const reserved = await limiters[each.gateway]!.reserve('a');
          if (reserved.waitSeconds === null && !each.kept) reserved.giveBack();
        }
        await given.reconcile();
        expect(await useUp(limiters, 'a')).toBe(points - all.filter(({ kept }) => kept).length);
      }),
      { numRuns: numRuns(20) },
    );
  });

  test('reconciled limits are exact for one gateway', async () => {
    const [limiter] = reconciled(limitOf(20));
    expect(await allowedOf(Array.from({ length: 50 }, () => limiter!.consume('a')))).toBe(20);
  });

  test('reconciled limits are exceeded by no more than the uses of two intervals', async () => {
    const most = 4;
    const interval = () => fc.array(fc.nat({ max: most }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(interval(), { minLength: 1, maxLength: 12 }),
        async (points, intervals) => {
          const limiters = reconciled(limitOf(points));
          let [asked, allowed] = [0, 0];
          for (const uses of intervals) {
            for (const [index, limiter] of limiters.entries()) {
              const count = uses[index] ?? 0;
              asked += count;
              allowed += await allowedOf(Array.from({ length: count }, () => limiter.consume('a')));
            }
            await given.reconcile();
          }
          expect(allowed).toBeLessThanOrEqual(points + 2 * limiters.length * most);
          expect(allowed).toBeGreaterThanOrEqual(Math.min(points, asked));
        },
      ),
      { numRuns: numRuns(30) },
    );
  });

  test('uses at one gateway count at the others', async () => {
    const limiters = reconciled(limitOf(100));
    expect(await allowedOf(Array.from({ length: 60 }, () => limiters[0]!.consume('a')))).toBe(60);
    await given.reconcile();
    await limiters.at(-1)!.consume('a');
    await given.reconcile();
    expect(await allowedOf(Array.from({ length: 60 }, () => limiters.at(-1)!.consume('a')))).toBe(39);
  });
}

describe('limits of one process', () => {
  let now = Date.UTC(2030, 0, 1);
  itKeepsLimits({
    limits: [createLocalLimits(() => now)],
    reconcile: async () => {},
    async endWindows() {
      now += WINDOW_MS;
    },
  });
});

describe('limits over counts of a test', () => {
  let now = Date.UTC(2030, 0, 1);
  const counts = createTestCounts(() => now);
  const gateways = openGateways([counts, counts, counts], () => now);
  itKeepsLimits({
    limits: gateways.limits,
    reconcile: () => reconcileAll(gateways),
    async endWindows() {
      now += WINDOW_MS;
    },
  });
});

describe('limits of three workers', () => {
  let now = Date.UTC(2030, 0, 1);
  const counts = { ...createLocalCounts(() => now), ping: async () => {}, close: async () => {} };
  const workers = openGateways([counts, counts, counts], () => now, { askFromShare: 1 / 3 });
  itKeepsLimits({
    limits: workers.limits,
    reconcile: () => reconcileAll(workers),
    async endWindows() {
      now += WINDOW_MS;
    },
  });

  test('reconciled limits are exact for calls that workers answer one after another', async () => {
    const rule = limitOf(30);
    const limiters = workers.limits.map((each) => each.reconciled(rule));
    const waits: (number | null)[] = [];
    for (let use = 0; use < 60; use += 1) {
      waits.push(await limiters[use % 3]!.consume('a'));
      if (use % 7 === 0) await reconcileAll(workers);
    }
    await reconcileAll(workers);
    expect(waits.filter((wait) => wait === null)).toHaveLength(30);
  });
});

describePostgres('limits of three gateways', (store) => {
  let now = Date.UTC(2030, 0, 1);
  let gateways: Gateways;
  const given = {} as LimitsUnderTest;
  beforeEach(() => {
    gateways = openGateways(
      [1, 2, 3].map(() => createStoreCounts(store.store, () => now)),
      () => now,
    );
    Object.assign(given, {
      limits: gateways.limits,
      reconcile: () => reconcileAll(gateways),
      endWindows: async () => {
        now += WINDOW_MS;
      },
    });
  });
  afterEach(() => gateways.close());
  given.limits = [];
  itKeepsLimits(given);

  test.each(['exact', 'reconciled'] as const)('%s: a clock that is set back locks no one out', async (kind) => {
    const limiter = given.limits[0]![kind](limitOf(1));
    const waits = async () => [await limiter.consume('a'), await limiter.consume('a')];
    expect(await waits()).toEqual([null, 60]);
    await given.reconcile();
    now -= 3_600_000;
    expect(await waits()).toEqual([null, 60]);
  });
});

const redis = findRedis();

describe.skipIf(redis === null)('limits of three gateways with Redis', () => {
  let server: RedisServer;
  let gateways: Gateways;
  let client: ReturnType<typeof createClient>;
  let now = Date.now();
  const given = {} as LimitsUnderTest;
  beforeAll(async () => {
    server = await startRedis(redis ?? '');
    const counts = await Promise.all([1, 2, 3].map(() => openRedisCounts(server.url)));
    gateways = openGateways(counts, () => now);
    client = createClient({ url: server.url });
    await client.connect();
    Object.assign(given, {
      limits: gateways.limits,
      reconcile: () => reconcileAll(gateways),
      // The server has a clock of its own.
      endWindows: async () => {
        now += WINDOW_MS;
        for (const key of await client.keys('*')) await client.pExpire(key, 0);
      },
    });
  });
  afterAll(async () => {
    client.destroy();
    await gateways.close();
    await server.stop();
  });
  itKeepsLimits(given);
});

async function reconcileAll(gateways: Gateways): Promise<void> {
  for (const index of gateways.limits.keys()) await gateways.reconcile(index);
}
