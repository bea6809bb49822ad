import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const IGNORED = ['coverage', 'data', 'node_modules'];
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const page = read('docs/explanations/architecture.md');
const foldersIn = (folder: string) =>
  readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

describe('docs/explanations/architecture.md', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  test('says what each folder of the project is for', () => {
    const folders = foldersIn('.').filter((name) => /^\w/.test(name) && !IGNORED.includes(name));
    expect(folders.filter((name) => !rows.some((row) => row.startsWith(`| \`${name}/\``)))).toEqual([]);
    expect(folders).toContain('codegen');
  });

  test('says what each folder of the gateway is for', () => {
    const ofServer = rows.filter((row) => row.startsWith('| `server')).join('\n');
    const missing = foldersIn('server').filter((name) => !new RegExp(`\`(server/)?${name}\``).test(ofServer));
    expect(missing).toEqual([]);
  });

  test('names files that there are', () => {
    const named = [...page.matchAll(/`((?:server|test|scripts|codegen|examples)\/[\w./-]+)`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });
});

describe('the drawings', () => {
  const drawings = readdirSync(path.join(ROOT, 'docs/pictures')).filter((name) => name.endsWith('.svg'));
  const pages = [read('README.md'), page].join('\n');

  test.each(drawings)('%s is in a page, has a text alternative, and a dark form', (name) => {
    const svg = read(`docs/pictures/${name}`);
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc">/);
    expect(svg).toMatch(/<title id="title">.{10,}<\/title>/);
    expect(svg).toMatch(/<desc id="desc">.{100,}<\/desc>/);
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
    expect(svg).not.toMatch(/<script|href=|url\((?!#)/);
    expect(pages).toMatch(new RegExp(`(!\\[.{40,}\\]\\(|alt=".{40,}" src=")[^)"]*pictures/${name}`));
  });

  test('are there', () => {
    expect(drawings).toEqual(['call.svg', 'flow.svg', 'parts.svg']);
  });
});
