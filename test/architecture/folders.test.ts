import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { findCycles } from './cycles.ts';
import { arrows, files, pathOf } from './imports.ts';

const MAX_FILES = 20;

describe('folders', () => {
  test('a folder of codegen/, server/ and sandbox/ has at most 20 files of its own', () => {
    const folders = Map.groupBy(files.map(pathOf), (path) => dirname(path));
    const found = [...folders]
      .filter(([folder]) => /^(codegen|server|sandbox)\b/.test(folder))
      .filter(([, own]) => own.length > MAX_FILES)
      .map(([folder, own]) => `${folder} has ${own.length} files`);
    expect(found).toEqual([]);
  });

  test('no files import one another in a cycle', () => {
    expect(findCycles(arrows)).toEqual([]);
  });
});

describe('findCycles', () => {
  const cyclesOf = (...drawn: string[]) =>
    findCycles(drawn.map((arrow) => ({ from: arrow.charAt(0), to: arrow.charAt(1) })));

  test.each([
    ['a chain', ['ab', 'bc'], []],
    ['a diamond', ['ab', 'ac', 'bd', 'cd'], []],
    ['two files', ['ab', 'ba'], [['a', 'b']]],
    ['a cycle after a chain', ['ab', 'bc', 'cd', 'db'], [['b', 'c', 'd']]],
    ['two cycles that share a file', ['ab', 'ba', 'bc', 'cb'], [['a', 'b', 'c']]],
    [
      'two cycles joined by an import',
      ['ab', 'ba', 'bc', 'cd', 'dc'],
      [
        ['c', 'd'],
        ['a', 'b'],
      ],
    ],
  ])('%s', (_, drawn, want) => {
    expect(cyclesOf(...drawn)).toEqual(want);
  });
});
