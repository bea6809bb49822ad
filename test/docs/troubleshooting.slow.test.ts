import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { describeVariables } from '../../server/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SHIPPED = ['shared', 'codegen', 'scripts', 'server'];
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const code = SHIPPED.flatMap((folder) => globSync(`${folder}/**/*.{ts,mjs}`, { cwd: ROOT }))
  .map(read)
  .join('\n')
  .replaceAll(/['`]\s*\+\s*['`]/g, '')
  .replaceAll(/\$\{JSON\.stringify\([^)]*\)\}|\$\{quote\([^)]*\)\}/g, '"value"');

const messages = read('docs/guides/troubleshooting.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));

function patternOf(message: string): RegExp {
  const parts = message
    .split('...')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return new RegExp(parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('.*'));
}

test('every message in docs/guides/troubleshooting.md is one of the product', () => {
  expect(messages.filter((message) => !patternOf(message).test(code))).toEqual([]);
  expect(messages.length).toBeGreaterThan(50);
});

test('every setting in it is one of the gateway', () => {
  const page = read('docs/guides/troubleshooting.md');
  const names = new Set([...page.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name));
  expect([...names].filter((name) => !describeVariables([]).some((known) => known.name === name))).toEqual([]);
  expect(names.size).toBeGreaterThan(8);
});
