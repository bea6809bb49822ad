import { describe, expect, test } from 'vitest';
import { readCondition } from '../../../../../server/call/tools/selection/condition.ts';
import { createLookup, itemsOf } from '../../../../../server/call/tools/selection/items.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { startCpuClock } from '../../../../support/cpu-clock.ts';
import { errorOf, textOf } from '../support.ts';
import { type Item, idsOf, LIST, nextOf, type Served, type ServeOptions, serveItems } from './support.ts';

const open = closeAfterEach<Served>();

async function serve(items: readonly Item[], options?: ServeOptions): Promise<Served> {
  const served = await serveItems(items, options);
  open.push(served);
  return served;
}

const people: readonly Item[] = Array.from({ length: 47 }, (_, index) => ({
  id: index + 1,
  name: index % 2 === 0 ? `Ana ${index}` : `Bo ${index}`,
  emails: [`p${index}@x.com`, `P${index}@Home.example`],
  amount: index,
  createdAt: new Date(Date.UTC(2024, 0, 1 + index * 10, 12)).toISOString(),
  owner: { name: index % 3 === 0 ? 'Cy' : null },
  fields: [
    { name: 'Status', value: { text: index % 5 === 0 ? 'Won' : 'Open' } },
    { name: 'Won', value: { text: 'Never' } },
  ],
}));

const matching: readonly (readonly [title: string, where: object, test: (index: number) => boolean])[] = [
  ['a bare value', { name: 'Ana 4' }, (index) => index === 4],
  ['contains, without case', { name: { contains: 'ANA 1' } }, (index) => index % 2 === 0 && /^1/.test(String(index))],
  ['any element of a list', { emails: { startsWith: 'p7@' } }, (index) => index === 7],
  ['endsWith', { emails: { endsWith: '@home.EXAMPLE' }, id: { less: 3 } }, (index) => index < 2],
  ['several operators of one member', { amount: { more: 3, atMost: 6 } }, (index) => index > 3 && index <= 6],
  ['a list of values', { id: { in: [3, 5] } }, (index) => index === 2 || index === 4],
  ['a bare list', { id: [3, '5'] }, (index) => index === 2 || index === 4],
  ['a nested member', { owner: { name: 'Cy' }, id: { less: 9 } }, (index) => index % 3 === 0 && index < 8],
  ['a dotted member', { 'owner.name': 'Cy', id: { less: 9 } }, (index) => index % 3 === 0 && index < 8],
  ['a missing value', { 'owner.name': null, id: { less: 9 } }, (index) => index % 3 !== 0 && index < 8],
  ['exists', { owner: { name: { exists: true } }, id: { less: 9 } }, (index) => index % 3 === 0 && index < 8],
  ['two members of one element', { fields: { name: 'Status', 'value.text': 'Won' } }, (index) => index % 5 === 0],
  ['not', { not: { name: { contains: 'ana' } }, id: { less: 9 } }, (index) => index % 2 === 1 && index < 8],
  ['not of a member', { name: { not: { contains: 'ana' } }, id: { less: 9 } }, (index) => index % 2 === 1 && index < 8],
  ['not of a value', { id: { not: 1, less: 4 } }, (index) => index === 1 || index === 2],
  ['or', { or: [{ id: 2 }, { name: 'Ana 8' }] }, (index) => index === 1 || index === 8],
  ['or of a member', { name: { or: [{ contains: 'o 11' }, 'Ana 8'] } }, (index) => index === 11 || index === 8],
  ['and', { and: [{ id: { more: 4 } }, { id: { less: 7 } }] }, (index) => index === 4 || index === 5],
  ['a day', { createdAt: '2024-01-11' }, (index) => index === 1],
  ['a month', { createdAt: { equals: '2024-02' } }, (index) => index >= 4 && index <= 5],
  ['after a day', { createdAt: { after: '2025-03-01' } }, (index) => index >= 43],
  ['before a moment', { createdAt: { before: '2024-01-11T13:00:00+02:00' } }, (index) => index < 1],
  ['to the end of a day', { createdAt: { atMost: '2024-01-11' } }, (index) => index <= 1],
  ['after a year', { createdAt: { after: '2025' } }, (index) => index >= 37],
  ['operators of other languages', { amount: { $gte: 3, lt: 5 } }, (index) => index === 3 || index === 4],
  ['like, with % at the end', { name: { like: 'bo 1%' } }, (index) => index % 2 === 1 && /^1/.test(String(index))],
  ['like, with % at the beginning', { name: { ilike: '% 5' } }, (index) => index === 5],
  ['like, only at the beginning of a text', { name: { like: '1%' } }, () => false],
  ['like, only at the end of a text', { name: { like: '%Bo' } }, () => false],
  [
    'like, with % at both ends',
    { name: { like: '%1%' }, id: { less: 13 } },
    (index) => index === 1 || (index >= 10 && index < 12),
  ],
  ['paths of the answer', { 'data[].owner.name': 'Cy', 'data.id': { less: 5 } }, (index) => index === 0 || index === 3],
  ['a short name that is unique', { label: 'x' }, () => false],
  ['another spelling', { created_at: '2024-01-11' }, (index) => index === 1],
];

describe('where', () => {
  test.each([
    ['seconds', 1],
    ['milliseconds', 1000],
  ])('compares %s since 1970 with a year', async (_, unit) => {
    const times = [2024, 2025, 2026].map((year) => (Date.UTC(year, 6) / 1000) * unit);
    const served = await serve(times.map((createdAt, id) => ({ id, createdAt })) as never);
    expect(idsOf(await served.list({ where: { createdAt: { before: '2025' } } }))).toEqual([0]);
    expect(idsOf(await served.list({ where: { createdAt: { after: 2025 } } }))).toEqual([1, 2]);
  });

  test('compares years with a year', async () => {
    const served = await serve([2024, 2025, 2026].map((createdAt, id) => ({ id, createdAt })) as never);
    expect(idsOf(await served.list({ where: { createdAt: { before: '2025' } } }))).toEqual([0]);
  });

  test.each(matching)('finds items by %s', async (_, where, accepts) => {
    const served = await serve(people);
    const result = await served.list({ where });
    expect(result.isError, textOf(result)).toBeUndefined();
    expect(idsOf(result)).toEqual(people.flatMap(({ id }, index) => (accepts(index) ? [id] : [])));
    expect(nextOf(result)).toBeNull();
    expect(served.asked).toEqual([0, 10, 20, 30, 40].map((cursor) => ({ cursor, limit: 10 })));
  });

  test('says how many items it looked at and found', async () => {
    const served = await serve(people);
    const result = await served.list({ where: { name: { contains: 'ana 1' } }, fields: ['id'] });
    expect(textOf(result)).toContain('Looked at 47 items on 5 pages: 5 match.');
    expect(result.structuredContent?.data).toEqual([11, 13, 15, 17, 19].map((id) => ({ id })));
  });

  test.each([
    [['id', 'owner.name', 'extra.deep.er']],
    ['id, owner.name, extra.deep.er'],
    [['data[].id', '$.data.owner.name', 'data.extra.deep.er']],
  ])('takes fields %j by paths of an item, also into members that no schema lists', async (fields) => {
    const data = { items: { properties: { id: {}, owner: { properties: { name: {} } }, extra: {} } } };
    const tool = { ...LIST, outputSchema: { type: 'object' as const, properties: { data, next: {} } } };
    const served = await serve(
      people.map((person) => ({ ...person, extra: { deep: { er: 1, more: 2 } } })),
      { tool },
    );
    const result = await served.list({ where: { id: 1 }, fields });
    expect(result.structuredContent?.data).toEqual([{ id: 1, owner: { name: 'Cy' }, extra: { deep: { er: 1 } } }]);
  });

  test('stops with as many items as were asked for, exactly, and goes on after them', async () => {
    const served = await serve(people);
    const where = { name: { contains: 'ana' } };
    const seen: unknown[] = [];
    let args: Record<string, unknown> | null | undefined = { where, maxItems: 7 };
    let calls = 0;
    while (args != null && calls < 20) {
      const result = await served.list(args);
      expect(idsOf(result).length).toBeLessThanOrEqual(7);
      seen.push(...idsOf(result));
      args = nextOf(result);
      calls += 1;
    }
    expect(seen).toEqual(people.flatMap(({ id }, index) => (index % 2 === 0 ? [id] : [])));
  });

  test('takes the size of a page for the number of items', async () => {
    const served = await serve(people);
    const result = await served.list({ where: { name: { contains: 'bo' } }, limit: 2 });
    expect(idsOf(result)).toEqual([2, 4]);
    expect(served.asked[0]).toEqual({ cursor: 0, limit: 10 });
    expect(nextOf(result)).toMatchObject({ limit: 2, cursor: '5' });
  });

  test('loses no item when the answer is full', async () => {
    const long = people.map((person) => ({ ...person, data: 'x'.repeat(1000) }));
    const served = await serve(long, { changes: { resultTokens: 3000 } });
    const seen: unknown[] = [];
    let args: Record<string, unknown> | null | undefined = { where: { amount: { atLeast: 5 } } };
    let calls = 0;
    while (args != null && calls < 40) {
      const result = await served.list(args);
      expect(idsOf(result).length).toBeGreaterThan(0);
      expect(Buffer.byteLength(result.content.map(({ text }) => text).join(''))).toBeLessThan(3000 * 2.75);
      seen.push(...idsOf(result));
      args = nextOf(result);
      calls += 1;
    }
    expect(seen).toEqual(people.slice(5).map(({ id }) => id));
  });

  test('keeps what was found before a page failed, and says how far it came', async () => {
    const served = await serve(people, {
      answer: ({ cursor }) => (cursor === 20 ? [503, { message: 'down' }] : null),
    });
    const result = await served.list({ where: { id: { in: [1, 40] } } });
    expect(result.isError).toBeUndefined();
    expect(idsOf(result)).toEqual([1]);
    expect(textOf(result)).toMatch(/Looked at 20 items on 2 pages: 1 match, and stopped because the next page failed/);
    expect(nextOf(result)).toMatchObject({ cursor: '20', where: { id: { in: [1, 40] } } });
  });

  test('stops at the time limit of a call', async () => {
    let now = Date.now();
    const served = await serve(people, {
      answer: () => {
        now += 1000;
        return null;
      },
      changes: { now: () => now },
    });
    const result = await served.list({ where: { name: 'nobody' } });
    expect(textOf(result)).toMatch(
      /Looked at \d+ items on \d pages?: 0 match, and stopped at the time limit of a call/,
    );
    expect(nextOf(result)).toMatchObject({ where: { name: 'nobody' } });
  });

  test('stops after 50 requests', async () => {
    const many = Array.from({ length: 600 }, (_, id) => ({ id }));
    const served = await serve(many);
    const result = await served.list({ where: { id: 599 } });
    expect(served.asked).toHaveLength(50);
    expect(textOf(result)).toContain('Looked at 500 items on 50 pages: 0 match, and stopped after 50 requests.');
    expect(idsOf(await served.list(nextOf(result) ?? {}))).toEqual([599]);
  });

  test('says so if the texts differ only in case', async () => {
    const served = await serve(people);
    expect(textOf(await served.list({ where: { emails: 'P3@X.com' } }))).toContain('"contains" ignores case');
  });

  test('names values that are there if nothing matches', async () => {
    const served = await serve(people);
    const none = textOf(await served.list({ where: { name: 'FINALISED' } }));
    expect(none).toContain('Values of "name" there: "Ana 0", "Bo 1", "Ana 2", "Bo 3", "Ana 4".');
    expect(textOf(await served.list({ where: { 'owner.name': 'Di' } }))).toContain(
      'Values of "owner.name" there: "Cy".',
    );
    expect(textOf(await served.list({ where: { 'owner.name': 'Cy' } }))).not.toContain('there:');
  });

  describe('if no element matches, names values of the elements', () => {
    const deals = [
      { id: 1, fields: [field('Stage', 'Won'), field('Owner', 'Ana')] },
      { id: 2, fields: [field('Stage', 'Lost'), field('Owner', 'Bo')] },
    ];

    function field(name: string, text: string) {
      return { name, value: { text } };
    }

    test.each([
      ['dotted', { fields: { name: 'Stage', 'value.text': 'Wn' } }],
      ['nested', { fields: { name: 'Stage', value: { text: 'Wn' } } }],
      ['with operators', { fields: { name: { equals: 'Stage' }, value: { text: { in: ['Wn', 'Gone'] } } } }],
      ['in alternatives', { or: [{ fields: { name: 'Stage', 'value.text': 'Wn' } }, { id: 9 }] }],
      ['with "and" inside', { fields: { and: [{ name: 'Stage' }, { 'value.text': 'Wn' }] } }],
    ])('%s', async (_title, where) => {
      const served = await serve(deals);
      const text = textOf(await served.list({ where }));
      expect(text).toContain('"Wn" is no known value of "fields.value.text". Did you mean "Won"?');
      expect(text).toContain('Values of "fields.value.text" there: "Won", ');
    });

    test('that pass the rest of the condition, or else of all', async () => {
      const served = await serve(deals);
      const owner = textOf(await served.list({ where: { fields: { name: 'Owner', 'value.text': 'Anna' } } }));
      expect(owner).toContain('Values of "fields.value.text" there: "Ana", "Bo".');
      const both = textOf(await served.list({ where: { fields: { name: 'Stge', 'value.text': 'Wn' } } }));
      expect(both).toContain('"Stge" is no known value of "fields.name". Did you mean "Stage"?');
      expect(both).toContain('Values of "fields.value.text" there: "Won", "Ana", "Lost", "Bo".');
    });

    test('except where the condition excludes the text', async () => {
      const served = await serve(deals);
      const where = { fields: { name: 'Stge', not: { 'value.text': 'Wn' } } };
      expect(textOf(await served.list({ where }))).not.toContain('"Wn" is no known value');
    });

    test('and members that no element has', async () => {
      const bare = { ...LIST, outputSchema: { type: 'object' as const } };
      const served = await serve(deals, { tool: bare });
      const text = textOf(await served.list({ where: { 'data.fields': { nmae: 'Stage' } } }));
      expect(text).toContain('No item has "fields.nmae"');
    });
  });

  describe('if nothing matches, names the nearest value', () => {
    const invoices = LIST.outputSchema.properties as { data: { items: { properties: object } } };
    const members = { ...invoices.data.items.properties, type: { description: 'DRAFT, FINALIZED or VOID.' } };
    const documented = {
      ...LIST,
      inputSchema: {
        ...LIST.inputSchema,
        properties: {
          ...(LIST.inputSchema.properties as object),
          kind: { type: 'string', enum: ['in_review', 'done'] },
        },
      },
      outputSchema: { ...LIST.outputSchema, properties: { ...invoices, data: { items: { properties: members } } } },
      filters: { name: { equals: 'kind' } },
    };

    test.each([
      [
        'that the schema of the member describes',
        { type: 'FINALISED' },
        '"FINALISED" is no known value of "type". Did you mean "FINALIZED"?',
      ],
      [
        'that the filter of the service lists',
        { name: 'in_revew' },
        '"in_revew" is no known value of "name". Did you mean "in_review"?',
      ],
      ['that an item has', { 'owner.name': 'Cyy' }, '"Cyy" is no known value of "owner.name". Did you mean "Cy"?'],
      ['of each in a list', { type: ['DRAF', 'VOIDD'] }, '"VOIDD" is no known value of "type". Did you mean "VOID"?'],
      ['or the documented ones', { type: 'xyz' }, 'Documented values of "type": DRAFT, FINALIZED, VOID.'],
    ])('%s', async (_title, where, note) => {
      const served = await serve(people, { tool: documented });
      expect(textOf(await served.list({ where }))).toContain(note);
    });

    test('of an argument whose list is empty', async () => {
      const served = await serve([], { tool: documented });
      const { properties } = documented.inputSchema;
      const tool = {
        ...documented,
        inputSchema: {
          ...documented.inputSchema,
          properties: { ...properties, kind: { type: 'string', description: 'OPEN or DONE.' } },
        },
      };
      const answered = await serve([], { tool });
      expect(textOf(await answered.list({ kind: 'DOME' }))).toContain(
        '"DOME" is no known value of "kind". Did you mean "DONE"?',
      );
      expect(textOf(await served.list({ kind: 'done' }))).not.toContain('Did you mean');
    });
  });

  test('names the members of items if they have none of the fields', async () => {
    const bare = { ...LIST, outputSchema: { type: 'object' as const } };
    const served = await serve(people, { tool: bare });
    expect(textOf(await served.list({ fields: ['data.nickname'] }))).toContain(
      'No item has a value at "data.nickname". The first one has: id, name, emails',
    );
    expect(textOf(await served.list({ fields: ['data.nickname', 'data.id'] }))).not.toContain('No item has a value');
  });

  test('says so if no item has the member', async () => {
    const bare = { ...LIST, outputSchema: { type: 'object' as const } };
    const served = await serve(people, { tool: bare });
    const result = await served.list({ where: { emial: 'a' } });
    expect(textOf(result)).toContain('No item has "emial". The first one has: id, name, emails');
  });

  test('cannot test what the tool does not return', async () => {
    const secret = people.map((person) => ({ ...person, secret: 'hunter2' }));
    const tool = { ...LIST, result: { keep: ['data.id'] }, outputSchema: { type: 'object' as const } };
    const served = await serve(secret, { tool });
    for (const where of [{ secret: { startsWith: 'h' } }, { secret: { exists: true } }, { name: { contains: 'a' } }]) {
      expect(idsOf(await served.list({ where }))).toEqual([]);
    }
    const sorted = await served.list({ sort: '-name', maxItems: 3 });
    expect(idsOf(sorted)).toEqual([1, 2, 3]);
    const { aggregate } = (await served.list({ aggregate: { max: 'secret', by: 'name' } })).structuredContent ?? {};
    expect(aggregate).toEqual({ count: 47, max: null, groups: [{ by: null, count: 47, max: null }] });
  });

  test('passes exact numbers on, and finds them by their digits', async () => {
    const raw = (digits: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
    const digits = ['12345678901234567890', '12345678901234567891'];
    const served = await serve(digits.map((one) => ({ id: raw(one) })));
    const result = await served.list({ where: { id: digits[1] } });
    expect(textOf(result)).toMatch(/^\{"data":\[\{"id":"12345678901234567891"\}\]/);
  });
});

const refused: readonly (readonly [title: string, where: unknown, message: RegExp])[] = [
  ['an unknown member', { emial: 'a' }, /no member "emial"\. Did you mean "email"\?/],
  ['an unknown member inside', { owner: { nme: 'a' } }, /has no member "nme"\. Did you mean "name"\?/],
  [
    'an unknown operator',
    { name: { contain: 'a' } },
    /unknown operator "contain" of "name"\. Did you mean "contains"\?/,
  ],
  ['a regular expression', { name: { regex: '^a' } }, /unknown operator "regex".*Operators: equals, contains/],
  ['an operator without a member', { contains: 'a' }, /"contains" needs a member/],
  ['a value that is no date', { createdAt: { after: 'yesterday' } }, /date such as "2026-01-31" \(got "yesterday"\)/],
  ['an object as a value', { name: { contains: { a: 1 } } }, /must be a text, a number, true or false/],
  ['no operator', { name: {} }, /"name" has no operator/],
  ['a text for a list', { id: { in: 'a' } }, /must be a list such as/],
  ['a huge list', { id: { in: Array.from({ length: 201 }, (_, id) => id) } }, /more than 200 values/],
  ['a long text', { name: { contains: 'x'.repeat(501) } }, /more than 500 characters/],
  ['a long path', { ['['.repeat(300_000)]: 'x' }, /256 characters at most/],
  ['many conditions', { or: Array.from({ length: 31 }, (_, id) => ({ id })) }, /"or" has more than 30 conditions/],
  ['many tests', { and: [manyOf(16), manyOf(16)] }, /more than 30 tests/],
  [
    'many missing values',
    { and: [{ or: Array.from({ length: 20 }, () => ({ id: null })) }, manyOf(11)] },
    /more than 30 tests/,
  ],
  ['deep nesting', nested(40), /nested deeper than 8 levels/],
  ['deep nesting in a member', { name: nested(40) }, /nested deeper than 8 levels/],
  ['a prototype', JSON.parse('{"__proto__": {"equals": 1}}'), /no member "__proto__"/],
  ['a constructor', { constructor: { name: 'Object' } }, /no member "constructor"/],
  ['a name next to an operator', { name: { contains: 'Bo', foo: 1 } }, /unknown operator "foo" of "name"/],
  ['a name in a number', { id: { foo: 1 } }, /unknown operator "foo" of "id"/],
  [
    'an operator of a member with members',
    { owner: { contains: 'x' } },
    /"contains" cannot test "owner".* "owner\.name"/,
  ],
  ['a pattern of a member with members', { owner: { like: 'x%' } }, /"startsWith" cannot test "owner"/],
  ['a value of a member with members', { owner: 'Cy' }, /"equals" cannot test "owner"/],
  ['values of a member with members', { owner: ['Cy'] }, /"in" cannot test "owner"/],
  [
    'a listed member next to an operator',
    { owner: { name: 'Cy', contains: 'x' } },
    /"contains" cannot test "owner", which has members\. Name one of them, such as "owner\.name"/,
  ],
  [
    'a misspelt operator next to another',
    { name: { equals: 'Bo', contain: 'B' } },
    /"contain" of "name"\. Did you mean "contains"\?\.?$/,
  ],
  ['like with a % inside', { name: { like: 'B%o' } }, /"like" of "name" takes % at the ends/],
  ['a list of conditions', [{ name: 'a' }], /"where" must be an object/],
];

function manyOf(length: number): object {
  return { or: Array.from({ length }, (_, id) => ({ id })) };
}

function nested(depth: number): object {
  let condition: object = { id: 1 };
  for (let level = 0; level < depth; level += 1) condition = { not: condition };
  return condition;
}

describe('a condition that cannot be used', () => {
  test.each(refused)('is refused before anything is sent: %s', async (_, where, message) => {
    const served = await serve(people);
    const result = await served.list({ where });
    expect(errorOf(result)).toMatchObject({ code: 'invalid_arguments', message: expect.stringMatching(message) });
    expect(errorOf(result).message.length).toBeLessThan(600);
    expect(served.asked).toEqual([]);
    expect(served.records).toMatchObject([{ outcome: 'invalid_arguments', upstreamCode: 'where' }]);
  });

  test('a member next to an operator is named where a value may be a text or an object', async () => {
    const mixed = { type: ['string', 'object'], properties: { name: {} } };
    const output = { properties: { data: { items: { properties: { mixed } } } } };
    const served = await serve([{ mixed: 'Cy' }, { mixed: { name: 'Cy' } }], {
      tool: { ...LIST, outputSchema: { type: 'object' as const, ...output } },
    });
    const refusal = await served.list({ where: { mixed: { contains: 'C', name: 'Cy' } } });
    expect(errorOf(refusal).message).toContain('"name" of "mixed" is next to an operator. Write it as "mixed.name".');
    expect(idsOf(await served.list({ where: { mixed: { contains: 'C' } } }))).toHaveLength(1);
    expect(idsOf(await served.list({ where: { mixed: { name: 'Cy' } } }))).toHaveLength(1);
  });

  test('names of prototypes are members like others where members are not listed', async () => {
    const tool = { ...LIST, outputSchema: { type: 'object' as const } };
    const served = await serve([{ id: 1 }, JSON.parse('{"id":2,"__proto__":{"a":1},"constructor":"c"}')], { tool });
    const [proto, own] = [JSON.parse('{"__proto__.a": 1}'), { constructor: 'c' }];
    expect(idsOf(await served.list({ where: proto }))).toEqual([2]);
    expect(idsOf(await served.list({ where: own }))).toEqual([2]);
    expect(idsOf(await served.list({ where: { toString: { exists: true } } }))).toEqual([]);
  });
});

test('a large item and a large condition do not hold up other calls for long', () => {
  const items = itemsOf(LIST);
  if (items === null) throw new Error('the tool has no list');
  const dates = (month: number) => Array.from({ length: 200 }, (_, day) => `20${10 + month}-01-${10 + (day % 20)}`);
  const or = Array.from({ length: 30 }, (_, month) => ({ emails: { in: dates(month) } }));
  const { accepts } = readCondition({ or }, createLookup('where', items));
  const cpuMs = startCpuClock();
  expect(accepts({ emails: Array.from({ length: 400_000 }, () => '2009-01-01') })).toBe(false);
  expect(cpuMs()).toBeLessThan(2000);
});
