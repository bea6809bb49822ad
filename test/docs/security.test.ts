import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const TESTS = path.resolve(import.meta.dirname, '..');
const page = readFileSync(path.join(TESTS, '../docs/reference/promises.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| .+ \| .*`(attacks|server|codegen|e2e)\//.test(line));
const named = rows.flatMap((row) => {
  const tests = row.split(' | ')[1] ?? '';
  return [...tests.matchAll(/`((?:attacks|server|codegen|e2e)\/[^`]+)`/g)].map(([, name]) => name!);
});

/** The page names tests without what says how they run. */
const ENDINGS = ['', '.test.ts', '.browser.test.ts', '.slow.test.ts', '.node.test.ts'];

test('every test that a promise names is there', () => {
  const isThere = (name: string) => ENDINGS.some((ending) => existsSync(path.join(TESTS, name + ending)));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
  expect(rows.length).toBeGreaterThan(30);
});

test('every attack that is tested has its promise', () => {
  const attacks = readdirSync(path.join(TESTS, 'attacks')).filter((name) => name.endsWith('.test.ts'));
  expect(attacks.map((name) => `attacks/${name.split('.')[0]}`).filter((name) => !named.includes(name))).toEqual([]);
});
