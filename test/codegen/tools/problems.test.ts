import { describe, expect, it } from 'vitest';
import { suggest } from '../../../codegen/tools/problems.ts';

describe('a suggestion', () => {
  it.each<[string, { wrong: string; names: readonly string[]; want: string }]>([
    [
      'names what is similar',
      { wrong: 'limt', names: ['limit', 'limits', 'offset'], want: 'Did you mean limit or limits?' },
    ],
    ['names everything where there are few', { wrong: 'size', names: ['offset'], want: 'Did you mean offset?' }],
    [
      'lists everything where nothing is similar',
      { wrong: 'x', names: ['one', 'two', 'three', 'four'], want: 'Use one of one, two, three, four.' },
    ],
    ['says what else to do where there is nothing', { wrong: 'x', names: [], want: 'Remove it.' }],
  ])('%s', (_title, { wrong, names, want }) => {
    expect(suggest(wrong, names, 'Remove it.')).toBe(want);
  });
});
