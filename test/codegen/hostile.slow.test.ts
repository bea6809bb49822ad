import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GenerateResult, generate } from '../../codegen/generate.ts';
import { numRuns } from '../support/num-runs.ts';
import { compileGenerated } from './compile.ts';
import { findForeignMarkdown } from './hostile/check-markdown.ts';
import { findForeignCode, readExportedData } from './hostile/check-typescript.ts';
import { createTextSource, hostileConfig, hostileDescriptor } from './hostile/descriptor.ts';
import { hostileText, WORST_TEXTS } from './hostile/texts.ts';

const RUNS = Number(process.env.HOSTILE_RUNS ?? numRuns(15));

let root = '';
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'hostile-'));
  await mkdir(path.join(root, 'specs/notes'), { recursive: true });
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function generateFrom(texts: readonly string[], withConfig: boolean): Promise<GenerateResult> {
  const folder = path.join(root, 'specs/notes');
  const source = createTextSource(texts);
  await rm(path.join(folder, 'connector.yaml'), { force: true });
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(hostileDescriptor(source)));
  if (withConfig) await writeFile(path.join(folder, 'connector.yaml'), JSON.stringify(hostileConfig(source)));
  return generate({ root });
}

function checkFiles({ files, services, diagnostics }: GenerateResult): void {
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const foreign = files.flatMap((file) => {
    if (file.path === 'generated/index.ts' || file.path.endsWith('client.ts')) return [];
    const found = file.path.endsWith('.md') ? findForeignMarkdown(file.text) : findForeignCode(file.path, file.text);
    return found.map((what) => `${file.path} has ${what}`);
  });
  expect(foreign).toEqual([]);
  for (const tool of services[0]?.connector?.tools ?? []) {
    const file = files.find(({ path: name }) => name.endsWith(`/${tool.name.replaceAll('_', '-')}.ts`));
    const { name, title, description, inputSchema, outputSchema } = tool;
    expect(readExportedData(file?.path ?? '', file?.text ?? '')).toMatchObject(
      JSON.parse(JSON.stringify({ name, title, description, inputSchema, outputSchema })),
    );
  }
}

describe('hostile text in every place of a descriptor and of connector.yaml', () => {
  test.each(WORST_TEXTS)('becomes neither code nor markdown: %s', { timeout: 60_000 }, async (_, text) => {
    checkFiles(await generateFrom([text], false));
    checkFiles(await generateFrom([text], true));
  });

  test('compiles', { timeout: 60_000 }, async () => {
    const { files } = await generateFrom(
      WORST_TEXTS.map(([, text]) => text),
      false,
    );
    expect(compileGenerated(files)).toEqual([]);
  });

  test.each(['% off', 'a%2Fb', '__proto__', "it's", '*/', 'ü', '\\'])(
    'compiles as a name: %s',
    { timeout: 60_000 },
    async (text) => {
      const { files } = await generateFrom([text], false);
      expect(compileGenerated(files)).toEqual([]);
    },
  );

  test('becomes neither code nor markdown in any combination', { timeout: 300_000 }, async () => {
    const texts = fc.array(hostileText, { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async (drawn, withConfig) => {
        checkFiles(await generateFrom(drawn, withConfig));
      }),
      { numRuns: RUNS },
    );
  });
});
