import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const PAGE = path.resolve(import.meta.dirname, '../../docs/explanations/dependencies.md');
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'));
const described = rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
const names = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap(Object.keys);

const isOf = (name: string, pattern: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

test('docs/explanations/dependencies.md has a row for every dependency', () => {
  expect(names.filter((name) => !described.some((pattern) => isOf(name, pattern)))).toEqual([]);
});

test('docs/explanations/dependencies.md has no row for anything else', () => {
  expect(described.filter((pattern) => !names.some((name) => isOf(name, pattern)))).toEqual([]);
});
