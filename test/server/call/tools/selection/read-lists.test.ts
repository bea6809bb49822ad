import { expect, test } from 'vitest';
import { ReadList, ReadLists } from '../../../../../server/call/tools/selection/read-lists.ts';
import { startCpuClock } from '../../../../support/cpu-clock.ts';

const NOW = 1_700_000_000_000;
const MB = 1024 * 1024;

function listOf(connectionId: string, items: number, item: object = {}, keys: readonly string[] = ['a']): ReadList {
  const list = new ReadList(connectionId, NOW);
  for (let index = 0; index < items; index += 1) list.add(keys, item);
  list.close({ data: [] }, null);
  return list;
}

test('many lists of many connections take no more than 32 MB, and the oldest goes first', () => {
  const lists = new ReadLists();
  const text = 'x'.repeat(1000);
  for (let user = 0; user < 60; user += 1) {
    const list = listOf(`user-${user}`, 1500, { text });
    expect(lists.end(`id-${user}`, lists.begin(list))).toBe(true);
    expect(lists.bytes).toBeLessThanOrEqual(32 * MB);
  }
  expect(lists.find('id-0', NOW)).toBeUndefined();
  expect(lists.find('id-59', NOW)).toBeDefined();
});

test('many lists of one connection push out only its own', () => {
  const lists = new ReadLists();
  lists.end('quiet', lists.begin(listOf('quiet', 1)));
  for (let list = 0; list < 500; list += 1) lists.end(`id-${list}`, lists.begin(listOf('loud', 1)));
  expect(lists.find('quiet', NOW)).toBeDefined();
  expect([495, 496, 499].map((list) => lists.find(`id-${list}`, NOW) !== undefined)).toEqual([false, true, true]);
});

test('a list over 8 MB stops growing and is not kept, however small its items are', () => {
  const lists = new ReadLists();
  for (const [items, item] of [
    [200_000, 0],
    [2000, { text: 'x'.repeat(5000) }],
  ] as const) {
    const list = listOf('user', items, item as object);
    expect(list.isTooLarge).toBe(true);
    expect(list.bytes).toBeLessThan(8.1 * MB);
    expect(lists.end('id', lists.begin(list))).toBe(false);
  }
  expect(lists.bytes).toBe(0);
});

test('an item has few keys, none of them long', () => {
  const keys = [...Array.from({ length: 100_000 }, (_, index) => `k${index}`), 'x'.repeat(101)];
  const list = listOf('user', 1, {}, keys);
  expect(list.bytes).toBeLessThan(1000);
  expect([list.find('k1'), list.find('k21'), list.find('x'.repeat(101))]).toEqual(['[{}]', null, null]);
});

test('a near key is found fast among as many as a list may have', () => {
  const list = new ReadList('user', NOW);
  for (let index = 0; !list.isTooLarge; index += 1) list.add([`${index} ${'abcdefghij'.repeat(9)}`], index);
  const cpuMs = startCpuClock();
  list.findNearestKeys(`17 ${'abcdefghik'.repeat(9)}`);
  expect(cpuMs()).toBeLessThan(1500);
});

test('a list that is read on has what was read before, which stays as it was', () => {
  const first = listOf('user', 2);
  const second = new ReadList('user', NOW + 1000, first);
  second.add(['b'], { b: 1 });
  expect([first.length, second.length, second.requestedAt, second.find('B')]).toEqual([2, 3, NOW, '[{"b":1}]']);
});
