import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generate } from '../../codegen/generate.ts';
import { listServices } from '../../codegen/load/index.ts';
import { toUnifiedDiff } from '../../codegen/print-check.ts';
import { compareGenerated } from '../../codegen/write.ts';
import { someOf } from '../support/some-of.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const GOLDEN = path.join(ROOT, 'test/golden');
const SECTIONS = ['schemas', 'parameters', 'requestBodies', 'responses', 'headers', 'securitySchemes'];

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'generate-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const MINIMAL = path.join(GOLDEN, 'minimal/specs/notes');

async function addService(name: string, from = MINIMAL): Promise<string> {
  const folder = path.join(root, 'specs', name);
  await cp(from, folder, { recursive: true });
  return folder;
}

type Json = Record<string, unknown>;
const reversed = (object: unknown): Json => Object.fromEntries(Object.entries((object ?? {}) as Json).reverse());

function reorder(descriptor: Json): Json {
  const components = reversed(descriptor.components);
  for (const section of SECTIONS) {
    if (section in components) components[section] = reversed(components[section]);
  }
  const paths = Object.entries(reversed(descriptor.paths)).map(([key, item]) => [key, reversed(item)]);
  const parts = 'components' in descriptor ? { components } : {};
  return reversed({ ...descriptor, ...parts, paths: Object.fromEntries(paths) });
}

async function listDescriptors(): Promise<[title: string, folder: string][]> {
  const real = (await listServices(ROOT)).map((name): [string, string] => [name, path.join(ROOT, 'specs', name)]);
  const cases = (await readdir(GOLDEN, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const golden = cases.map(({ name }): [string, string] => [name, path.join(GOLDEN, name, 'specs/notes')]);
  return [...real, ...golden.filter(([, folder]) => existsSync(folder) && !existsSync(path.join(folder, 'mcp.json')))];
}

const descriptors = await listDescriptors();

describe('generating', () => {
  test.each(someOf(descriptors, 2))(
    'gives the same bytes, except for its digest, when the descriptor %s is reordered',
    async (_, from) => {
      const folder = await addService('notes', from);
      const before = await generate({ root });
      const file = (await readdir(folder)).find((name) => name.startsWith('openapi.')) ?? '';
      const descriptor = parse(await readFile(path.join(folder, file), 'utf8'));
      await rm(path.join(folder, file));
      await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(reorder(descriptor)));
      const after = await generate({ root });
      const named = (files: typeof after.files) =>
        files.map(({ path: name, text }) => [
          name,
          text.replaceAll(/openapi\.(json|ya?ml)/g, 'openapi').replace(/^ {2}descriptor: .*$/m, ''),
        ]);
      expect(named(after.files)).toEqual(named(before.files));
    },
  );

  test('gives the same bytes twice', async () => {
    await addService('notes');
    expect((await generate({ root })).files).toEqual((await generate({ root })).files);
  });

  test('reads only the named services and lists them all', async () => {
    await addService('notes');
    await mkdir(path.join(root, 'specs/broken'));
    const { files, diagnostics, services } = await generate({ root, services: ['notes'] });
    expect(diagnostics).toEqual([]);
    expect(services.map(({ name }) => name)).toEqual(['notes']);
    const index = files.find((file) => file.path === 'generated/index.ts')?.text;
    expect(index).toContain("import { broken } from './broken/index.ts';");
    expect(index).toContain('  broken,\n  notes,\n');
  });

  test('gives the files of the services that have no error', async () => {
    await addService('notes');
    await mkdir(path.join(root, 'specs/broken'));
    const { files, diagnostics } = await generate({ root });
    expect(files.some(({ path: file }) => file === 'generated/notes/index.ts')).toBe(true);
    expect(files.at(-1)?.text).not.toContain('broken');
    expect(diagnostics).toMatchObject([{ code: 'descriptor-missing', severity: 'error', file: expect.any(String) }]);
  });

  test('gives an index for no services', async () => {
    const { files } = await generate({ root });
    expect(files.map((file) => file.path)).toEqual(['generated/index.ts']);
    expect(files[0]?.text).toContain('export const connectors: readonly GeneratedConnector[] = [];\n');
  });

  test('reports the position, severity and fix of a problem', async () => {
    const folder = await addService('notes');
    await writeFile(path.join(folder, 'connector.yaml'), 'tools:\n  notes_list:\n    operation: getNot\n');
    const { diagnostics } = await generate({ root });
    expect(diagnostics).toMatchObject([
      {
        file: 'specs/notes/connector.yaml',
        position: { line: 3, column: 5 },
        pointer: '/tools/notes_list/operation',
        severity: 'error',
        code: 'config-operation-unknown',
        fix: 'Did you mean getNote? If the service no longer has it, remove it here.',
      },
    ]);
  });

  test('reports its stages in order', async () => {
    await addService('notes');
    const stages: string[] = [];
    await generate({ root, onStage: (service, stage) => stages.push(`${service} ${stage}`) });
    expect(stages).toEqual(['notes load', 'notes model', 'notes tools', 'notes emit']);
  });
});

test('generated/ matches specs/', { timeout: 120_000 }, async () => {
  const { files, diagnostics, services } = await generate({ root: ROOT });
  const allServices = services.map(({ name }) => name);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const changes = await compareGenerated({ root: ROOT, files, services: allServices, allServices });
  expect(changes.map(toUnifiedDiff).join('\n'), 'Run `npm run codegen` and commit what it writes.').toBe('');
});
