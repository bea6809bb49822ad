import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderPage } from '../support/markdown.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FORMS = '.github/ISSUE_TEMPLATE';
const IN_FORMS = '../blob/main/';
const CODE = [
  '**/*.{ts,mjs,js,yaml,yml,json,sh,css,service}',
  '.github/**/*.{yml,yaml}',
  '.devcontainer/*',
  '.ci/run',
  'Containerfile',
];
const IN_OTHER_PROJECTS = ['docs/discovery.md', 'docs/guide.md', 'docs/index.md', 'docs/install.md', 'docs/setup.md'];

const list = (patterns: readonly string[]) =>
  globSync(patterns, { cwd: ROOT, exclude: (name) => name.endsWith('node_modules') })
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort();
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const pages = new Map(
  [...list(['**/*.md', '.github/**/*.md']), 'llms.txt'].map((file) => [file, renderPage(read(file))] as const),
);

/** What is wrong with a link; empty where nothing is. */
function problemOf(from: string, link: string): string {
  const [name = '', anchor] = decodeURI(link).split('#');
  const file = name === '' ? from : path.posix.join(path.posix.dirname(from), name);
  if (!existsSync(path.join(ROOT, file))) return `${from}: ${link} leads nowhere`;
  const page = anchor === undefined ? undefined : pages.get(file);
  return page === undefined || page.anchors.includes(anchor!) ? '' : `${from}: ${file} has no heading #${anchor}`;
}

const problemsOf = (links: readonly (readonly [from: string, link: string])[]) =>
  links.map(([from, link]) => problemOf(from, link)).filter((problem) => problem !== '');

test('every page renders as its author meant', () => {
  const faults = [...pages].flatMap(([file, page]) => page.faults.map((fault) => `${file}: ${fault}`));
  expect(faults).toEqual([]);
  expect(pages.size).toBeGreaterThan(200);
});

test('every link and picture of a page leads to a file, and to a heading where it names one', () => {
  const links = [...pages].flatMap(([file, page]) => page.links.map((link) => [file, link] as const));
  const inside = links.filter(([, link]) => !/^[a-z]+:/.test(link));
  expect(problemsOf(inside)).toEqual([]);
  expect(inside.length).toBeGreaterThan(500);
});

test('every page that code, a descriptor or a script names is there, with its heading', () => {
  const folders = readdirSync(path.join(ROOT, 'docs'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).join('|');
  const reference = new RegExp(String.raw`(?<![\w/.-])docs/(?:(?:${names})/[\w./-]+|[\w-]+)\.md(?:#[\w-]+)?`, 'g');
  const named = list(CODE).flatMap((file) =>
    [...read(file).matchAll(reference)]
      .filter(([link]) => !IN_OTHER_PROJECTS.includes(link))
      .map(([link]) => [file, link] as const),
  );
  const fromRoot = named.map(([file, link]) => [file, path.posix.relative(path.posix.dirname(file), link)] as const);
  expect(problemsOf(fromRoot)).toEqual([]);
  expect(named.length).toBeGreaterThan(50);
});

test('every link of the issue forms leads to a page of the main branch', () => {
  const forms = readdirSync(path.join(ROOT, FORMS)).filter((name) => name.endsWith('.yml'));
  const links = forms.flatMap((name) =>
    [...read(`${FORMS}/${name}`).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link),
  );
  const inside = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(inside.filter((link) => !link.startsWith(IN_FORMS))).toEqual([]);
  expect(problemsOf(inside.map((link) => ['README.md', link.slice(IN_FORMS.length)]))).toEqual([]);
  expect(inside.length).toBeGreaterThan(3);
});

describe('a rendered page', () => {
  test.each([
    ['an empty line in a table', '| a |\n| - |\n\n| b |\n', 'a row outside a table: | b |'],
    ['a delimiter with too few cells', '| a | b |\n| - |\n', 'a row outside a table: | a | b |'],
    ['a row with too many cells', '| a |\n| - |\n| b | c |\n', 'a row with more cells than the head: | b | c |'],
    ['a row in a list', '- a\n\n  | b |\n', 'a row outside a table: | b |'],
    ['code without an end', '```sh\nnpm ci\n', 'code without a fence that ends it: ```sh'],
    ['indented code', 'Text.\n\n    npm ci\n', 'code without a fence that ends it: npm ci'],
    ['a comment without an end', '<!-- not run: why\n\nText.\n', 'a comment that does not end: <!-- not run: why'],
    ['a reference that is not defined', 'See [the page][page].\n', 'a link that is not one: ][page].'],
    ['a link with a space', 'See [the page](a b.md).\n', 'a link that is not one: ](a b.md).'],
    ['a number in a paragraph', 'Text:\n2. More.\n', 'a list item inside a paragraph: 2. More.'],
    ['a backtick alone', 'Run `npm ci.\n', 'a backtick without its pair: `npm ci.'],
    ['bold text with a space', 'This is ** bold **.\n', 'bold text that is not bold: ** bold **.'],
    ['a heading without a space', '##Heading\n', 'a heading without a space: ##Heading'],
  ])('tells of %s', (_, markdown, fault) => {
    expect(renderPage(markdown).faults).toEqual([fault]);
  });

  test('has the anchors of GitHub, with numbers for equal headings', () => {
    const { anchors } = renderPage('# `a_b`, & [C](d.md)\n## Same\n## Same\n<a id="x"></a>\n');
    expect(anchors).toEqual(['a_b--c', 'same', 'same-1', 'x']);
  });
});
