import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseTests, LEFT_OUT, NOTICE, type Project } from './quick.ts';

const WITHOUT_QUICK_TEST = ['conformance', 'examples'];

const every = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll(path.sep, '/')}`)
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/golden/'));

const isOne = (patterns: readonly string[], file: string) => patterns.some((one) => path.matchesGlob(file, one));
const leftOut = every.filter((file) => path.matchesGlob(file, LEFT_OUT));
const filesOf = (projects: readonly Project[]) =>
  projects
    .flatMap(({ include, exclude }) => every.filter((file) => isOne(include, file) && !isOne(exclude, file)))
    .sort();

describe('the files that run', () => {
  const quick = filesOf(chooseTests('test', false));
  const fuller = chooseTests('fuller', true);

  test('of npm test and what it leaves out are those of npm run test:all, each once', () => {
    expect([...quick, ...leftOut].sort()).toEqual(every.toSorted());
    expect(filesOf(chooseTests('all', false))).toEqual(every.toSorted());
  });

  test('of the fuller checks are all, each once; on PostgreSQL alone run only those that npm test has run', () => {
    expect(filesOf(fuller)).toEqual(every.toSorted());
    const onPostgres = filesOf(fuller.filter(({ env }) => env.SQLITE_HAS_PASSED === '1'));
    expect(onPostgres.length).toBeGreaterThan(100);
    expect(onPostgres.filter((file) => !quick.includes(file))).toEqual([]);
  });

  test('on each version of Node are those that rest on Node, and fewer than half', () => {
    const chosen = filesOf(chooseTests('node', false));
    expect(chosen).toEqual(
      expect.arrayContaining(['test/server/main.node.test.ts', 'test/server/base/http/app.test.ts']),
    );
    expect(chosen.length).toBeLessThan(quick.length / 2);
  });

  test('can all be chosen on the command line', () => {
    expect(filesOf(chooseTests('test', true))).toEqual(every.toSorted());
    expect(chooseTests('test', true).map(({ env }) => env)).toEqual([{}, {}]);
  });

  test('include some of every folder in npm test', () => {
    const folderOf = (file: string) => file.split('/').slice(1, file.startsWith('test/server/') ? 3 : 2)[0]!;
    const folders = new Set(quick.map(folderOf));
    expect([...new Set(every.map(folderOf))].filter((folder) => !folders.has(folder)).sort()).toEqual(
      WITHOUT_QUICK_TEST,
    );
  });
});

test('an unknown mode is an error, not another run', () => {
  expect(() => chooseTests('full', false)).toThrow('There is no mode "full"');
});

test('the last line says which files were left out, and where they run', () => {
  expect(NOTICE).toContain('.browser, .slow or .node');
  expect(NOTICE).toContain('npm run test:all');
});
