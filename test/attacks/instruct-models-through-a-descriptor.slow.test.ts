import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findSuspiciousText } from '../../codegen/report/suspicious-text.ts';
import { findTool } from '../support/fuller-checks.ts';

const PUBLISHED = ['@readme/oas-examples'];
const addressesModel = (text: string) => findSuspiciousText(text).some(({ rule }) => rule === 'introduces-instruction');

async function textsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => /openapi\.yaml$|(?<!package)\.json$/.test(name));
  const contents = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  return contents.flatMap((content) => stringsOf(parse(content)));
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

test('an instruction to a model is marked in fewer than 0.2 % of the texts of published descriptors', async () => {
  const folders = [path.resolve('specs'), ...PUBLISHED.flatMap((name) => findTool(name) ?? [])];
  const texts = [...new Set((await Promise.all(folders.map(textsIn))).flat())];
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.filter(addressesModel).length / texts.length).toBeLessThan(0.002);
}, 60_000);
