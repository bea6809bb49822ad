import { beforeEach, describe, expect, test } from 'vitest';
import { createTestCounts, type Gateways, openGateways, type TestCounts } from './support.ts';

const RULE = { name: 'test', points: 10, durationSeconds: 60 };

let now: number;
let counts: TestCounts;
let gateways: Gateways;
beforeEach(() => {
  now = Date.UTC(2030, 0, 1);
  counts = createTestCounts(() => now);
  gateways = openGateways([counts, counts], () => now);
});

async function use(
  index: number,
  times: number,
  limiters: readonly { consume(key: string): Promise<number | null> }[],
) {
  const waits = [];
  for (let time = 0; time < times; time += 1) waits.push(await limiters[index]!.consume('a'));
  return waits.filter((wait) => wait === null).length;
}

describe.each(['refusing', 'silent'] as const)('while shared counts are %s', (state) => {
  beforeEach(() => {
    const soon = { timeoutMs: state === 'silent' ? 1 : 60_000 };
    gateways = openGateways([counts, counts], () => now, soon);
  });

  test('each gateway continues from the last known counts, and asks at most once a second', async () => {
    const limiters = gateways.limits.map((each) => each.exact(RULE));
    expect([await use(0, 3, limiters), await use(1, 3, limiters)]).toEqual([3, 3]);
    counts.state = state;
    counts.asked = 0;
    expect([await use(0, 20, limiters), await use(1, 20, limiters)]).toEqual([7, 4]);
    expect(counts.asked).toBe(2);
    await gateways.reconcile(0);
    expect(counts.asked).toBe(3);
    expect(gateways.limits.map((each) => each.isAlone())).toEqual([true, true]);
  });

  test('the log reports its beginning and its end once', async () => {
    const limiters = gateways.limits.map((each) => each.exact(RULE));
    counts.state = state;
    await use(0, 5, limiters);
    await gateways.reconcile(0);
    now += 30_000;
    counts.state = 'well';
    await gateways.reconcile(0);
    await gateways.reconcile(0);
    expect(gateways.lines[0]!.map(({ level, msg, seconds }) => [level, msg, seconds])).toEqual([
      [40, 'limits are counted by this gateway alone until their store answers', undefined],
      [30, 'limits are counted over all gateways again', 30],
    ]);
    expect(gateways.lines[1]).toEqual([]);
    expect(gateways.limits.map((each) => each.isAlone())).toEqual([false, false]);
  });

  test('afterwards all count together again, including uses that were counted alone', async () => {
    const limiters = gateways.limits.map((each) => each.exact(RULE));
    counts.state = state;
    expect([await use(0, 4, limiters), await use(1, 4, limiters)]).toEqual([4, 4]);
    counts.state = 'well';
    await gateways.reconcile(0);
    await gateways.reconcile(1);
    expect((await use(0, 5, limiters)) + (await use(1, 5, limiters))).toBe(2);
  });

  test('calls are counted locally, and reconciled when it is over', async () => {
    const limiters = gateways.limits.map((each) => each.reconciled(RULE));
    counts.state = state;
    expect([await use(0, 20, limiters), await use(1, 3, limiters)]).toEqual([10, 3]);
    await gateways.reconcile(0);
    await gateways.reconcile(1);
    counts.state = 'well';
    await gateways.reconcile(0);
    await gateways.reconcile(1);
    expect(await use(1, 20, limiters)).toBe(0);
  });
});

test('calls never ask the shared counts, and a second of calls is one request to them', async () => {
  const calls = gateways.limits[0]!.reconciled({ ...RULE, points: 1000 });
  const pages = gateways.limits[0]!.reconciled({ ...RULE, name: 'pages' });
  for (let user = 0; user < 100; user += 1) {
    await calls.consume(`user-${user % 10}`);
    await pages.consume(`address-${user}`);
  }
  expect(counts.asked).toBe(0);
  await gateways.reconcile(0);
  expect(counts.asked).toBe(1);
  await gateways.reconcile(0);
  expect(counts.asked).toBe(1);
});

test('a use that was given back serves the next request, so successful requests ask once a second', async () => {
  const limiter = gateways.limits[0]!.exact(RULE);
  const succeed = async () => {
    for (let request = 0; request < 100; request += 1) {
      const reserved = await limiter.reserve('partner');
      if (reserved.waitSeconds !== null) throw new Error('refused');
      reserved.giveBack();
    }
  };
  await succeed();
  expect(counts.asked).toBe(1);
  await gateways.reconcile(0);
  expect(counts.asked).toBe(2);
  await succeed();
  expect(counts.asked).toBe(3);
});

test('a use of a past window is not given back to the next one', async () => {
  const limiter = gateways.limits[0]!.exact({ ...RULE, points: 2 });
  const [first, second] = [await limiter.reserve('a'), await limiter.reserve('a')];
  now += 60_000;
  expect(await limiter.consume('a')).toBeNull();
  if (first.waitSeconds === null) first.giveBack();
  if (second.waitSeconds === null) second.giveBack();
  await gateways.reconcile(0);
  expect(await limiter.consume('a')).toBeNull();
  expect(await limiter.consume('a')).toBe(60);
});

test('uses during a reconciliation count too', async () => {
  const limiters = gateways.limits.map((each) => each.reconciled(RULE));
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(await use(0, 5, limiters)).toBe(5);
  counts.until = promise;
  const reconciling = gateways.reconcile(0);
  expect(await use(0, 4, limiters)).toBe(4);
  resolve();
  await reconciling;
  expect(await use(0, 5, limiters)).toBe(1);
});

test('nothing is given back to a window that may have ended when the request arrives', async () => {
  const reserved = await gateways.limits[0]!.exact(RULE).reserve('a');
  now += 59_000;
  if (reserved.waitSeconds === null) reserved.giveBack();
  await gateways.reconcile(0);
  expect(counts.asked).toBe(1);
});

test('a key over its limit asks the shared counts once a second', async () => {
  const limiter = gateways.limits[0]!.exact({ ...RULE, points: 1 });
  for (let request = 0; request < 50; request += 1) await limiter.consume('a');
  expect(counts.asked).toBe(2);
  now += 1_000;
  await limiter.consume('a');
  expect(counts.asked).toBe(3);
});

test('a stopping gateway adds its pending uses', async () => {
  const limiters = gateways.limits.map((each) => each.reconciled(RULE));
  await use(0, 10, limiters);
  await gateways.limits[0]!.close();
  await use(1, 1, limiters);
  await gateways.reconcile(1);
  expect(await use(1, 10, limiters)).toBe(0);
});
