import { describe, expect, it } from 'vitest';
import { nearest } from '../../codegen/nearest.ts';

describe('the nearest names', () => {
  it.each<[string, { wrong: string; names: readonly string[]; want: readonly string[] }]>([
    ['come best first', { wrong: 'limit', names: ['limits2', 'limits', 'offset'], want: ['limits', 'limits2'] }],
    ['ignore case', { wrong: 'PageSize', names: ['pagesize'], want: ['pagesize'] }],
    ['keep their order where they are equally near', { wrong: 'ab', names: ['ad', 'ac'], want: ['ac', 'ad'] }],
    ['differ in two characters of a short name', { wrong: 'id', names: ['ab', 'abc'], want: ['ab'] }],
    ['differ in a third of a long name', { wrong: 'documents', names: ['docu', 'docume'], want: ['docume'] }],
    ['are three at most', { wrong: 'a', names: ['b', 'c', 'd', 'e'], want: ['b', 'c', 'd'] }],
    ['contain no duplicates', { wrong: 'a', names: ['b', 'b'], want: ['b'] }],
  ])('%s', (_title, { wrong, names, want }) => {
    expect(nearest(wrong, names)).toEqual(want);
  });
});
