import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '../..');
const index = readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8');
const LINE = /^- \[[^\]]+\]\(([^)#]+)\): \S.*\.$/;

describe('docs/README.md', () => {
  test('has a line with a description for every page', () => {
    const listed = index.split('\n').flatMap((line) => LINE.exec(line)?.[1] ?? []);
    const pages = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll(path.sep, '/'),
    );
    const isListed = (page: string) =>
      listed.includes(page) || listed.includes(`${path.posix.dirname(page)}/README.md`);
    const missing = pages.filter((page) => /\.(md|yaml)$/.test(page) && page !== 'README.md' && !isListed(page));
    expect(missing).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('says no line in another form', () => {
    const lines = index.split('\n').filter((line) => line.startsWith('-'));
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
  });
});

test('llms.txt has the same pages (https://llmstxt.org)', async () => {
  const sections = index
    .slice(index.indexOf('\n## ') + 1)
    .replaceAll(/\]\(([^)]+)\)/g, (_, link: string) => `](${path.posix.normalize(`docs/${link}`)})`);
  const text = `# Unified Tool Gateway\n\n> ${manifest.description}\n\n${sections}`;
  await expect(text).toMatchFileSnapshot(path.join(ROOT, 'llms.txt'));
});
