import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectors as shipped } from '../../../../../generated/index.ts';
import {
  completeConnector,
  loadCachedConnector,
  loadConnectors,
} from '../../../../../server/call/tools/catalogue/connectors.ts';
import type { GeneratedConnector, PageRule } from '../../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';

let root: string;
let generated: string;
let kept: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'connectors-'));
  generated = path.join(root, 'generated/library');
  kept = path.join(root, 'kept');
  await mkdir(path.join(generated, 'tools'), { recursive: true });
  await writeFile(path.join(generated, 'schema.d.ts'), 'export {};\n');
  for (let tool = 0; tool < 8; tool += 1) {
    await writeFile(path.join(generated, `tools/${tool}.ts`), `export const tool${tool} = ${tool};\n`);
  }
});

afterEach(() => rm(root, { recursive: true, force: true }));

const LIBRARY = fakeConnector({ tools: [fakeTool({ name: 'library_list' })] });

describe('keepConnector', () => {
  let loads = 0;
  beforeEach(() => {
    loads = 0;
  });
  const get = (connector = LIBRARY) =>
    loadCachedConnector(generated, kept, async () => {
      loads += 1;
      return connector;
    });

  it('loads a large connector once, and then reads it from the cache', async () => {
    expect(await get()).toEqual(LIBRARY);
    expect(await get()).toEqual(LIBRARY);
    expect(loads).toBe(1);
  });

  it.each([
    ['changed', () => writeFile(path.join(generated, 'tools/7.ts'), 'export const tool7 = 8;\n')],
    ['added', () => writeFile(path.join(generated, 'tools/more.ts'), '')],
    ['removed', () => rm(path.join(generated, 'tools/7.ts')).then(() => writeFile(path.join(generated, 'x.ts'), ''))],
  ])('loads it again after a module was %s', async (_title, change) => {
    await get();
    await change();
    await get();
    expect(loads).toBe(2);
  });

  it.each([
    ['truncated', (text: string) => text.slice(0, -10)],
    ['empty', () => ''],
    ['of other modules', (text: string) => text.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
  ])('loads it again where the cache file is %s', async (_title, change) => {
    await get();
    const file = path.join(kept, 'library.json');
    await writeFile(file, change(await readFile(file, 'utf8')));
    expect(await get()).toEqual(LIBRARY);
    expect(loads).toBe(2);
  });

  it('does not cache a small connector', async () => {
    await rm(path.join(generated, 'tools/7.ts'));
    await get();
    await get();
    expect(loads).toBe(2);
  });

  it.each([
    ['code', fakeConnector({ tools: [], handWritten: [] })],
    ['what JSON cannot express', { ...LIBRARY, description: undefined as unknown as string }],
  ])('does not cache a connector with %s', async (_title, connector) => {
    expect(await get(connector)).toBe(connector);
    expect(await readdir(kept).catch(() => [])).toEqual([]);
  });

  it('loads where the cache cannot be written', async () => {
    await writeFile(kept, 'a file where the folder would be');
    await chmod(kept, 0o400);
    expect(await get()).toBe(LIBRARY);
  });
});

describe('loadConnectors', () => {
  it('loads what generated/index.ts lists', async () => {
    expect(await loadConnectors()).toEqual(shipped.map(completeConnector));
  });

  it('returns cached tools as they were loaded', async () => {
    await writeFile(
      path.join(generated, 'index.ts'),
      `export const library = ${JSON.stringify({ ...LIBRARY, name: 'library' })};\n`,
    );
    await writeFile(path.join(root, 'generated/index.ts'), "import { library } from './library/index.ts';\n");
    const first = await loadConnectors(root, kept);
    expect(await readdir(kept)).toEqual(['library.json']);
    expect(await loadConnectors(root, kept)).toEqual(first);
  });
});

describe('completeConnector', () => {
  const [whole] = LIBRARY.tools;
  const { server: _, ...operation } = whole!.operation;
  const left = (page?: NonNullable<GeneratedConnector['tools'][number]['page']>): GeneratedConnector => ({
    ...LIBRARY,
    tools: [{ ...whole!, operation, ...(page === undefined ? {} : { page }) }],
  });

  it('calls tools at the first server of the connector where they name none', () => {
    expect(completeConnector(left())).toEqual(LIBRARY);
    const elsewhere = { ...whole!, operation: { ...operation, server: 'https://other.example' } };
    expect(completeConnector({ ...LIBRARY, tools: [elsewhere] }).tools).toEqual([elsewhere]);
  });

  it.each<[NonNullable<GeneratedConnector['tools'][number]['page']>, PageRule]>([
    [
      { argument: 'cursor', next: '/next', size: 'limit' },
      { argument: 'cursor', next: '/next', queryParameter: null, more: null, size: 'limit' },
    ],
    [
      { argument: 'cursor', next: '/next', queryParameter: 'after', more: '/more' },
      { argument: 'cursor', next: '/next', queryParameter: 'after', more: '/more' },
    ],
    [
      { kind: 'last', argument: 'after', items: '/data', id: '/id' },
      { kind: 'last', argument: 'after', items: '/data', id: '/id', more: null },
    ],
    [
      { kind: 'header', argument: 'cursor', header: 'x-next' },
      { kind: 'header', argument: 'cursor', header: 'x-next' },
    ],
  ])('adds the defaults of a page rule: %j', (page, complete) => {
    const [tool] = completeConnector(left(page)).tools;
    expect(tool?.page).toEqual(complete);
    expect(Object.keys(tool?.page ?? {})).toEqual(Object.keys(complete));
  });

  it('does not change a complete connector', () => {
    const complete = completeConnector(left({ argument: 'cursor', next: '/next' }));
    expect(completeConnector(complete)).toEqual(complete);
  });
});
