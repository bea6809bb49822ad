import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateLimiter, type Window, Windows } from '../../../../server/base/limits/limiter.ts';

test('a window begins with the first use and does not move', async () => {
  let now = 0;
  const limiter = createRateLimiter({ points: 2, durationSeconds: 60, now: () => now });
  expect(await limiter.consume('a')).toBeNull();
  now = 59_000;
  expect(await limiter.consume('a')).toBeNull();
  expect(await limiter.consume('a')).toBe(1);
  expect(await limiter.consume('b')).toBeNull();
  now = 60_000;
  expect(await limiter.consume('a')).toBeNull();
});

test('a refused use does not count', async () => {
  const limiter = createRateLimiter({ points: 1, durationSeconds: 60, now: () => 0 });
  const use = await limiter.reserve('a');
  expect(await limiter.consume('a')).toBe(60);
  expect(await limiter.reserve('a')).toEqual({ waitSeconds: 60 });
  if (use.waitSeconds === null) use.giveBack();
  expect(await limiter.consume('a')).toBeNull();
});

test('a clock that is set back locks no one out', async () => {
  let now = Date.UTC(2030, 0, 1);
  const limiter = createRateLimiter({ points: 1, durationSeconds: 60, now: () => now });
  expect([await limiter.consume('a'), await limiter.consume('a')]).toEqual([null, 60]);
  now -= 3_600_000;
  expect([await limiter.consume('a'), await limiter.consume('a')]).toEqual([null, 60]);
});

test('a limiter uses the system clock by default', async () => {
  const limiter = createRateLimiter({ points: 1, durationSeconds: 60 });
  expect([await limiter.consume('a'), await limiter.consume('a')]).toEqual([null, 60]);
});

test('a window is replaced at the moment that it ends', () => {
  let now = 0;
  const create = (key: string): Window => ({ key, used: 0, endsAt: now + 50 });
  const windows = new Windows({ create, durationMs: 50, now: () => now });
  const [a] = [windows.open('a'), windows.open('b')];
  expect(windows.find('a')).toBe(a);
  now = 50;
  expect(windows.find('a')).toBeUndefined();
  windows.open('c');
  expect(windows.size).toBe(1);
});

test('windows never hold more keys than the limit, and keep the newest', () => {
  const action = fc.record({ key: fc.nat({ max: 30 }), wait: fc.nat({ max: 20 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(action), (maxKeys, actions) => {
      let now = 0;
      const create = (key: string): Window => ({ key, used: 0, endsAt: now + 50 });
      const windows = new Windows({ create, durationMs: 50, now: () => now, maxKeys });
      const begun: Window[] = [];
      for (const { key, wait } of actions) {
        now += wait;
        const window = windows.open(String(key));
        if (!begun.includes(window)) begun.push(window);
        expect(windows.size).toBeLessThanOrEqual(maxKeys);
        const latest = begun.slice(-maxKeys).filter(({ endsAt }) => endsAt > now);
        for (const each of latest) expect(windows.find(each.key)).toBe(each);
      }
    }),
  );
});
