import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createDriftCommand } from '../../scripts/drift/command.ts';
import { buildProposal } from '../../scripts/drift/propose.ts';
import { definitionsOf } from '../../server/call/tools/catalogue/provenance.ts';
import { addDrift, type DriftSum } from '../../server/modules/drift/tallies.ts';
import { describeStore } from '../server/base/store/dialects.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { keyBytes } from '../support/keys.ts';
import { runInProcess } from '../support/run-command.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const TODAY = Date.UTC(2026, 10, 21);
const LIST = fakeTool({ name: 'library_list', path: '/things', more: { result: { wrapItems: true } } });
const LIBRARY = fakeConnector({ tools: [LIST] });
const DEFINITION = definitionsOf(LIBRARY).get('library_list') ?? '';

const DESCRIPTOR = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  servers: [{ url: 'https://library.example' }],
  paths: {
    '/things': {
      get: {
        operationId: 'list',
        responses: {
          200: {
            description: 'Things.',
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id', "it's"],
        properties: {
          id: { type: 'integer' },
          "it's": { type: 'string' },
          status: { type: 'string', enum: ['open'] },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
};
const THING = "$['components']['schemas']['Thing']";

const sum = (place: string, keyword: string, found: string, answers = 9): DriftSum => {
  const of = { service: 'library', tool: 'library_list', definition: DEFINITION, lastDay: TODAY };
  return { ...of, place, keyword, found, answers };
};
const actionsFor = (drifts: readonly DriftSum[], openapi = '3.1.0') => {
  const { actions, left } = buildProposal({ ...DESCRIPTOR, openapi }, LIBRARY, drifts);
  return { actions: actions.map(({ description: _, ...action }) => action), left: left.map(({ why }) => why) };
};

describe('the proposed overlay', () => {
  const id = `${THING}['properties']['id']`;
  test.each<[string, readonly DriftSum[], object[]]>([
    [
      'allows a type in addition to that of the descriptor',
      [sum('/items/*/id', 'type', 'string')],
      [
        { target: `${id}['type']`, remove: true },
        { target: id, update: { type: ['integer', 'string'] } },
      ],
    ],
    [
      'allows all types of a place at once',
      [sum('/items/*/id', 'type', 'string'), sum('/items/*/id', 'type', 'null')],
      [
        { target: `${id}['type']`, remove: true },
        { target: id, update: { type: ['integer', 'null', 'string'] } },
      ],
    ],
    [
      'removes the enum',
      [sum('/items/*/status', 'enum', 'string')],
      [{ target: `${THING}['properties']['status']['enum']`, remove: true }],
    ],
    [
      'does not require a missing member',
      [sum("/items/*/it's", 'required', 'absent')],
      [{ target: `${THING}['required'][?@ == 'it\\'s']`, remove: true }],
    ],
    [
      'changes the items of an array',
      [sum('/items/*/tags/*', 'type', 'null')],
      [
        { target: `${THING}['properties']['tags']['items']['type']`, remove: true },
        { target: `${THING}['properties']['tags']['items']`, update: { type: ['string', 'null'] } },
      ],
    ],
  ])('%s', (_, drifts, want) => {
    expect(actionsFor(drifts)).toEqual({ actions: want, left: [] });
  });

  test('uses the keywords of OpenAPI 3.0', () => {
    expect(actionsFor([sum('/items/*/id', 'type', 'null')], '3.0.3').actions).toEqual([
      { target: id, update: { nullable: true } },
    ]);
    expect(actionsFor([sum('/items/*/id', 'type', 'string')], '3.0.3').actions).toEqual([
      { target: `${id}['type']`, remove: true },
    ]);
  });

  test('is empty if the descriptor declares nothing', () => {
    const { actions, left } = actionsFor([
      sum('/items/*/nowhere', 'type', 'null'),
      sum('/items/*/id', 'format', 'integer'),
    ]);
    expect(actions).toEqual([]);
    expect(left).toHaveLength(2);
  });
});

describeStore('drift', (given) => {
  let root = '';
  beforeEach(async () => {
    vi.stubEnv('DATABASE_URL', given.url);
    vi.stubEnv('ENCRYPTION_KEYS', `test:${keyBytes(1).toString('base64')}`);
    root = await mkdtemp(path.join(tmpdir(), 'drift-'));
    await mkdir(path.join(root, 'specs/library'), { recursive: true });
    await writeFile(path.join(root, 'specs/library/openapi.json'), JSON.stringify(DESCRIPTOR));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(root, { recursive: true });
  });

  const overlay = () => path.join(root, 'specs/library/overlay.yaml');
  const run = (...args: string[]) =>
    runInProcess(
      (output) => createDriftCommand(output, { root, connectors: async () => [LIBRARY], now: () => NOW }),
      args,
    );
  const count = (parts: Partial<DriftSum>) => {
    const { lastDay: day, ...row } = { ...sum('/items/*/id', 'type', 'string'), ...parts };
    return addDrift(given.store.db, [{ ...row, day, key: JSON.stringify(parts) }]);
  };

  test('lists differences from current definitions, once there are enough answers', async () => {
    await count({});
    await count({ place: '/items/*/status', answers: 4 });
    await count({ place: '/items/*/tags', definition: 'older' });
    const { out } = await run('list');
    expect(out).toBe('library_list  /items/*/id  found string, refused by "type"  answers: 9\n');
    expect((await run('list', '--min', '4')).out).toContain('/items/*/status');
    expect((await run('list', '--min', '10')).out).toBe('Every answer matched its descriptor.\n');
  });

  test('proposes an overlay and its report once, and keeps existing actions', async () => {
    await count({});
    const first = await run('propose', 'library');
    expect([first.code, first.err]).toEqual([0, expect.not.stringContaining('Left')]);
    expect(first.out).toContain('specs/library/overlay.yaml: 2 actions added.');
    expect(first.out).toContain('Tool changes\n============');
    const written = parse(await readFile(overlay(), 'utf8'));
    expect(written).toMatchObject({ overlay: '1.0.0', info: { version: '1.0.0' } });
    expect(written.actions[0].description).toBe(
      '9 answers of library_list had string at /items/*/id, which "type" refuses.',
    );
    await writeFile(overlay(), `# Ours.\n${await readFile(overlay(), 'utf8')}`);
    await count({ found: 'null' });
    await run('propose', 'library');
    const text = await readFile(overlay(), 'utf8');
    expect(text.startsWith('# Ours.\n')).toBe(true);
    expect(parse(text).actions.at(-1).update).toEqual({ type: ['integer', 'string', 'null'] });
    expect(await readFile(path.join(root, 'generated/library/tools/library-list.ts'), 'utf8')).toContain(
      "type: ['integer', 'string', 'null']",
    );
    expect((await run('propose', 'library')).out).toContain('Nothing to propose');
    expect(await readFile(overlay(), 'utf8')).toBe(text);
  });

  test('writes nothing if nothing differs, and refuses an unknown service', async () => {
    expect((await run('propose', 'library')).out).toContain('Nothing to propose');
    expect(existsSync(overlay())).toBe(false);
    expect((await run('propose', 'nowhere')).code).toBe(2);
  });
});
