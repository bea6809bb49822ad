import { describe, expect, test } from 'vitest';
import { jaccardIndex, matchTools } from '../../../codegen/report/match-tools.ts';
import type { SentValue, ToolSurface } from '../../../codegen/report/types.ts';
import { toolSurface } from './surface.ts';

const tool = (name: string, changes: Partial<ToolSurface> = {}) => toolSurface({ name, ...changes });
const at = (method: string, path: string, id: string | null = null): Partial<ToolSurface> => ({
  operation: { id, method, path, server: '{base_url}' },
});
const says = (words: string): Partial<ToolSurface> => ({ title: words, description: '' });
const sends = (...places: string[]): Partial<ToolSurface> => ({
  sends: Object.fromEntries(places.map((place): [string, SentValue] => [place, { kind: 'argument', name: place }])),
});
const alwaysSends = (value: unknown): Partial<ToolSurface> => ({ sends: { kind: { kind: 'constant', value } } });
const code = (text: string): Partial<ToolSurface> => ({ operation: null, members: { code: text } });

function pairsOf(before: readonly ToolSurface[], after: readonly ToolSurface[]) {
  const { pairs, removed, added } = matchTools(before, after);
  return [
    ...pairs.map((pair) => `${pair.before.name} > ${pair.after.name}`),
    ...removed.map(({ name }) => `- ${name}`),
    ...added.map(({ name }) => `+ ${name}`),
  ];
}

describe('a tool whose name was removed is matched to one', () => {
  const UNLIKE = { ...says('one'), ...sends('a') };
  const OTHER = { ...says('two'), ...sends('b') };
  const list = at('GET', '/notes');
  test.each<[string, boolean, Partial<ToolSurface>, Partial<ToolSurface>]>([
    ['of the same operation with nothing else in common', false, { ...list, ...UNLIKE }, { ...list, ...OTHER }],
    [
      'with half of its words in common',
      true,
      { ...list, ...sends('a'), ...says('a b c') },
      { ...list, ...sends('b'), ...says('a b d') },
    ],
    [
      'with a quarter of its words in common',
      false,
      { ...list, ...sends('a'), ...says('a b') },
      { ...list, ...sends('b'), ...says('a c d') },
    ],
    [
      'with its words in different case and punctuation',
      true,
      { ...list, ...UNLIKE, ...says('List notes') },
      { ...list, ...OTHER, ...says('"LIST": notes.') },
    ],
    [
      'with only parts of its words',
      false,
      { ...list, ...UNLIKE, ...says('abcd') },
      { ...list, ...OTHER, ...says('dcba') },
    ],
    [
      'with different numbers in its words',
      false,
      { ...list, ...UNLIKE, ...says('1') },
      { ...list, ...OTHER, ...says('2') },
    ],
    [
      'without words, where neither has any',
      true,
      { ...list, ...UNLIKE, ...says('') },
      { ...list, ...OTHER, ...says('.') },
    ],
    [
      'without words, where the other has some',
      false,
      { ...list, ...UNLIKE, ...says('one') },
      { ...list, ...OTHER, ...says('') },
    ],
    [
      'with a third of the same parameters',
      true,
      { ...list, ...says('one'), ...sends('a', 'b') },
      { ...list, ...says('two'), ...sends('a', 'c') },
    ],
    [
      'with a quarter of the same parameters',
      false,
      { ...list, ...says('one'), ...sends('a', 'b') },
      { ...list, ...says('two'), ...sends('a', 'c', 'd') },
    ],
    [
      'with the same constant',
      true,
      { ...list, ...says('one'), ...alwaysSends('open') },
      { ...list, ...says('two'), ...alwaysSends('open') },
    ],
    [
      'with a different constant',
      false,
      { ...list, ...says('one'), ...alwaysSends('open') },
      { ...list, ...says('two'), ...alwaysSends('done') },
    ],
    ['of another method', false, at('GET', '/notes', 'x'), at('POST', '/notes', 'x')],
    ['of another path', false, at('GET', '/notes'), at('GET', '/tags')],
    [
      'of another path, with the same operationId',
      true,
      { ...at('GET', '/notes', 'list'), ...UNLIKE, ...says('x y') },
      { ...at('GET', '/all', 'list'), ...OTHER, ...says('x z y w') },
    ],
    ['of another path, with another operationId', false, at('GET', '/notes', 'list'), at('GET', '/tags', 'all')],
    ['of another path, where neither has an operationId', false, at('GET', '/notes', null), at('GET', '/tags', null)],
    ['whose path parameters have other names', true, at('GET', '/notes/{id}'), at('GET', '/notes/{note_id}')],
    ['whose path parameters are in other segments', false, at('GET', '/notes/{id}'), at('GET', '/{id}/notes')],
    ['of another version of the path', true, at('GET', '/v1/notes'), at('GET', '/api/v12.10/notes')],
    ['of a path with a version instead of a name', false, at('GET', '/v1'), at('GET', '/v2')],
    [
      'of a moved path with few words and parameters in common',
      false,
      { ...at('GET', '/v1/notes'), ...UNLIKE, ...says('x y') },
      { ...at('GET', '/v2/notes'), ...OTHER, ...says('x z') },
    ],
    ['with the same code', true, code('return 1'), code('return 1')],
    ['with different code', false, code('return 1'), code('return 2')],
    ['with code, where the old one called an operation', false, list, code('return 1')],
    ['that calls an operation, where the old one was code', false, code('return 1'), list],
  ])('%s: %s', (_title, isAnother, before, after) => {
    expect(pairsOf([tool('a', before)], [tool('b', after)])).toEqual(isAnother ? ['a > b'] : ['- a', '+ b']);
  });

  test('that has the old name as an alias, whatever else changed', () => {
    const aliases = [{ name: 'a', until: '2027-01-01' }];
    const successor = { ...at('POST', '/all'), ...OTHER, members: { aliases } };
    expect(pairsOf([tool('a', { ...list, ...UNLIKE }), tool('c', at('PUT', '/c'))], [tool('b', successor)])).toEqual([
      'a > b',
      '- c',
    ]);
  });
});

test('a tool that has another old name as an alias is not its successor', () => {
  const aliases = [{ name: 'x', until: '2027-01-01' }];
  expect(pairsOf([tool('a')], [tool('b', { ...at('POST', '/all'), members: { aliases } })])).toEqual(['- a', '+ b']);
});

describe('of several tools', () => {
  test('tools with the same name are matched, whatever they do', () => {
    expect(pairsOf([tool('a', at('GET', '/a')), tool('b', at('GET', '/b'))], [tool('b', at('GET', '/a'))])).toEqual([
      'b > b',
      '- a',
    ]);
  });

  test('the most similar are matched, each once, in the order of the new names', () => {
    const before = [tool('z', sends('a', 'b')), tool('y', sends('a', 'b', 'c'))];
    const after = [tool('q', sends('a', 'b', 'c')), tool('p', sends('a', 'b')), tool('o', sends('c'))];
    expect(pairsOf(before, after)).toEqual(['z > p', 'y > q', '+ o']);
  });

  test('equally similar ones are matched by name, in any order', () => {
    const [before, after] = [['a', 'b'].map((name) => tool(name)), ['c', 'd'].map((name) => tool(name))];
    for (const given of [before, before.toReversed()]) {
      for (const now of [after, after.toReversed()]) expect(pairsOf(given, now)).toEqual(['a > c', 'b > d']);
    }
  });
});

test.each([
  [[], [], 1],
  [['a'], ['a'], 1],
  [['a', 'b'], ['b', 'a'], 1],
  [['a'], [], 0],
  [['a'], ['b'], 0],
  [['a', 'b'], ['b', 'c'], 1 / 3],
])('%j and %j share %d', (a, b, want) => {
  expect(jaccardIndex(new Set(a), new Set(b))).toBe(want);
});
