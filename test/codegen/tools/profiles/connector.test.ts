import { describe, expect, it } from 'vitest';
import { build, buildOne, jsonBody, operation, parameter, service } from '../service.ts';
import { check, input, toLines } from './check.ts';

describe('a diagnostic', () => {
  it('names four places and counts the others', () => {
    const { problems } = check(input(Object.fromEntries([...'abcdef'].map((key) => [key, { enum: [1] }]))));
    expect(toLines(problems)).toEqual([
      'profile-degraded notes_list breaks gemini/enum-strings: ' +
        '/inputSchema/properties/a has the enum value 1; /inputSchema/properties/b has the enum value 1; ' +
        '/inputSchema/properties/c has the enum value 1; /inputSchema/properties/d has the enum value 1; and 2 more.',
    ]);
  });

  it('counts depth through references', () => {
    const deep = (depth: number): object =>
      depth === 0 ? { $ref: '#/$defs/A' } : { type: 'object', properties: { a: deep(depth - 1) } };
    const { broken } = check(input({ a: { $ref: '#/$defs/A' } }, { $defs: { A: deep(10) } }));
    expect(broken).toEqual(['claude/references', 'openai/schema-depth', 'gemini/references']);
  });
});

describe('client profiles of a connector', () => {
  const sort = operation({ parameters: [parameter('sort', { schema: { type: 'integer', enum: [1] } })] });

  it('point at the operation of a default tool, with a fix', () => {
    const { problems, connector } = build(service([sort]));
    expect(problems).toEqual([
      {
        code: 'profile-degraded',
        file: 'specs/shop/openapi.yaml',
        pointer: '/paths/~1things/get',
        message: 'shop_list_things breaks gemini/enum-strings: /inputSchema/properties/sort has the enum value 1.',
        fix:
          'Give the argument a `schema` in connector.yaml that lists no such values. ' +
          'Or accept gemini/enum-strings under profiles.accept, with the reason.',
      },
    ]);
    expect(connector.clients.find(({ id }) => id === 'gemini')?.broken).toEqual([
      { rule: 'gemini/enum-strings', effect: 'degrades', tools: 1, accepted: null },
    ]);
  });

  it('point at the entry of a tool that connector.yaml names', () => {
    const { problems } = build(service([sort]), { tools: { shop_sort: { operation: 'listThings' } } });
    expect(problems.map(({ file, pointer }) => [file, pointer])).toEqual([
      ['specs/shop/connector.yaml', '/tools/shop_sort'],
    ]);
  });

  it('are satisfied by that fix', () => {
    const plain = { operation: 'listThings', arguments: { sort: { schema: { type: 'integer' } } } };
    expect(build(service([sort]), { tools: { shop_sort: plain } }).problems).toEqual([]);
  });

  it('do not report what connector.yaml accepts, and keep the reason', () => {
    const accept = { 'gemini/enum-strings': 'Nobody uses it there.' };
    const { problems, connector } = build(service([sort]), { profiles: { accept } });
    expect(problems).toEqual([]);
    expect(connector.clients.flatMap(({ broken }) => broken)).toEqual([
      { rule: 'gemini/enum-strings', effect: 'degrades', tools: 1, accepted: 'Nobody uses it there.' },
    ]);
  });

  it('report a shared rule for the clients that are not accepted', () => {
    const { problems } = check(input({ a: { not: {} } }), { 'openai/keywords': 'Not strict there.' });
    expect(toLines(problems)).toEqual([
      'profile-degraded notes_list breaks gemini/keywords: /inputSchema/properties/a uses not.',
    ]);
  });

  it.each([
    ['that no tool breaks', 'gemini/references', 'No tool breaks gemini/references.', 'Remove it.'],
    [
      'that does not exist',
      'openai/lookarounds',
      'No client has a rule openai/lookarounds.',
      'Did you mean openai/lookaround or openai/tool-count?',
    ],
  ])('reject the acceptance of a rule %s', (_title, rule, message, fix) => {
    const { problems } = check({}, { [rule]: 'Whatever.' });
    expect(problems).toEqual([
      {
        code: 'config-unused',
        file: 'specs/notes/connector.yaml',
        pointer: `/profiles/accept/${rule.replace('/', '~1')}`,
        message,
        fix,
      },
    ]);
  });

  it.each([
    [80, []],
    [81, ['profile-degraded The connector breaks cursor/tool-count: 81 tools of at most 80.']],
    [
      129,
      ['profile-degraded The connector breaks openai/tool-count, cursor/tool-count: 129 tools of at most 128, 80.'],
    ],
    [
      513,
      [
        'profile-degraded The connector breaks openai/tool-count, gemini/tool-count, cursor/tool-count: ' +
          '513 tools of at most 128, 512, 80.',
      ],
    ],
  ])('report once that %i tools are many', (count, want) => {
    const operations = Array.from({ length: count }, (_, index) =>
      operation({ id: `thing${index}`, path: `/t${index}` }),
    );
    expect(toLines(build(service(operations)).problems)).toEqual(want);
  });
});

describe('default descriptions', () => {
  const long = 'All work and no play. '.repeat(80);
  const alternatives = { anyOf: [{ required: ['first'] }, { required: ['second'] }] };
  const properties = {
    first: { type: 'string', description: 'One.' },
    second: { type: 'string', description: 'Two.' },
  };

  it.each([
    ['of deprecated operations', { deprecated: true, description: long }, /^Deprecated by the upstream\. /],
    [
      'with the alternatives of a body',
      { method: 'POST' as const, description: long, body: jsonBody({ type: 'object', properties, ...alternatives }) },
      /\n\nGive at least one of: first; second\.$/,
    ],
  ])('%s stay within the limits of every client', (_title, over, pattern) => {
    const { tool: built } = buildOne(over);
    expect(built.description).toMatch(pattern);
    expect(built.description.length).toBeLessThanOrEqual(1024);
    expect(built.description.length).toBeGreaterThan(900);
  });
});
