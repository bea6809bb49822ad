import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GenerateResult, generate } from '../../codegen/generate.ts';
import { createCircleDescriptor, createDiamondDescriptor, createTangledDescriptor } from './interlinked.ts';
import { createWideDescriptor } from './synthetic-descriptor.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'too-large-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function addService(name: string, descriptor: object): Promise<void> {
  await mkdir(path.join(root, 'specs', name), { recursive: true });
  await writeFile(path.join(root, 'specs', name, 'openapi.json'), JSON.stringify(descriptor));
}

function foldersOf({ files }: GenerateResult): string[] {
  return [...new Set(files.map((file) => file.path.split('/').slice(0, 2).join('/')))].sort();
}

describe('a service', () => {
  test('that runs out of memory is an error with the service and operation, and the others are generated', async () => {
    for (const name of ['first', 'second', 'third']) await addService(name, createWideDescriptor(2));
    let isSecond = false;
    const result = await generate({
      root,
      onStage: (service) => {
        isSecond = service === 'second';
      },
      heapShare: () => (isSecond ? 0.97 : 0.2),
    });
    expect(foldersOf(result)).toEqual(['generated/first', 'generated/index.ts', 'generated/third']);
    const [error, ...others] = result.diagnostics.filter(({ severity }) => severity === 'error');
    expect(others).toEqual([]);
    expect(error).toMatchObject({ code: 'service-too-large', file: 'specs/second' });
    expect(error?.message).toMatch(
      /^second was not generated\. .*97 %.* at (get|post|GET|POST) \/\S+ \(\S*\/paths\/\S+\)\.$/,
    );
    expect(error?.fix).toContain('notExposed');
  }, 60_000);

  test('that runs out of time is an error too', async () => {
    await addService('slow', createWideDescriptor(3));
    let minutes = 0;
    const now = () => {
      minutes += 1;
      return minutes * 60_000;
    };
    const result = await generate({ root, now });
    expect(result.files).toEqual([]);
    expect(result.diagnostics.map(({ code }) => code)).toContain('service-too-large');
  }, 60_000);
});

describe('a small descriptor that expands without limit', () => {
  test.each([
    ['alternatives that double at each of 60 levels', createDiamondDescriptor(60)],
    ['one alternative twice at each of 60 levels', twice(60)],
    ['60 schemas that each refer to all', createCircleDescriptor(60)],
  ])(
    '%s is generated',
    async (_title, descriptor) => {
      await addService('knot', descriptor);
      const result = await generate({ root });
      expect(result.services[0]?.connector?.tools).toHaveLength(1);
      expect(foldersOf(result)).toContain('generated/knot');
    },
    60_000,
  );
});

function twice(levels: number): object {
  const { components, ...rest } = createDiamondDescriptor(levels) as { components: { schemas: object } };
  const next = (level: number) => ({ $ref: `#/components/schemas/Level${level + 1}` });
  const schemas = Object.keys(components.schemas).map((name, level) => [
    name,
    level + 1 < levels
      ? { oneOf: [next(level), next(level)] }
      : { type: 'object', properties: { x: { type: 'string' } } },
  ]);
  return { ...rest, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

describe('tools that share schemas', () => {
  test('do not depend on the other tools of the service', async () => {
    const descriptor = createTangledDescriptor(6);
    const paths = Object.entries(descriptor.paths as object);
    await addService('all', descriptor);
    const all = (await generate({ root })).services[0]?.connector?.tools ?? [];
    expect(all).toHaveLength(6);
    for (const [index, entry] of paths.entries()) {
      const name = `one${index}`;
      await addService(name, { ...descriptor, paths: Object.fromEntries([entry]) });
      const [own] = (await generate({ root, services: [name] })).services;
      const [tool] = own?.connector?.tools ?? [];
      const same = all.find(({ operation }) => operation.path === tool?.operation.path);
      expect(JSON.stringify(tool?.inputSchema)).toBe(JSON.stringify(same?.inputSchema));
      expect(JSON.stringify(tool?.outputSchema)).toBe(JSON.stringify(same?.outputSchema));
    }
  }, 60_000);
});
