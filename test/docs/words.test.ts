import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const STYLE = 'docs/style.md';
const FILES = [
  '**/*.md',
  '**/*.ts',
  '**/*.mjs',
  'specs/*/connector.yaml',
  'docs/**/*.yaml',
  'deploy/**/*.yaml',
  '.github/**/*.{md,yml}',
  '.github/CODEOWNERS',
];
const EXCEPT = [
  'generated',
  'test/golden',
  'test/codegen/report/cases',
  'shared/search/synonyms',
  'test/shared/search',
  STYLE,
  'test/docs/words.test.ts',
];
const ALLOWED: Readonly<Record<string, readonly string[]>> = { 'specs/mailer/connector.yaml': ['complaints'] };

type Rule = { readonly pattern: RegExp; readonly say: string };

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The rows of the table whose first heading is "Never". */
function rulesOf(style: string): Rule[] {
  const rows = style.split('| Never | Say |')[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return rows.map((row) => {
    const [, words = '', say = ''] = row.split('|').map((cell) => cell.trim());
    const choices = words.split(', ').map((word) => word.replaceAll(' ', '\\s+'));
    return { pattern: new RegExp(`(?<!\\w)(?:${choices.join('|')})(?!\\w)`, 'gi'), say };
  });
}

/** One line for each word that is never right: `file:line: "word": say ...`. */
function findingsIn(file: string, text: string, rules: readonly Rule[]): string[] {
  return rules.flatMap(({ pattern, say }) =>
    [...text.matchAll(pattern)]
      .filter(([word]) => !ALLOWED[file]?.includes(word))
      .map(({ 0: word, index }) => `${file}:${text.slice(0, index).split('\n').length}: "${word}": say ${say}`),
  );
}

const rules = rulesOf(read(STYLE));

test.each([
  ['a comment', '// One line.\n/** Mends it. */', ['a.ts:2: "Mends": say fix']],
  ['a string', "const text = 'count anew';", ['a.ts:1: "anew": say again']],
  ['a phrase that a line break splits', 'what is at\nhand', ['a.ts:1: "at\nhand": say current, available']],
  ['a percentage', 'where 95 % stay below 3 ms', ['a.ts:1: "% stay below": say p95']],
  ['words that only contain one', 'recommended, that handle, stranger_things', []],
])('finds in %s what is never right', (_, text, want) => {
  expect(findingsIn('a.ts', text, rules)).toEqual(want);
});

test('no page, comment, message or connector says what is never right', () => {
  const files = globSync(FILES, { cwd: ROOT, exclude: (name) => name.endsWith('node_modules') }).filter(
    (file) => !EXCEPT.some((place) => file === place || file.startsWith(`${place}/`)),
  );
  expect(files.length).toBeGreaterThan(1000);
  expect(files.flatMap((file) => findingsIn(file, read(file), rules))).toEqual([]);
});
