import { expect, test } from 'vitest';
import { findNearest } from '../../../../../server/call/tools/nearest.ts';

test.each([
  ['one of ten letters', true, 'abcdefghiz'],
  ['four of ten letters', true, 'abcdefwxyz'],
  ['five of ten letters', false, 'abcdevwxyz'],
])('a name that differs in %s is suggested: %s', (_title, isNear, candidate) => {
  expect(findNearest('abcdefghij', [candidate])).toEqual(isNear ? [candidate] : []);
});

test.each<[string, string[], number, string[]]>([
  ['document_id', ['documentId', 'docId'], 1, ['documentId']],
  ['documentID', ['documentId'], 1, ['documentId']],
  ['pagesize', ['pageSize', 'page'], 1, ['pageSize']],
  ['hires', ['fast', 'hi_res'], 1, ['hi_res']],
  ['limit', ['pageLimit', 'cursor'], 1, ['pageLimit']],
  ['zebra', ['cursor', 'limit'], 1, []],
  ['', ['cursor'], 1, []],
  ['get_item', ['get_items', 'get_itema', 'get_other'], 3, ['get_itema', 'get_items']],
  ['abcdefghij', ['zbcdefghij', 'abcdefghiz', 'abcdefghij'], 3, ['abcdefghij', 'abcdefghiz', 'zbcdefghij']],
  ['abcdefghij', ['abcdefghxy', 'abcdefghij', 'abcdefghix'], 3, ['abcdefghij', 'abcdefghix']],
  ['abcdefghij', ['abcdefghiz', 'abcdefghij'], 1, ['abcdefghij']],
  ['abcdefghij', ['abcdefghiz', 'abcdefghij'], 0, []],
  ['find', ['findAll', 'fine'], 3, ['findAll', 'fine']],
  ['fin', ['finished'], 1, []],
  ['finished', ['fini'], 1, ['fini']],
  ['finished', ['fin'], 1, []],
  ['Document id', ['DOCUMENT-ID'], 1, ['DOCUMENT-ID']],
  ['x'.repeat(100), ['x'.repeat(99)], 1, ['x'.repeat(99)]],
  ['x'.repeat(101), ['x'.repeat(101)], 1, []],
])('nearest to %s of %j, at most %i: %j', (text, candidates, limit, want) => {
  expect(findNearest(text, candidates, limit)).toEqual(want);
  if (limit === 1) expect(findNearest(text, candidates)).toEqual(want);
});

test.each([
  ['one letter', true, 'ax'],
  ['both letters', false, 'xy'],
])('a name of two letters that differs in %s is suggested: %s', (_title, isNear, candidate) => {
  expect(findNearest('ab', [candidate])).toEqual(isNear ? [candidate] : []);
});
