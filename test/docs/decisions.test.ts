import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = 'docs/explanations/decisions';
const MAX_LINES = 44;
const SECTIONS = ['Context', 'Decision', 'Price'];
const HEAD =
  /^# (?<number>\d{4})\. (?<title>.+)\n\nDate: (?<date>\d{4}-\d{2}-\d{2}) · Status: (?<status>.+?) · Code: (?<code>.+)\n/;

const read = (file: string) => readFileSync(path.join(ROOT, FOLDER, file), 'utf8');
const files = readdirSync(path.join(ROOT, FOLDER))
  .filter((name) => name !== 'README.md')
  .sort();
const headOf = (file: string) => HEAD.exec(read(file))?.groups ?? {};

describe.each(files)('the record %s', (file) => {
  const text = read(file);
  const { number, date = '', status = '', code = '' } = headOf(file);

  test('has its number, a date, and a status', () => {
    expect(file).toMatch(new RegExp(`^${number}-[a-z0-9]+(-[a-z0-9]+)*\\.md$`));
    expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    const replacement = /^replaced by (\d{4})$/.exec(status)?.[1];
    expect(status === 'accepted' || files.some((other) => other.startsWith(`${replacement}-`))).toBe(true);
  });

  test('has a context, a decision and a price, and is short', () => {
    const sections = [...text.matchAll(/^## (.+)\n\n\S/gm)].map(([, name]) => name);
    expect(sections).toEqual(sections.length > SECTIONS.length ? [...SECTIONS, 'Sources'] : SECTIONS);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });

  test('names code that exists', () => {
    const named = [...code.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });
});

test('each number is used once', () => {
  const numbers = files.map((file) => file.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(files.length).toBeGreaterThan(10);
});

test('the index lists every record once, with its title and date', () => {
  const rows = [...read('README.md').matchAll(/^\| (\[.+?\]\(\S+?\)) \| (\S+) \| \S.* \|$/gm)].map(([, ...row]) => row);
  const want = files.map((file) => {
    const { number, title, date } = headOf(file);
    return [`[${number}. ${title}](${file})`, date];
  });
  expect(rows.toSorted()).toEqual(want.toSorted());
});
