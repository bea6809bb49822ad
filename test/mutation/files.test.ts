import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LEFT_OUT } from '../quick.ts';
import { MUTATED } from './files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test.each(MUTATED)('$file exists, and so do its tests', ({ file, tests }) => {
  expect([file, ...tests].filter((each) => !existsSync(path.join(ROOT, each)))).toEqual([]);
  expect(tests.filter((each) => path.matchesGlob(each, LEFT_OUT))).toEqual([]);
});

test('each file is listed once', () => {
  expect(new Set(MUTATED.map(({ file }) => file)).size).toBe(MUTATED.length);
});
