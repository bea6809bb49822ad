import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ExactSum } from '../../../../../server/call/tools/selection/exact-sum.ts';
import { toRawNumber } from '../../../../../shared/exact-json.ts';
import { type Item, idsOf, type Served, serveItems } from './support.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const IDS = ['725653563933458434', '725653563933458433', '12345678901234567890', '7', '-725653563933458433'];

async function list(args: Record<string, unknown>, numbers = IDS) {
  served = await serveItems(numbers.map((id) => ({ id: toRawNumber(id) }) as unknown as Item));
  return served.list(args);
}

test.each<[string, object, readonly unknown[]]>([
  ['equals the text of the digits', { id: '725653563933458433' }, ['725653563933458433']],
  ['equals the number itself', { id: toRawNumber('725653563933458434') }, ['725653563933458434']],
  [
    'is one of several',
    { id: ['725653563933458433', toRawNumber('12345678901234567890')] },
    ['725653563933458433', '12345678901234567890'],
  ],
  [
    'is more than its neighbour',
    { id: { more: '725653563933458433' } },
    ['725653563933458434', '12345678901234567890'],
  ],
  [
    'is less than its neighbour',
    { id: { less: toRawNumber('725653563933458434') } },
    ['725653563933458433', 7, '-725653563933458433'],
  ],
  ['is at most itself', { id: { atMost: '-725653563933458433' } }, ['-725653563933458433']],
  ['is at least itself', { id: { atLeast: '12345678901234567890' } }, ['12345678901234567890']],
  [
    'is not its neighbour',
    { id: { not: '725653563933458433' } },
    ['725653563933458434', '12345678901234567890', 7, '-725653563933458433'],
  ],
])('an item is found whose number %s', async (_title, where, want) => {
  expect(idsOf(await list({ where }))).toEqual(want);
});

test.each([
  ['id', ['-725653563933458433', 7, '725653563933458433', '725653563933458434', '12345678901234567890']],
  ['-id', ['12345678901234567890', '725653563933458434', '725653563933458433', 7, '-725653563933458433']],
])('items are in the order of the exact values: %s', async (sort, want) => {
  expect(idsOf(await list({ sort }))).toEqual(want);
});

test('figures have every digit, and averages have 15', async () => {
  const aggregate = { min: 'id', max: 'id', sum: 'id', average: 'id', count: true };
  const { structuredContent } = await list({ aggregate });
  expect(structuredContent?.aggregate).toEqual({
    count: 5,
    min: '-725653563933458433',
    max: '12345678901234567890',
    sum: '13071332465168026331',
    average: 2614266493033610000,
  });
});

test('groups are those of the exact values', async () => {
  const { structuredContent } = await list({ aggregate: { by: 'id' } }, ['725653563933458434', '725653563933458433']);
  expect(structuredContent?.aggregate).toMatchObject({
    groups: [
      { by: '725653563933458433', count: 1 },
      { by: '725653563933458434', count: 1 },
    ],
  });
});

test('a sum of integers is exact', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.bigInt(), fc.maxSafeInteger().map(BigInt)), { minLength: 1 }), (values) => {
      const sum = new ExactSum();
      for (const value of values) sum.add(Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
      expect(String(sum.total)).toBe(String(values.reduce((all, value) => all + value)));
    }),
  );
});

test.each<[readonly (number | string)[], number | string | null]>([
  [[], null],
  [[0.1, 0.2], 0.3],
  [['12345678901234567.89', 0.11], '12345678901234568'],
  [['0.12345678901234567891', '-0.02345678901234567891'], 0.1],
  [[Number.MAX_SAFE_INTEGER], Number.MAX_SAFE_INTEGER],
  [[1e300, -1e300, 5], 5],
])('the sum of %j is %j', (values, want) => {
  const sum = new ExactSum();
  for (const value of values) sum.add(value);
  expect(sum.total).toBe(want);
});
