import { readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate } from '../../codegen/generate.ts';
import { formatDiagnostics } from '../../codegen/print.ts';
import { toUnifiedDiff } from '../../codegen/print-check.ts';
import { compareGenerated, writeChanges } from '../../codegen/write.ts';
import { compileGenerated } from './compile.ts';

const GOLDEN = path.resolve(import.meta.dirname, '../golden');
const UPDATES = process.env.UPDATE_GOLDEN === '1';
/** Cases that keep `schema.d.ts` and `client.ts`. They follow from openapi-typescript; the compiler reads those of every case. */
const CLIENT_CASES = ['hand-written-tools', 'minimal'];

const cases = readdirSync(GOLDEN, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

describe.each(cases)('golden case %s', (name) => {
  const root = path.join(GOLDEN, name);

  test('gives the files and diagnostics next to it', async () => {
    const { files, diagnostics, services } = await generate({ root });
    const allServices = services.map((service) => service.name);
    const comparedFiles = files.filter(
      (file) => CLIENT_CASES.includes(name) || !/\/(?:schema\.d|client)\.ts$/.test(file.path),
    );
    const changes = await compareGenerated({ root, files: comparedFiles, services: allServices, allServices });
    const expected = formatDiagnostics(diagnostics, true);
    if (UPDATES) {
      await writeChanges(root, changes);
      await writeText(path.join(root, 'diagnostics.txt'), expected);
    } else {
      expect(changes.map(toUnifiedDiff).join('\n')).toBe('');
      expect(await readText(path.join(root, 'diagnostics.txt'))).toBe(expected);
    }
    expect(compileGenerated(files, await readHandWritten(root))).toEqual([]);
  });
});

async function readHandWritten(root: string) {
  const names = readdirSync(path.join(root, 'specs'), { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => `specs/${name}`).filter((name) => /\/tools\/[^/]+\.ts$/.test(name));
  return Promise.all(files.map(async (file) => ({ path: file, text: await readText(path.join(root, file)) })));
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function writeText(file: string, text: string): Promise<void> {
  if (text === '') await rm(file, { force: true });
  else await writeFile(file, text);
}
