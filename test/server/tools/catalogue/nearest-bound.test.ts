import { expect, test } from 'vitest';
import { findNearest } from '../../../../server/tools/catalogue/nearest.ts';

test.each([
  ['one of ten letters', true, 'abcdefghiz'],
  ['four of ten letters', true, 'abcdefwxyz'],
  ['five of ten letters', false, 'abcdevwxyz'],
])('a name that differs in %s is suggested: %s', (_title, isNear, candidate) => {
  expect(findNearest('abcdefghij', [candidate])).toEqual(isNear ? [candidate] : []);
});

test.each([
  ['one letter', true, 'ax'],
  ['both letters', false, 'xy'],
])('a name of two letters that differs in %s is suggested: %s', (_title, isNear, candidate) => {
  expect(findNearest('ab', [candidate])).toEqual(isNear ? [candidate] : []);
});
