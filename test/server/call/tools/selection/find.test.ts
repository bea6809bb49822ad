import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import { ReadLists } from '../../../../../server/call/tools/selection/read-lists.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, type Fixture, textOf } from '../support.ts';
import { type Item, idsOf, LIST } from './support.ts';

const LISTED: Tool = {
  ...LIST,
  inputSchema: {
    ...LIST.inputSchema,
    properties: {
      ...(LIST.inputSchema.properties as object),
      shelf: { type: 'string' },
      mail: { type: 'string', pattern: '@' },
    },
  },
  request: { query: { cursor: 'cursor', limit: 'limit', shelf: 'shelf', mail: 'mail' } },
};
const FIND: Tool = fakeTool({
  name: 'library_find',
  input: {
    properties: { key: { type: 'string', minLength: 1, maxLength: 200 } },
    required: ['key'],
    additionalProperties: false,
  },
  output: { properties: { data: {} } },
  more: {
    request: LISTED.request,
    gatewayArguments: ['key'],
    find: { list: 'library_list', by: [['emails'], ['name', 'owner.name']] },
  },
});
const WRITE: Tool = fakeTool({
  name: 'library_write',
  method: 'POST',
  input: { properties: {} },
  output: { properties: {} },
});

interface Finding extends Fixture {
  readonly asked: string[];
  readonly items: Item[];
  now: number;
  wait: Promise<void> | null;
  find(key: string, principal?: Parameters<Fixture['call']>[2]): ReturnType<Fixture['call']>;
}

const open = closeAfterEach<Finding>();

const people = (count: number): Item[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Ana${id}`,
    owner: { name: 'Ruiz' },
    emails: [`ana${id}@x.example`, `Ruiz.${id}@home.example`],
  }));

type Change = Partial<Tool> & { readonly readLists?: ReadLists };

async function serve(items: Item[], { readLists, ...change }: Change = {}, status = () => 200): Promise<Finding> {
  const asked: string[] = [];
  const host = await startHost(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://host');
    if (request.method === 'POST') return void response.writeHead(200, JSON_TYPE).end('{}');
    asked.push(searchParams.toString());
    if (served.wait !== null) await served.wait;
    const mail = searchParams.get('mail');
    const all = served.items.filter(({ emails }) => mail === null || (emails as string[]).includes(mail));
    const cursor = Number(searchParams.get('cursor') ?? 0);
    const end = cursor + Number(searchParams.get('limit') ?? 5);
    const body = { data: all.slice(cursor, end), next: end < all.length ? String(end) : null };
    response.writeHead(status(), JSON_TYPE).end(JSON.stringify(body));
  });
  const fixture = createFixture({
    tools: [{ ...LISTED, ...change }, { ...FIND, ...(change.result && { result: change.result }) }, WRITE],
    origin: host.origin,
    changes: { now: () => served.now, ...(readLists && { readLists }) },
  });
  const close = async () => {
    await fixture.close();
    await host.close();
  };
  const find: Finding['find'] = (key, options) => fixture.call('library_find', { key }, options);
  const served: Finding = { ...fixture, asked, items, now: Date.now(), wait: null, find, close };
  open.push(served);
  return served;
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a tool that finds items by a key', () => {
  test.each(['ana7@x.example', ' RUIZ.7@HOME.example ', 'ana7 ruiz', 'Ana7  Ruiz'])(
    'finds the one with the key %j, whatever its case and spaces',
    async (key) => {
      const served = await serve(people(33));
      const result = await served.find(key);
      expect(idsOf(result)).toEqual([7]);
      expect(result.structuredContent).toEqual({ data: [served.items[7]], next: null });
      expect(served.asked).toHaveLength(4);
      expect(textOf(result)).toContain('Looked at 33 items on 4 pages: 1 match.');
      expect(textOf(result)).not.toContain('last page');
    },
  );

  test('finds all items with the key, and none that only begins with it', async () => {
    const served = await serve([
      ...people(3),
      { id: 9, name: 'Ana1', owner: { name: 'Ruiz' } },
      { id: 10, name: 'Ana' },
    ]);
    expect(idsOf(await served.find('Ana1 Ruiz'))).toEqual([1, 9]);
    expect(idsOf(await served.find('Ana'))).toEqual([10]);
  });

  test('names near keys where no item has it', async () => {
    const served = await serve(people(12));
    const result = await served.find('Ana7 Ruis');
    expect(result.structuredContent).toEqual({ data: [], next: null });
    expect(textOf(result)).toContain('No item is called "Ana7 Ruis". Near: "Ana7 Ruiz"');
    expect(textOf(await served.find('nobody at all like that'))).toMatch(
      /No item is called "nobody at all like that"\.$/,
    );
  });

  test('names keys that contain the one that no item has, and says how many there are', async () => {
    const served = await serve(people(12));
    expect(textOf(await served.find('Ruiz'))).toMatch(
      /No item is called "Ruiz"\. Near: "Ruiz\.0@home\.example", "Ana0 Ruiz", "[^"]+"\. 24 keys contain it\.$/,
    );
  });

  test('reads the list once for all keys, for two minutes', async () => {
    const served = await serve(people(33));
    await served.find('Ana1 Ruiz');
    served.now += 30_000;
    const again = await served.find('ana32@x.example');
    expect(again.structuredContent).toEqual({ data: [served.items[32]], next: null });
    expect(textOf(again)).toContain('Looked at the 33 items that were read 30 seconds ago.');
    expect(textOf(await served.find('Ana1 Ruis'))).toContain('Near: "Ana1 Ruiz"');
    expect(served.asked).toHaveLength(4);
    served.now += 91_000;
    await served.find('ana32@x.example');
    expect(served.asked).toHaveLength(8);
  });

  test('keeps digits that numbers would lose', async () => {
    const served = await serve([]);
    const json = '{"id":1,"name":"Big","amount":12345678901234567890}';
    served.items.push(
      JSON.parse(json, (name, value) =>
        name === 'amount' ? (JSON as never as Raw).rawJSON('12345678901234567890') : value,
      ),
    );
    for (const _ of [1, 2]) expect(textOf(await served.find('big'))).toContain('"amount":"12345678901234567890"');
    expect(served.asked).toHaveLength(1);
  });

  test('is recorded under its own name, with the status of the service', async () => {
    const served = await serve(people(3));
    await served.find('Ana1 Ruiz');
    expect(served.records).toMatchObject([{ tool: 'library_find', outcome: 'ok', upstreamStatus: 200 }]);
  });

  test('finds nothing by what its list withholds, and does not name it', async () => {
    const served = await serve(people(3), { result: { withhold: { 'data.emails': 'drop' } } });
    for (const _ of [1, 2]) {
      const result = await served.find('ana1@x.example');
      expect(idsOf(result)).toEqual([]);
      expect(textOf(result)).toMatch(/No item is called "ana1@x.example"\.$/);
      expect(JSON.stringify(await served.find('Ana1 Ruiz'))).not.toContain('example');
    }
  });

  test('shows only what its list keeps, and finds nothing by the rest', async () => {
    const served = await serve(people(3), { result: { keep: ['data.id', 'data.emails'] } });
    for (const _ of [1, 2]) {
      expect(idsOf(await served.find('Ana1 Ruiz'))).toEqual([]);
      expect((await served.find('ana1@x.example')).structuredContent).toEqual({
        data: [{ id: 1, emails: ['ana1@x.example', 'Ruiz.1@home.example'] }],
      });
    }
    expect(textOf(await served.find('Ana2 Ruis'))).toMatch(/No item is called "Ana2 Ruis"\.$/);
  });
});

interface Raw {
  rawJSON(text: string): object;
}

describe('what was read of a list', () => {
  const others: readonly (readonly [string, object])[] = [
    [
      'another user',
      {
        connections: new Map([
          ['library', { id: 'user-2/library', status: 'active', sealedCredential: null, updatedAt: 7 }],
        ]),
        userId: 'user-2',
      },
    ],
    ['another client of the user', { grantId: 'grant-2' }],
    [
      'a call with another credential of the same connection',
      {
        connections: new Map([
          ['library', { id: 'user-1/library', status: 'active', sealedCredential: null, updatedAt: 8 }],
        ]),
      },
    ],
    ['a call with another pinned argument', { permission: { ...FULL_PERMISSION, pins: { library: { shelf: 'b' } } } }],
  ];
  test.each(others)('is not used for %s', async (_, principal) => {
    const served = await serve(people(3));
    await served.find('Ana1 Ruiz');
    served.items.splice(0, 3, { id: 'other', name: 'Ana1', owner: { name: 'Ruiz' } });
    expect(idsOf(await served.find('Ana1 Ruiz', { principal }))).toEqual(['other']);
    expect(idsOf(await served.find('Ana1 Ruiz'))).toEqual([1]);
  });

  test('is dropped by a write of the connection, and not by one of another', async () => {
    const served = await serve(people(3));
    await served.find('Ana1 Ruiz');
    const connections = new Map([
      ['library', { id: 'user-2/library', status: 'active', sealedCredential: null, updatedAt: 7 }],
    ]);
    await served.call('library_write', {}, { principal: { connections } as never });
    await served.find('Ana1 Ruiz');
    expect(served.asked).toHaveLength(1);
    await served.call('library_write');
    await served.find('Ana1 Ruiz');
    expect(served.asked).toHaveLength(2);
  });

  test('is dropped by a write that other tools of the same process make', async () => {
    const readLists = new ReadLists();
    const [served, other] = [await serve(people(3), { readLists }), await serve([], { readLists })];
    await served.find('Ana1 Ruiz');
    await other.call('library_write');
    await served.find('Ana1 Ruiz');
    expect(served.asked).toHaveLength(2);
  });

  test('is not kept if the connection wrote meanwhile', async () => {
    const served = await serve(people(3));
    let go = () => {};
    served.wait = new Promise((resolve) => {
      go = resolve;
    });
    const slow = served.find('Ana1 Ruiz');
    await expect.poll(() => served.asked.length).toBe(1);
    await served.call('library_write');
    go();
    expect(idsOf(await slow)).toEqual([1]);
    await served.find('Ana1 Ruiz');
    expect(served.asked).toHaveLength(2);
  });

  test('of a list that is longer than one call reads is read on by the next call', async () => {
    const served = await serve(people(620));
    const first = await served.find('Ana610 Ruiz');
    expect(idsOf(first)).toEqual([]);
    expect(textOf(first)).toContain('stopped after 50 requests. This is a part of the list.');
    expect(textOf(first)).toContain('Call again to look on.');
    expect(idsOf(await served.find('Ana610 Ruiz'))).toEqual([610]);
    expect(served.asked).toHaveLength(62);
    expect(idsOf(await served.find('Ana3 Ruiz'))).toEqual([3]);
    expect(served.asked).toHaveLength(62);
  });

  test('before a page failed is kept, so that the next call begins there', async () => {
    let requests = 0;
    const served = await serve(people(30), {}, () => (++requests === 3 ? 500 : 200));
    const first = await served.find('Ana25 Ruiz');
    expect(textOf(first)).toContain('because the next page failed');
    expect(textOf(await served.find('Ana5 Ruiz'))).toContain('The list goes on.');
    expect(idsOf(await served.find('Ana25 Ruiz'))).toEqual([25]);
    expect(served.asked.map((query) => new URLSearchParams(query).get('cursor'))).toEqual([null, '10', '20', '20']);
  });

  test('is not kept where it is too large, and the answer says how to look on', async () => {
    const long = 'x'.repeat(12_000);
    const served = await serve(people(520).map((one) => ({ ...one, data: long })));
    const result = await served.find('Ana515 Ruiz');
    expect(textOf(result)).toContain('Look on with library_list and where.');
    const asked = served.asked.length;
    const other = await served.find('Ana499 Ruiz');
    expect(served.asked.length).toBe(asked * 2);
    expect(idsOf(other)).toEqual([499]);
    expect(textOf(other)).not.toContain('No item is called');
  });
});

describe('the rights of a tool that finds items', () => {
  test('are not there without those of its list', async () => {
    const served = await serve(people(3));
    const permission = { ...FULL_PERMISSION, without: ['library_list'] };
    expect(errorOf(await served.find('Ana1 Ruiz', { principal: { permission } }))).toMatchObject({
      code: 'not_allowed',
    });
    expect(served.asked).toEqual([]);
  });

  test('hold what is pinned for its list, which it does not take itself', async () => {
    const served = await serve(people(13));
    const permission = { ...FULL_PERMISSION, pins: { library: { shelf: 'a' } } };
    await served.find('Ana1 Ruiz', { principal: { permission } });
    expect(served.asked.map((query) => new URLSearchParams(query).get('shelf'))).toEqual(['a', 'a']);
    const result = await served.call('library_find', { key: 'x', shelf: 'b' }, { principal: { permission } });
    expect(errorOf(result)).toMatchObject({ code: 'invalid_arguments' });
  });

  test('are not there where its list cannot hold what is pinned', async () => {
    const served = await serve(people(3));
    const permission = { ...FULL_PERMISSION, pins: { library: { room: 'a' } } };
    expect(errorOf(await served.find('Ana1 Ruiz', { principal: { permission } }))).toMatchObject({
      code: 'not_allowed',
    });
  });
});

describe('a filter of the service for a key', () => {
  const filters = { emails: { equals: 'mail' } };

  test('is asked first, and what it finds is the answer', async () => {
    const served = await serve(people(33), { filters });
    const result = await served.find('ana7@x.example');
    expect(idsOf(result)).toEqual([7]);
    expect(textOf(result)).toContain('Asked the service for mail="ana7@x.example" itself.');
    expect(served.asked).toEqual(['limit=10&mail=ana7%40x.example']);
  });

  test('that finds nothing is followed by the whole list: its case may differ', async () => {
    const served = await serve(people(33), { filters });
    const result = await served.find('ANA7@x.example');
    expect(idsOf(result)).toEqual([7]);
    expect(served.asked).toHaveLength(5);
    expect(idsOf(await served.find('Ana8@x.example'))).toEqual([8]);
    expect(served.asked).toHaveLength(5);
  });

  test('is not asked for a value that it does not take', async () => {
    const served = await serve(people(3), { filters });
    await served.find('Ana1 Ruiz');
    expect(served.asked).toEqual(['limit=10']);
  });
});
