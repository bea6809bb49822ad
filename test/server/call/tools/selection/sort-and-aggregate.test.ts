import { describe, expect, test } from 'vitest';
import type { CompleteToolResult } from '../../../../../server/call/tools/provider.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { errorOf, textOf } from '../support.ts';
import { type Item, idsOf, nextOf, type Served, type ServeOptions, serveItems } from './support.ts';

const open = closeAfterEach<Served>();

async function serve(items: readonly Item[], options?: ServeOptions): Promise<Served> {
  const served = await serveItems(items, options);
  open.push(served);
  return served;
}

const sales: readonly Item[] = Array.from({ length: 45 }, (_, index) => ({
  id: index,
  name: `Sale ${(index * 7) % 45}`,
  amount: index % 9 === 8 ? null : (index * 13) % 100,
  type: ['card', 'cash', 'Wire'][index % 3],
  createdAt: `${2020 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}-15T10:00:00Z`,
  emails: index % 2 === 0 ? ['a', 'b'] : ['b'],
}));
const amounts = sales.flatMap(({ amount }) => (typeof amount === 'number' ? [amount] : []));
const figures = ({ structuredContent }: CompleteToolResult) => structuredContent?.aggregate;

describe('sort', () => {
  test('orders the items of all pages, those without a value last', async () => {
    const served = await serve(sales);
    const up = idsOf(await served.list({ sort: 'amount' })) as number[];
    const down = idsOf(await served.list({ sort: '-amount,id' })) as number[];
    const amountOf = (id: number) => sales[id]?.amount as number | null;
    const byAmount = (sign: number) => (a: Item, b: Item) =>
      Number(a.amount === null) - Number(b.amount === null) || sign * ((a.amount as number) - (b.amount as number));
    expect(up.map(amountOf)).toEqual([...sales].sort(byAmount(1)).map(({ amount }) => amount));
    expect(down.map(amountOf)).toEqual([...sales].sort(byAmount(-1)).map(({ amount }) => amount));
    expect(up.slice(-5).map(amountOf)).toEqual([null, null, null, null, null]);
  });

  test('gives the first items of the whole list with maxItems or the size of a page', async () => {
    const served = await serve(sales);
    for (const size of [{ maxItems: 3 }, { limit: 3 }]) {
      const result = await served.list({ where: { type: 'card' }, sort: 'createdAt desc', ...size });
      expect(idsOf(result)).toEqual([42, 39, 36]);
      expect(textOf(result)).toContain('Sorted by -createdAt, the first 3 of 15.');
      expect(nextOf(result)).toBeNull();
    }
  });

  test('orders texts without case and dates as moments', async () => {
    const served = await serve([
      { id: 1, name: 'b', createdAt: '2024-01-01T10:00:00+02:00' },
      { id: 2, name: 'A', createdAt: '2024-01-01T09:00:00Z' },
      { id: 3, name: 'C', createdAt: '2024-01-01' },
    ]);
    expect(idsOf(await served.list({ sort: 'name' }))).toEqual([2, 1, 3]);
    expect(idsOf(await served.list({ sort: 'createdAt' }))).toEqual([3, 1, 2]);
  });

  test('says that it sorted only what was read', async () => {
    const served = await serve(sales, { answer: ({ cursor }) => (cursor === 20 ? [500, {}] : null) });
    const result = await served.list({ sort: '-id', maxItems: 2 });
    expect(idsOf(result)).toEqual([19, 18]);
    expect(textOf(result)).toContain('Sorted by -id, only what was read, the first 2 of 20.');
    expect(nextOf(result)).toMatchObject({ cursor: '20', sort: '-id', maxItems: 2 });
  });

  test('keeps no more than the answer has room for', async () => {
    const long = sales.map((sale) => ({ ...sale, data: 'x'.repeat(1000) }));
    const served = await serve(long, { changes: { resultTokens: 3000 } });
    const result = await served.list({ sort: '-id' });
    expect(idsOf(result)).toEqual([44, 43, 42, 41, 40, 39]);
    expect(textOf(result)).toContain('the first 6 of 45');
  });

  test.each([
    ['amuont', /no member "amuont"\. Did you mean "amount"\?/],
    ['a,b,c,d', /one to 3 members/],
    [`-${' '.repeat(100_000)}x`, /has no member|names no member/],
    ['__proto__', /no member "__proto__"/],
  ])('refuses %j', async (sort, message) => {
    const served = await serve(sales);
    expect(errorOf(await served.list({ sort }))).toMatchObject({ message: expect.stringMatching(message) });
    expect(served.asked).toEqual([]);
  });
});

describe('aggregate', () => {
  test('computes over all pages, without items', async () => {
    const served = await serve(sales);
    const aggregate = { count: true, min: 'amount', max: 'amount', sum: 'amount', average: 'amount', first: 'id' };
    const result = await served.list({ aggregate, maxItems: 2 });
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    expect(result.structuredContent).toEqual({
      aggregate: {
        count: 45,
        min: Math.min(...amounts),
        max: Math.max(...amounts),
        sum,
        average: Number((sum / amounts.length).toPrecision(15)),
        first: 0,
      },
      page: { nextArguments: null },
    });
    expect(textOf(result)).toContain('Looked at 45 items on 5 pages.');
    expect(served.faults).toEqual([]);
  });

  test('groups by the months and years of a date, in their order', async () => {
    const served = await serve([...sales].reverse());
    const where = { amount: { exists: true } };
    expect(
      figures(
        await served.list({ where, aggregate: { last: 'id', first: ['id', 'type'], by: 'createdAt', per: 'year' } }),
      ),
    ).toEqual({
      count: 40,
      first: { id: 0, type: 'card' },
      last: 43,
      groups: [
        { by: '2020', count: 11, first: { id: 0, type: 'card' }, last: 11 },
        { by: '2021', count: 11, first: { id: 12, type: 'card' }, last: 23 },
        { by: '2022', count: 10, first: { id: 24, type: 'card' }, last: 34 },
        { by: '2023', count: 8, first: { id: 36, type: 'card' }, last: 43 },
      ],
    });
    const { groups } = figures(await served.list({ aggregate: { by: { month: 'createdAt' } } })) as { groups: Item[] };
    expect(groups).toHaveLength(45);
    expect(groups[0]).toEqual({ by: '2020-01', count: 1 });
  });

  test('groups by a member, the largest first, and counts an item in the group of each of its values', async () => {
    const served = await serve(sales);
    expect(figures(await served.list({ aggregate: { sum: 'amount', groupBy: 'type' } }))).toMatchObject({
      groups: [
        { by: 'Wire', count: 15 },
        { by: 'card', count: 15 },
        { by: 'cash', count: 15 },
      ],
    });
    expect(figures(await served.list({ aggregate: { by: 'emails' } }))).toEqual({
      count: 45,
      groups: [
        { by: 'b', count: 45 },
        { by: 'a', count: 23 },
      ],
    });
  });

  test('takes the first and last in the order of sort', async () => {
    const served = await serve(sales);
    expect(figures(await served.list({ aggregate: { first: 'id', last: 'id' }, sort: '-amount' }))).toMatchObject({
      first: sales.find(({ amount }) => amount === Math.max(...amounts))?.id,
    });
  });

  test('counts the items of more than 200 groups together', async () => {
    const served = await serve(Array.from({ length: 300 }, (_, id) => ({ id, amount: 1 })));
    const result = figures(await served.list({ aggregate: { sum: 'amount', by: 'id' } })) as { groups: Item[] };
    expect(result.groups).toHaveLength(200);
    expect(result).toMatchObject({ count: 300, sum: 300, others: { count: 100, sum: 100 } });
  });

  test('adds without losing cents', async () => {
    const served = await serve(Array.from({ length: 30 }, (_, id) => ({ id, amount: id % 2 === 0 ? '0.1' : 0.2 })));
    expect(figures(await served.list({ aggregate: { sum: 'amount' } }))).toEqual({ count: 30, sum: 4.5 });
  });

  test('of a part of the list says so, and goes on with the next part', async () => {
    const served = await serve(sales, { answer: ({ cursor }) => (cursor === 20 ? [429, {}] : null) });
    const result = await served.list({ aggregate: { max: 'id' } });
    expect(figures(result)).toEqual({ count: 20, max: 19 });
    expect(textOf(result)).toContain('This is a part of the list, and the figures are only of it.');
    expect(nextOf(result)).toEqual({ cursor: '20', aggregate: { max: 'id' } });
  });

  test.each([
    [{ median: 'amount' }, /has no "median"\. Known: count, min/],
    [{ summ: 'amount' }, /has no "summ"\. Did you mean "sum"\?/],
    [{ sum: 'amonut' }, /no member "amonut"\. Did you mean "amount"\?/],
    [{ sum: true }, /"sum" must name a member/],
    [{ by: 'createdAt', per: 'fortnight' }, /"per" must be year, month, day/],
    [{ per: 'month' }, /"per" needs "by"/],
    [{ min: Array.from({ length: 11 }, () => 'id') }, /more than 10 figures/],
    [JSON.parse('{"__proto__": "id"}'), /has no "__proto__"/],
    [{ by: 'createdAt', per: 'constructor' }, /"per" must be/],
  ])('refuses %j', async (aggregate, message) => {
    const served = await serve(sales);
    expect(errorOf(await served.list({ aggregate }))).toMatchObject({ message: expect.stringMatching(message) });
    expect(served.asked).toEqual([]);
  });
});
