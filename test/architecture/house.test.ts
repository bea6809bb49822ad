import { describe, expect, test } from 'vitest';
import { findCircles, findFunctions, findSmallFiles, written } from './house.ts';
import { arrows, pathOf } from './imports.ts';

const MAX_FILE_LINES = 400;
const LONG_FILES = ['server/base/store/schema.ts'];
const MAX_SMALL_FILES = 10;
/** A released migration is never changed, so it stays a file of its own; a thread loads the file of its job alone. */
const MAY_BE_SMALL = /^server\/(?:modules\/[^/]+\/module\.ts|base\/store\/migrations\/|.*-job\.ts -> )/;
const MAX_LONG_FUNCTIONS = 3;
const MAX_WIDE_FUNCTIONS = 5;

describe('the house', () => {
  test('has no circles between the folders of one parent, types included', () => {
    expect(findCircles(arrows)).toEqual([]);
  });

  test(`has no file of more than ${MAX_FILE_LINES} lines`, () => {
    const long = written.filter((file) => file.getFullText().split('\n').length - 1 > MAX_FILE_LINES);
    expect(long.map(pathOf)).toEqual(LONG_FILES);
  });

  test(`has at most ${MAX_SMALL_FILES} small files with one importer that has room for them, besides the doors of modules and migrations`, () => {
    const small = findSmallFiles(arrows).filter((path) => !MAY_BE_SMALL.test(path));
    expect(small, small.join('\n')).toHaveLength(Math.min(small.length, MAX_SMALL_FILES));
  });

  test(`has at most ${MAX_LONG_FUNCTIONS} functions of more than 80 lines`, () => {
    const long = findFunctions((lines) => lines > 80);
    expect(long, long.join('\n')).toHaveLength(Math.min(long.length, MAX_LONG_FUNCTIONS));
  });

  test(`has at most ${MAX_WIDE_FUNCTIONS} functions of more than four parameters`, () => {
    const wide = findFunctions((_, parameters) => parameters > 4);
    expect(wide, wide.join('\n')).toHaveLength(Math.min(wide.length, MAX_WIDE_FUNCTIONS));
  });
});

describe('findCircles', () => {
  const circlesOf = (...drawn: (readonly [string, string])[]) => findCircles(drawn.map(([from, to]) => ({ from, to })));

  test.each([
    [
      'folders that import each other',
      [
        ['s/a/x.ts', 's/b/y.ts'],
        ['s/b/z.ts', 's/a/w.ts'],
      ],
      ['s: a, b'],
    ],
    [
      'a folder and a file next to it',
      [
        ['s/a/x.ts', 's/y.ts'],
        ['s/y.ts', 's/a/w.ts'],
      ],
      ['s: a, y.ts'],
    ],
    [
      'folders at another depth',
      [
        ['s/t/a/x.ts', 's/t/b/y.ts'],
        ['s/t/b/y.ts', 's/t/a/x.ts'],
      ],
      ['s/t: a, b'],
    ],
    [
      'one direction',
      [
        ['s/a/x.ts', 's/b/y.ts'],
        ['s/a/z.ts', 's/b/w.ts'],
      ],
      [],
    ],
    [
      'files of one folder',
      [
        ['s/x.ts', 's/y.ts'],
        ['s/y.ts', 's/x.ts'],
      ],
      [],
    ],
  ] as const)('%s', (_, drawn, want) => {
    expect(circlesOf(...drawn)).toEqual(want);
  });
});
