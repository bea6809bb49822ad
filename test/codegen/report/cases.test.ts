import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import { buildReport, createSurfaceReader, createTokenCounter, formatMarkdown } from '../../../codegen/report/index.ts';
import { RULES } from '../../../codegen/report/rules.ts';
import { loadAcknowledgements } from '../../../scripts/tools-diff/acknowledgements.ts';
import { addWholeSchemas } from '../../../scripts/tools-diff/open-parts.ts';

const CASES = path.join(import.meta.dirname, 'cases');
const UPDATES = process.env.UPDATE_GOLDEN === '1';
const WITHOUT_CASE = ['call-changed', 'changed-otherwise', 'output-schema-rewritten'];
const TODAY = '2026-12-01';

const cases = readdirSync(CASES).sort();
const reader = createSurfaceReader();
const countTokens = await createTokenCounter();

async function surfacesOf(root: string) {
  await mkdir(path.join(root, 'specs'), { recursive: true });
  const { files, diagnostics } = await generate({ root });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return reader.read(new Map(files.map((file) => [file.path, file.text])));
}

describe.each(cases)('case %s', (name) => {
  test('gives the report next to it', async () => {
    const folder = path.join(CASES, name);
    const after = path.join(folder, 'after');
    const before = path.join(folder, 'before');
    const published = { before: await surfacesOf(before), after: await surfacesOf(after) };
    const report = buildReport({
      ...(await addWholeSchemas(published, { folder: before }, after)),
      base: 'before',
      head: 'after',
      ...(await loadAcknowledgements(after)),
      countTokens,
      today: TODAY,
    });
    expect(report.groups.map(({ rule }) => rule)).toContain(name);
    const text = formatMarkdown(report);
    const file = path.join(folder, 'report.md');
    if (UPDATES) await writeFile(file, text);
    else expect(text).toBe(await readFile(file, 'utf8'));
  });
});

test('the guide shows the report of a case exactly as printed', async () => {
  const guide = await readFile(path.join(CASES, '../../../../docs/guides/reviewing-tool-changes.md'), 'utf8');
  const [, shown] = /<!-- The report begins. -->\n\n(.*)\n\n<!-- The report ends. -->/s.exec(guide) ?? [];
  expect(shown).toBe((await readFile(path.join(CASES, 'introduces-tool-name/report.md'), 'utf8')).trim());
});

test('every rule has a case, except those for what codegen does not write', () => {
  const rules = Object.keys(RULES).filter((rule) => !WITHOUT_CASE.includes(rule));
  expect(rules.filter((rule) => !existsSync(path.join(CASES, rule, 'report.md')))).toEqual([]);
});
