import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, type Fixture, textOf } from '../support.ts';
import { type Item, idsOf, LIST, nextOf } from './support.ts';

const { properties } = LIST.inputSchema as unknown as { readonly properties: object };
const FILTERED: Tool = {
  ...LIST,
  inputSchema: {
    ...LIST.inputSchema,
    properties: {
      ...properties,
      state: { type: 'string', minLength: 1 },
      search: { type: 'string' },
      ids: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
      kind: { type: 'string', enum: ['a', 'b'] },
      from: { type: 'string', format: 'date-time' },
      until: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      least: { type: 'integer' },
    },
  },
  request: {
    query: Object.fromEntries(
      ['cursor', 'limit', 'state', 'search', 'kind', 'from', 'until', 'day', 'least', 'ids'].map((name) => [
        name,
        name,
      ]),
    ),
  },
  filters: {
    type: { equals: 'kind' },
    'owner.name': { equals: 'state' },
    name: { contains: 'search' },
    id: { in: 'ids' },
    createdAt: { atLeast: 'from', atMost: 'until', equals: 'day' },
    amount: { atLeast: 'least' },
  },
};

interface Filtering extends Fixture {
  /** The queries, without paging. */
  readonly asked: Record<string, string>[];
}

const open = closeAfterEach<Filtering>();

const people: readonly Item[] = Array.from({ length: 30 }, (_, index) => ({
  id: index,
  name: `N${index}`,
  type: index % 2 === 0 ? 'a' : 'b',
  owner: { name: index % 3 === 0 ? 'open' : 'closed' },
  amount: index,
  createdAt: `2026-01-${String(index + 1).padStart(2, '0')}T12:00:00Z`,
}));

async function serve(honours: (item: Item, query: URLSearchParams) => boolean | number): Promise<Filtering> {
  const asked: Record<string, string>[] = [];
  const host = await startHost((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host');
    const { cursor = '0', limit = '5', ...query } = Object.fromEntries(searchParams);
    asked.push(query);
    const kept = people.map((item) => [item, honours(item, searchParams)] as const);
    const status = kept.find(([, one]) => typeof one === 'number')?.[1] ?? 200;
    const items = kept.flatMap(([item, one]) => (one === true ? [item] : []));
    const end = Number(cursor) + Number(limit);
    const body = { data: items.slice(Number(cursor), end), next: end < items.length ? String(end) : null };
    response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const fixture = createFixture({ tools: [FILTERED], origin: host.origin });
  const close = async () => {
    await fixture.close();
    await host.close();
  };
  const served = { ...fixture, asked, close };
  open.push(served);
  return served;
}

const exactly = (item: Item, query: URLSearchParams) =>
  (query.get('state') ?? (item.owner as Item).name) === (item.owner as Item).name;

describe('a condition that the service can test', () => {
  test('is asked of it, the answer says so, and one request is enough', async () => {
    const served = await serve(exactly);
    const result = await served.call('library_list', { where: { 'owner.name': 'open' } });
    expect(idsOf(result)).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
    expect(served.asked).toEqual([{ state: 'open' }]);
    expect(textOf(result)).toContain(
      'Asked the service for state="open" itself.\nLooked at 10 items on 1 page: 10 match.',
    );
    expect(nextOf(result)).toBeNull();
  });

  test('is tested by the gateway as well: a service that ignores it changes nothing but the pages', async () => {
    const served = await serve(() => true);
    const result = await served.call('library_list', { where: { 'owner.name': 'open', id: { less: 8 } } });
    expect(idsOf(result)).toEqual([0, 3, 6]);
    expect(served.asked).toHaveLength(3);
  });

  test('is asked of every page, and again by the arguments for the next one', async () => {
    const served = await serve(exactly);
    const first = await served.call('library_list', { where: { 'owner.name': 'closed' }, maxItems: 12 });
    expect(served.asked).toEqual([{ state: 'closed' }, { state: 'closed' }, { state: 'closed' }]);
    const next = nextOf(first) ?? {};
    expect(next).not.toHaveProperty('state');
    const second = await served.call('library_list', next);
    expect(served.asked.at(-1)).toEqual({ state: 'closed' });
    const closed = people.filter(({ id }) => Number(id) % 3 !== 0).map(({ id }) => id);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(closed);
  });

  test.each([400, 404, 422])('is left to the gateway where the service refuses the value with %i', async (status) => {
    const served = await serve((_, query) => (query.has('state') ? status : true));
    const result = await served.call('library_list', { where: { 'owner.name': 'open', id: { less: 4 } } });
    expect(idsOf(result)).toEqual([0, 3]);
    expect(served.asked).toEqual([{ state: 'open' }, {}, {}, {}]);
    expect(textOf(result)).not.toContain('Asked the service');
  });

  test('counts for figures too', async () => {
    const served = await serve(exactly);
    const result = await served.call('library_list', { where: { 'owner.name': 'open' }, aggregate: { sum: 'amount' } });
    expect(result.structuredContent).toMatchObject({ aggregate: { count: 10, sum: 135 } });
    expect(served.asked).toEqual([{ state: 'open' }]);
  });
});

const sent: readonly (readonly [title: string, where: object, query: object])[] = [
  ['one of two members', { type: 'a', amount: 3 }, { kind: 'a' }],
  ['terms in and', { and: [{ type: 'a' }, { id: [2] }] }, { kind: 'a', ids: '2' }],
  ['one value of a list', { type: ['a'] }, { kind: 'a' }],
  ['a value as the only one of a list', { id: 7 }, { ids: '7' }],
  ['the number that a text says', { id: '7' }, {}],
  ['a longer operator by a shorter one', { name: { startsWith: 'N1' } }, { search: 'N1' }],
  ['a text by what contains it', { name: 'N1' }, { search: 'N1' }],
  ['a day as its beginning', { createdAt: { after: '2026-01-05' } }, { from: '2026-01-05T00:00:00.000Z' }],
  ['the end of a day', { createdAt: { atMost: '2026-01-05' } }, { until: '2026-01-06T00:00:00.000Z' }],
  ['a year', { createdAt: { before: '2027' } }, { until: '2027-01-01T00:00:00.000Z' }],
  ['a zone', { createdAt: { atLeast: '2026-01-05T01:00:00+02:00' } }, { from: '2026-01-04T23:00:00.000Z' }],
  ['a day to an argument for days', { createdAt: '2026-01-05' }, { day: '2026-01-05' }],
  ['a number', { amount: { more: 3 } }, { least: '3' }],
];
const notSent: readonly (readonly [title: string, where: object])[] = [
  ['alternatives', { or: [{ type: 'a' }, { amount: 3 }] }],
  ['alternatives of a member', { type: { or: ['a', { contains: 'b' }] } }],
  ['a negation', { not: { type: 'a' } }],
  ['a negation of a member', { type: { not: 'a' } }],
  ['an operator that none is declared for', { type: { startsWith: 'a' } }],
  ['what must hold for one element', { owner: { name: 'open' } }],
  ['a value that the argument does not take', { type: 'A' }],
  ['more values than the argument takes', { id: [1, 2, 3, 4] }],
  ['several values for one', { type: ['a', 'b'] }],
  ['a month to an argument for days', { createdAt: '2026-01' }],
  ['a fraction to an argument for whole numbers', { amount: { more: 2.5 } }],
  ['an empty text', { name: { contains: '' } }],
  ['whether there is a value', { type: { exists: true } }],
];

describe('of a condition, the service', () => {
  test.each(sent)('is asked for %s', async (_, where, query) => {
    const served = await serve(() => true);
    await served.call('library_list', { where, maxItems: 1 });
    expect(served.asked[0]).toEqual(query);
  });

  test.each(notSent)('is never asked for %s', async (_, where) => {
    const served = await serve(() => true);
    await served.call('library_list', { where, maxItems: 1 });
    expect(served.asked[0]).toEqual({});
  });

  test('is not asked by an argument that the caller gave', async () => {
    const served = await serve(() => true);
    const result = await served.call('library_list', { kind: 'b', where: { type: 'a' }, maxItems: 1 });
    expect(served.asked[0]).toEqual({ kind: 'b' });
    expect(textOf(result)).not.toContain('Asked the service');
  });

  test('is not asked by an argument that is pinned, whose value stays', async () => {
    const served = await serve(() => true);
    const permission = { ...FULL_PERMISSION, pins: { library: { kind: 'b' } } };
    const call = { where: { type: 'a' }, maxItems: 1 };
    await served.call('library_list', call, { principal: { permission } });
    expect(served.asked).not.toHaveLength(0);
    for (const query of served.asked) expect(query).toEqual({ kind: 'b' });
  });
});
