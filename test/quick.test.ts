import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALONE, chooseTests, LEFT_OUT, NOTICE, ON_EVERY_NODE } from './quick.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const leftOut = Object.values(LEFT_OUT).flat();
const WITHOUT_QUICK_TEST = ['conformance'];

const every = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll(path.sep, '/')}`)
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/golden/'));

/** The files of a selection, without patterns. */
function filesOf({ together, alone }: ReturnType<typeof chooseTests>): string[] {
  const found = together.include[0]?.includes('*') ? every : together.include;
  return [...found.filter((file) => !together.exclude.includes(file)), ...alone.include].sort();
}

test('each file that is left out exists, and is listed once', () => {
  expect([...leftOut, ...ALONE].filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  expect(leftOut).toHaveLength(new Set(leftOut).size);
});

describe('the files that run', () => {
  const quick = filesOf(chooseTests('test', false));
  const rest = filesOf(chooseTests('rest', false));

  test('of npm test and of the rest together are those of npm run test:all, each once', () => {
    expect([...quick, ...rest].sort()).toEqual(every.toSorted());
    expect(filesOf(chooseTests('all', false))).toEqual(every.toSorted());
  });

  test('on every version of Node are those of npm test and those that rest on Node', () => {
    expect(ON_EVERY_NODE.filter((file) => !leftOut.includes(file))).toEqual([]);
    expect(filesOf(chooseTests('node', false))).toEqual([...quick, ...ON_EVERY_NODE].sort());
  });

  test('between the oldest Node and ours are all that rest on Node, and fewer than half', () => {
    const { include, exclude } = chooseTests('between', false).together;
    const chosen = every.filter(
      (file) => include.some((one) => path.matchesGlob(file, one)) && !exclude.includes(file),
    );
    expect(chosen).toEqual(expect.arrayContaining([...ON_EVERY_NODE, 'test/server/base/http/app.test.ts']));
    expect(chosen.length).toBeLessThan(filesOf(chooseTests('node', false)).length / 2);
  });

  test('can all be chosen on the command line', () => {
    expect(filesOf(chooseTests('test', true))).toEqual(every.toSorted());
    expect(chooseTests('test', true).isQuick).toBe(false);
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

test('the last line says how many files were left out, and where they run', () => {
  expect(NOTICE).toContain(`${leftOut.length} test files`);
  expect(NOTICE).toContain('npm run test:all');
});
