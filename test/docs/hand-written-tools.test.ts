import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLE = 'test/golden/hand-written-tools';
const read = (file: string) => readFile(resolve(ROOT, file), 'utf8');

describe('docs/guides/hand-written-tools.md', () => {
  test('shows a tool as it is tested', async () => {
    const source = await read(`${EXAMPLE}/specs/office/tools/wait-until-ready.ts`);
    expect(await read('docs/guides/hand-written-tools.md')).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  test('shows the part of TOOLS.md', async () => {
    const page = await read(`${EXAMPLE}/generated/office/TOOLS.md`);
    const rows = page.split('\n').filter((line) => /^\| \[`office_wait/.test(line));
    const text = (await read('docs/guides/hand-written-tools.md'))
      .replaceAll(`../../${EXAMPLE}/specs`, '../../specs')
      .replaceAll(`../../${EXAMPLE}/generated/office/`, '');
    expect(rows).toHaveLength(1);
    for (const row of rows) expect(text).toContain(row);
  });

  test('quotes the tool report', async () => {
    const report = await read('test/codegen/report/cases/code-of-write-changed/report.md');
    const change = report.split('\n').find((line) => line.startsWith('- **Code of a writing tool changed**'));
    expect(await read('docs/guides/hand-written-tools.md')).toContain(change);
  });
});
