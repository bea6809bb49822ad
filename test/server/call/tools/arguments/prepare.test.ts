import { describe, expect, it } from 'vitest';
import { prepareArguments } from '../../../../../server/call/tools/call/arguments.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

const TOOL = fakeTool({
  name: 'library_find_books',
  path: '/shelves/{shelfId}/books',
  input: {
    properties: {
      shelfId: { type: 'string', examples: ['shelf_42'] },
      pageSize: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      mode: { type: 'string', enum: ['fast', 'hi_res'] },
      since: { type: 'string', format: 'date-time' },
      ids: { type: 'array', items: { type: 'integer' }, maxItems: 3, minItems: 1 },
      values: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, string: { type: 'string' }, integer: { type: 'integer' } },
          required: ['name'],
          additionalProperties: false,
          oneOf: [{ required: ['string'] }, { required: ['integer'] }],
        },
      },
      filter: { type: 'object', minProperties: 1 },
      vendorCode: { type: 'string' },
      tableCode: { type: 'string' },
      datatableCode: { type: 'string' },
    },
    required: ['shelfId'],
  },
  more: { agreements: [{ argument: 'datatableCode', template: '{vendorCode}/{tableCode}' }] },
});

const validators = createValidators();
const prepare = (args: Record<string, unknown>, tool: Tool = TOOL) =>
  prepareArguments(tool, args, validators(tool.inputSchema));
const refusal = (args: Record<string, unknown>, tool: Tool = TOOL) => {
  const prepared = prepare(args, tool);
  if (prepared.ok) throw new Error('accepted');
  return prepared.text.split('\n').slice(1);
};

it.each([
  [{ type: 'integer', format: 'int32' }, 3_000_000_000, 'must be of the format int32, such as 1 (got 3000000000).'],
  [{ type: 'number', format: 'int64' }, 1.5, 'must be of the format int64, such as 1 (got 1.5).'],
  [{ type: 'string', format: 'json-pointer' }, 'a', 'must be of the format json-pointer, such as "/a/b" (got "a").'],
  [{ type: 'string', format: 'iso-time' }, 'a', 'must be of the format iso-time (got "a").'],
])('an example fits %j', (schema, value, text) => {
  const tool = fakeTool({ name: 'library_one', input: { properties: { one: schema } } });
  expect(refusal({ one: value }, tool)[0]).toBe(`- "one" ${text}`);
});

const ROWS: readonly [string, Record<string, unknown>, string[]][] = [
  ['a missing argument', {}, ['- "shelfId" is missing.', 'Example: {"shelfId":"shelf_42"}']],
  [
    'a misspelt argument',
    { shelfId: 'a', page_size: 5 },
    ['- Unknown argument "page_size". Did you mean "pageSize"?', 'Example: {"shelfId":"a","pageSize":5}'],
  ],
  [
    'an argument that resembles no other',
    { shelfId: 'a', colour: 1 },
    [
      '- Unknown argument "colour". Known: "shelfId", "pageSize", "mode", "since", "ids", "values", "filter", "vendorCode", "tableCode", "datatableCode".',
      'Example: {"shelfId":"a"}',
    ],
  ],
  [
    'a value out of bounds',
    { shelfId: 'a', pageSize: 500 },
    ['- "pageSize" must be at least 1 and at most 100 (got 500).', 'Example: {"shelfId":"a","pageSize":10}'],
  ],
  [
    'a value of the wrong type',
    { shelfId: 'a', pageSize: 'ten' },
    ['- "pageSize" must be a whole number (got "ten").', 'Example: {"shelfId":"a","pageSize":10}'],
  ],
  [
    'a value that is not in the list',
    { shelfId: 'a', mode: 'hires' },
    [
      '- "mode" must be one of "fast", "hi_res" (got "hires"). Did you mean "hi_res"?',
      'Example: {"shelfId":"a","mode":"fast"}',
    ],
  ],
  [
    'a value of the wrong format',
    { shelfId: 'a', since: 'yesterday' },
    [
      '- "since" must be of the format date-time, such as "2026-01-31T00:00:00Z" (got "yesterday").',
      'Example: {"shelfId":"a","since":"2026-01-31T00:00:00Z"}',
    ],
  ],
  ['too many elements', { shelfId: 'a', ids: [1, 2, 3, 4] }, ['- "ids" must have 1 to 3 elements (it has 4).']],
  ['too few members', { shelfId: 'a', filter: {} }, ['- "filter" must have at least 1 members (it has 0).']],
  [
    'a value that matches neither of two alternatives',
    { shelfId: 'a', values: [{ name: 'x' }] },
    ['- "values[0]" must be exactly one of: an object with "string", or an object with "integer" (got {"name":"x"}).'],
  ],
  [
    'an unknown member',
    { shelfId: 'a', values: [{ name: 'x', string: 'y', text: 'z' }] },
    ['- Unknown member of "values[0]" "text". Known: "name", "string", "integer".'],
  ],
  [
    'several problems at once',
    { mode: 'slow', pageSize: 0 },
    [
      '- "shelfId" is missing.',
      '- "pageSize" must be at least 1 and at most 100 (got 0).',
      '- "mode" must be one of "fast", "hi_res" (got "slow").',
      'Example: {"shelfId":"shelf_42","pageSize":10,"mode":"fast"}',
    ],
  ],
  [
    'an empty path argument',
    { shelfId: '' },
    ['- "shelfId" becomes part of a path and must not be "".', 'Example: {"shelfId":"shelf_42"}'],
  ],
  [
    'a path argument that is ..',
    { shelfId: '..' },
    ['- "shelfId" becomes part of a path and must not be "..".', 'Example: {"shelfId":"shelf_42"}'],
  ],
  [
    'a path argument that is .',
    { shelfId: '.' },
    ['- "shelfId" becomes part of a path and must not be ".".', 'Example: {"shelfId":"shelf_42"}'],
  ],
  [
    'arguments that contradict each other',
    { shelfId: 'a', datatableCode: 'A/B', vendorCode: 'C', tableCode: 'D' },
    [
      '- "datatableCode" says "A/B" but "vendorCode" and "tableCode" say "C/D". Use the same in both.',
      'Example: {"shelfId":"a","vendorCode":"C","tableCode":"D","datatableCode":"C/D"}',
    ],
  ],
  [
    'an imprecise number',
    { shelfId: 'a', ids: [2 ** 53] },
    [
      '- "ids[0]" is a whole number beyond 9007199254740991, which may have lost digits in transit. Send it as a string with all its digits.',
    ],
  ],
];

describe('prepareArguments', () => {
  for (const [title, args, want] of ROWS) {
    it(`explains ${title}`, () => {
      expect(refusal(args)).toEqual(want);
    });
  }

  it('accepts consistent arguments', () => {
    const args = { shelfId: 'a', datatableCode: 'C/D', vendorCode: 'C', tableCode: 'D' };
    expect(prepare(args)).toEqual({ ok: true, args });
  });

  it('does not compare with a missing argument', () => {
    expect(prepare({ shelfId: 'a', datatableCode: 'A/B', vendorCode: 'C' }).ok).toBe(true);
  });

  it('accepts dots inside a path argument', () => {
    for (const shelfId of ['a..b', '...', '../x', 'x/..', '%2e%2e']) expect(prepare({ shelfId }).ok).toBe(true);
  });

  const contacts = fakeTool({
    name: 'library_update_reader',
    method: 'POST',
    path: '/readers/{readerId}',
    input: {
      properties: {
        readerId: { type: 'string', examples: ['ann'] },
        column: { type: 'string', not: { enum: ['api_key'] } },
        filter: { type: 'string', contentMediaType: 'application/json' },
        number: { type: 'integer', format: 'int64' },
        page: { type: 'integer', format: 'int64' },
        note: { type: 'string' },
        clear: { type: 'array', items: { type: 'string', enum: ['note', 'number'] } },
      },
      required: ['readerId'],
    },
    request: {
      path: { readerId: 'readerId' },
      query: { column: 'column', filter: 'filter', page: 'page' },
      body: { mediaType: 'application/json', clear: 'clear', members: { number: 'number', note: 'note' } },
    },
    more: { reservedSegments: { readerId: ['import'] } },
  });

  it('rejects a path argument that is a literal of another path, in any case', () => {
    const want = [
      '- "readerId" must not be "import": there it would call another operation of the service.',
      'Example: {"readerId":"ann"}',
    ];
    expect(refusal({ readerId: 'import' }, contacts)).toEqual(want);
    expect(refusal({ readerId: 'Import' }, contacts)).toEqual(want);
    expect(prepare({ readerId: 'important' }, contacts).ok).toBe(true);
  });

  it('lists the values that an argument must not have', () => {
    expect(refusal({ readerId: 'a', column: 'api_key' }, contacts)[0]).toBe('- "column" must not be "api_key".');
  });

  it('accepts an object for its JSON, and rejects text that is not JSON', () => {
    const prepared = prepare({ readerId: 'a', filter: { shelf: 'A' } }, contacts);
    expect(prepared).toEqual({ ok: true, args: { readerId: 'a', filter: '{"shelf":"A"}' } });
    expect(refusal({ readerId: 'a', filter: 'shelf = A' }, contacts)).toEqual([
      '- "filter" must be JSON text (got "shelf = A").',
    ]);
  });

  it('rejects an argument that is both given and cleared', () => {
    expect(refusal({ readerId: 'a', note: 'new', clear: ['note', 'number'] }, contacts)).toEqual([
      '- "note" is given and also listed in "clear". Keep one of them.',
      'Example: {"readerId":"a","note":"new","clear":["number"]}',
    ]);
  });

  it('keeps every digit of a number given as text', () => {
    const prepared = prepare({ readerId: 'a', number: '9007199254740993', page: '-9007199254740993' }, contacts);
    if (!prepared.ok) throw new Error(prepared.text);
    expect(JSON.stringify(prepared.args)).toBe('{"readerId":"a","number":9007199254740993,"page":-9007199254740993}');
  });

  it('rejects an unsafe element of an array in a path argument', () => {
    const tool = fakeTool({
      name: 'library_get_books',
      path: '/books/{bookIds}',
      input: { properties: { bookIds: { type: 'array', items: { type: 'string' } } } },
    });
    expect(refusal({ bookIds: ['a', '..'] }, tool)[0]).toBe('- "bookIds" becomes part of a path and must not be "..".');
    expect(refusal({ bookIds: [] }, tool)[0]).toBe('- "bookIds" becomes part of a path and must not be "".');
  });

  it('checks a path argument after healing', () => {
    const tool = fakeTool({
      name: 'library_get_books',
      path: '/books/{bookIds}',
      input: { properties: { bookIds: { type: 'array', items: { type: 'string' } } } },
    });
    expect(refusal({ bookIds: '["..", "a"]' }, tool)[0]).toContain('must not be ".."');
  });

  it('does not treat inherited properties as arguments', () => {
    const tool = fakeTool({ name: 'library_get', path: '/{constructor}' });
    expect(refusal({}, tool)[0]).toBe('- "constructor" is missing.');
    expect(refusal(JSON.parse('{"shelfId":"a","__proto__":{"x":1}}'))[0]).toContain('Unknown argument "__proto__"');
  });

  it('keeps its text short for any input', () => {
    const refusalOf = (count: number) => {
      const unknown = Array.from({ length: count }, (_, index) => [`unknown${index}`.repeat(20), 'x'.repeat(1000)]);
      return refusal({ shelfId: 'a'.repeat(100_000), ...Object.fromEntries(unknown) }).join('\n');
    };
    // Few enough to be checked without a deadline, after which only the first problem is told.
    expect(refusalOf(60)).toContain('- and 52 more.');
    for (const count of [60, 300]) expect(refusalOf(count).length).toBeLessThan(6000);
  });

  it('handles a million invalid elements before the test times out', () => {
    const lines = refusal({ shelfId: 'a', ids: Array.from({ length: 1_000_000 }, () => 'x') });
    expect(lines[0]).toBe('- "ids" must have 1 to 3 elements (it has 1000000).');
  });
});

describe('an empty list where the schema asks for an element', () => {
  const made = (more: Partial<Tool>) =>
    fakeTool({
      name: 'library_list_books',
      input: {
        properties: {
          ids: { type: 'array', items: { type: 'integer' }, minItems: 1 },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      more,
    });
  const prepared = (tool: Tool, args: Record<string, unknown>) =>
    prepareArguments(tool, args, createValidators()(tool.inputSchema));
  const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

  it('counts as absent for a tool that only reads', () => {
    const tool = made({ annotations: READS });
    expect(prepared(tool, { ids: [], tags: [] })).toEqual({ ok: true, args: { tags: [] } });
  });

  it.each<[string, Partial<Tool>]>([
    ['for a tool that writes', { annotations: { ...READS, readOnlyHint: false } }],
    ['where it is required', { annotations: READS, inputSchema: { ...made({}).inputSchema, required: ['ids'] } }],
  ])('is refused %s', (_, more) => {
    expect(prepared(made(more), { ids: [] })).toMatchObject({ ok: false, invalid: 'ids' });
  });
});
