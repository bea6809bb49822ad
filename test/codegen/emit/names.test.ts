import { describe, expect, test } from 'vitest';
import { toFileName, toIdentifiers, toServiceIdentifier } from '../../../codegen/emit/names.ts';

const identifiers = (names: readonly string[], taken?: readonly string[]) =>
  Object.fromEntries(toIdentifiers(names, taken));

describe('identifiers', () => {
  test.each<[title: string, names: string[], want: Record<string, string>]>([
    ['are camelCase', ['retrieval_search', 'foo-bar'], { retrieval_search: 'retrievalSearch', 'foo-bar': 'fooBar' }],
    [
      'keep underscores that camelCase would merge',
      ['list_v_1', 'list_v1'],
      { list_v_1: 'list_v_1', list_v1: 'list_v1' },
    ],
    ['avoid reserved words', ['delete', 'await'], { delete: 'delete_', await: 'await_' }],
    ['avoid names that emitted files use', ['paths', 'connectors'], { paths: 'paths_', connectors: 'connectors_' }],
    ['stay distinct after renaming', ['delete', 'delete_'], { delete: 'delete_', delete_: 'delete__' }],
  ])('%s', (_, names, want) => {
    expect(identifiers(names)).toEqual(want);
  });

  test('avoid names that the module already uses', () => {
    expect(identifiers(['slack'], ['slack'])).toEqual({ slack: 'slack_' });
  });

  test('of a service do not depend on other services', () => {
    expect(toServiceIdentifier('usage-billing')).toBe('usageBilling');
  });
});

test('tool file names are kebab-case, one for each tool', () => {
  expect(toFileName('retrieval_search')).toBe('retrieval-search');
  expect(toFileName('a__b')).toBe('a--b');
});
