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

const GLOSSARY = 'docs/explanations/glossary.md';
const DECLARATION = /\b(?:const|let|function|class|interface|type|readonly)\s+(\w+)/g;

/** The words of the column "Not in names" of the glossary. */
function wordsNotInNames(glossary: string): string[] {
  const rows = glossary.split('\n').filter((line) => /^\| [a-z`]/.test(line));
  return rows.flatMap((row) => row.split('|')[3]?.split(',') ?? []).flatMap((cell) => cell.trim() || []);
}

/** The words of a name: `inletId` has `inlet` and `id`, each without the `s` of a plural. */
function wordsOf(name: string): string[] {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/);
  return words.map((word) => word.toLowerCase().replace(/s$/, ''));
}

function namesWith(words: readonly string[], file: string, text: string): string[] {
  const names = [...text.matchAll(DECLARATION)].map(([, name = '']) => name);
  return names.filter((name) => wordsOf(name).some((word) => words.includes(word))).map((name) => `${file}: ${name}`);
}

test('no name uses a word that the glossary has another one for', () => {
  const words = wordsNotInNames(read(GLOSSARY));
  expect(words).toContain('inlet');
  expect(namesWith(words, 'a.ts', 'const inletIds = [];\ninterface Outlet { readonly id: string }')).toEqual([
    'a.ts: inletIds',
  ]);
  const files = globSync(['server/**/*.ts', 'codegen/**/*.ts'], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => namesWith(words, file, read(file)))).toEqual([]);
});

test('the glossary has at most 60 terms, each once', () => {
  const terms = read(GLOSSARY)
    .split('\n')
    .filter((line) => /^\| [a-z`]/.test(line))
    .map((row) => row.split('|')[1]?.trim());
  expect(terms.length).toBeGreaterThan(40);
  expect(terms.length).toBeLessThanOrEqual(60);
  expect(new Set(terms).size).toBe(terms.length);
});
