import { expect, test } from 'vitest';
import { select } from '../../scripts/evals/select.ts';

test('a question to records goes through lists, groups and tests', () => {
  const records = [
    { day: '2025-01-02', price: 3, tags: [{ name: 'a', value: 1 }] },
    { day: '2025-05-02', price: 5, tags: [{ name: 'b', value: 2 }] },
    { day: '2026-01-02', price: 4, tags: [] },
  ];
  expect(select(records, { max: 'price', by: 'day 4' })).toEqual([
    ['2025', 5],
    ['2026', 4],
  ]);
  expect(select(records, { where: { 'tags[name=b].value': { gt: 1 } }, take: 'price' })).toEqual([5]);
  expect(select(records, { where: { price: { gte: 4 }, day: { lt: '2026' } }, count: true })).toBe(1);
  expect(select(records, { average: 'price' })).toBe(4);
});
