import { describe, expect, it } from 'vitest';
import { build, buildOne, jsonBody, operation, service } from '../service.ts';
import { check, input, toLines } from './check.ts';

const LONG = `shop_${'x'.repeat(55)}`;

describe('a diagnostic', () => {
  it('names four places and counts the others', () => {
    const { problems } = check(input(Object.fromEntries([...'abcdef'].map((key) => [key, { type: 'array' }]))));
    expect(toLines(problems)).toEqual([
      'profile-refused notes_list breaks openai/array-items, gemini/array-items: ' +
        '/inputSchema/properties/a is an array without items; /inputSchema/properties/b is an array without items; ' +
        '/inputSchema/properties/c is an array without items; /inputSchema/properties/d is an array without items; ' +
        'and 2 more.',
    ]);
  });
});

describe('client profiles of a connector', () => {
  const tools = { [LONG]: { operation: 'listThings' } };

  it('point at the entry of a tool that connector.yaml names, with a fix', () => {
    const { problems, connector } = build(service([operation()]), { tools });
    expect(problems).toEqual([
      {
        code: 'profile-refused',
        file: 'specs/shop/connector.yaml',
        pointer: `/tools/${LONG}`,
        message: `${LONG} breaks cursor/name-length: /name has 60 characters of at most 58.`,
        fix:
          'Give the tool a shorter name in connector.yaml. ' +
          'Or accept cursor/name-length under profiles.accept, with the reason.',
      },
    ]);
    expect(connector.clients.find(({ id }) => id === 'cursor')?.broken).toEqual([
      { rule: 'cursor/name-length', tools: 1, accepted: null },
    ]);
  });

  it('do not report what connector.yaml accepts, and keep the reason', () => {
    const accept = { 'cursor/name-length': 'Nobody uses it there.' };
    const { problems, connector } = build(service([operation()]), { tools, profiles: { accept } });
    expect(problems).toEqual([]);
    expect(connector.clients.flatMap(({ broken }) => broken)).toEqual([
      { rule: 'cursor/name-length', tools: 1, accepted: 'Nobody uses it there.' },
    ]);
  });

  it('report a shared rule for the clients that are not accepted', () => {
    const { problems } = check(input({ a: { type: 'array' } }), { 'openai/array-items': 'Nobody uses it there.' });
    expect(toLines(problems)).toEqual([
      'profile-refused notes_list breaks gemini/array-items: /inputSchema/properties/a is an array without items.',
    ]);
  });

  it.each([
    ['that no tool breaks', 'gemini/array-items', 'No tool breaks gemini/array-items.', 'Remove it.'],
    [
      'that does not exist',
      'openai/lookarounds',
      'No client has a rule openai/lookarounds.',
      'Did you mean openai/lookaround?',
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
