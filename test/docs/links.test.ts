import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listDocuments } from '../support/documented-blocks.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FORMS = '.github/ISSUE_TEMPLATE';
const IN_FORMS = '../blob/main/';

const list = (folder: string, ending: string) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => path.posix.join(folder, name));
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const pages = [...listDocuments(), ...list('.', 'llms.txt'), ...list('.github', '.md')];

/** Links and pictures of Markdown that lead to a file, without those in code. */
function linksOf(file: string): string[] {
  const text = read(file)
    .replace(/^(`{3,}|~{3,}).*?^\1/gms, '')
    .replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)[)"]/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** As GitHub makes them of headings. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a link; empty where nothing is. */
function problemOf(from: string, link: string): string {
  const [name = '', anchor] = link.split('#');
  const file = name === '' ? from : path.posix.join(path.posix.dirname(from), name);
  if (!existsSync(path.join(ROOT, file))) return `${from}: ${link} leads nowhere`;
  const isFound = anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor);
  return isFound ? '' : `${from}: ${file} has no heading #${anchor}`;
}

test('every link between the pages leads to a file, and to a heading where it names one', () => {
  const problems = pages.flatMap((page) => linksOf(page).map((link) => problemOf(page, link)));
  expect(problems.filter((problem) => problem !== '')).toEqual([]);
  expect(problems.length).toBeGreaterThan(100);
});

test('every link of the issue forms leads to a page of the main branch', () => {
  const links = list(FORMS, '.yml').flatMap(linksOf);
  expect(links.filter((link) => !link.startsWith(IN_FORMS))).toEqual([]);
  const problems = links.map((link) => problemOf('README.md', link.slice(IN_FORMS.length)));
  expect(problems.filter((problem) => problem !== '')).toEqual([]);
  expect(links.length).toBeGreaterThan(3);
});
