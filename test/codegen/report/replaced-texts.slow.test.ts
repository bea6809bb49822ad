import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import { compareServices } from '../../../codegen/report/compare.ts';
import { createSurfaceReader } from '../../../codegen/report/index.ts';
import { addDescriptorFacts } from '../../../scripts/tools-diff/descriptor-facts.ts';

type Files = Readonly<Record<string, object>>;

const descriptor = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1', description: 'Notes.' },
  servers: [{ url: 'https://{place}.example.com', variables: { place: { default: 'eu' } } }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key of the team.' } } },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        summary: 'List notes',
        description: 'Lists notes without their text.',
        parameters: [
          { name: 'limit', in: 'query', description: 'Notes per page.', schema: { type: 'integer', maximum: 100 } },
        ],
        responses: { '200': { description: 'Notes.' } },
      },
    },
  },
};

const changed = (from: string, to: string) => {
  const text = JSON.stringify(descriptor);
  expect(text).toContain(from);
  return JSON.parse(text.replace(from, to)) as object;
};
const tool = (decisions: object) => ({ tools: { notes_list: { operation: 'listNotes', ...decisions } } });
const limit = (decisions: object) => tool({ arguments: { limit: decisions } });
const overlay = (update: object) => ({
  overlay: '1.0.0',
  info: { title: 'Repairs', version: '1' },
  actions: [{ target: '$.paths["/notes"].get', update }],
});

async function rowsOf(before: Files, after: Files): Promise<string[]> {
  const root = await mkdtemp(path.join(tmpdir(), 'replaced-texts-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const read = async (side: string, files: Files) => {
    await mkdir(path.join(root, side, 'specs/notes'), { recursive: true });
    for (const [name, content] of Object.entries(files))
      await writeFile(path.join(root, side, 'specs/notes', name), JSON.stringify(content));
    const { files: generated, diagnostics } = await generate({ root: path.join(root, side) });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return createSurfaceReader().read(new Map(generated.map((file) => [file.path, file.text])));
  };
  const published = { before: await read('before', before), after: await read('after', after) };
  const sides = await addDescriptorFacts(published, { folder: path.join(root, 'before') }, path.join(root, 'after'));
  return compareServices(sides.before, sides.after, { today: '2026-12-01' })
    .filter(({ rule }) => rule === 'replaced-text-changed')
    .map(({ place, before: old, after: now, note }) => `${place}: ${old} -> ${now}, ${note}`);
}

const DESCRIPTION = 'Lists notes without their text.';
const MORE = 'Lists notes with their text.';

test.each([
  [
    'a description of a tool',
    tool({ description: 'Lists.' }),
    changed(DESCRIPTION, MORE),
    `description: ${DESCRIPTION} -> ${MORE}, ours: Lists.`,
  ],
  [
    'a title',
    tool({ title: 'All' }),
    changed('List notes', 'List my notes'),
    'title: List notes -> List my notes, ours: All',
  ],
  [
    'a description of an argument',
    limit({ description: 'How many.' }),
    changed('Notes per page.', 'Folders per page.'),
    'input.limit#description: Notes per page. -> Folders per page., ours: How many.',
  ],
  [
    'a description for many tools',
    { defaults: { arguments: { limit: { description: 'How many.' } } } },
    changed('Notes per page.', 'Folders per page.'),
    'input.limit#description: Notes per page. -> Folders per page., ours: How many.',
  ],
  ['a limit', limit({ maximum: 50 }), changed('100', '10'), 'input.limit#maximum: 100 -> 10, ours: 50'],
  [
    'a server variable',
    { serverVariables: { place: { default: 'us' } } },
    changed('"eu"', '"asia"'),
    'servers.place.default: eu -> asia, ours: us',
  ],
  [
    'a label of a credential',
    { credential: { labels: { key: 'Team key' } } },
    changed('A key of the team.', 'A key of one user.'),
    'credential.key: A key of the team. -> A key of one user., ours: Team key',
  ],
])('%s of ours shows what the upstream changed under it', async (_what, config, after, row) => {
  const ours = { 'connector.yaml': config };
  expect(await rowsOf({ 'openapi.json': descriptor, ...ours }, { 'openapi.json': after, ...ours })).toEqual([row]);
});

test('a text of the overlay shows what the upstream changed under it', async () => {
  const ours = { 'overlay.json': overlay({ description: 'Lists notes.' }) };
  const after = { 'openapi.json': changed(DESCRIPTION, MORE), ...ours };
  expect(await rowsOf({ 'openapi.json': descriptor, ...ours }, after)).toEqual([
    `description: ${DESCRIPTION} -> ${MORE}, ours: Lists notes.`,
  ]);
});

const ours = { 'connector.yaml': tool({ description: 'Lists.' }) };

test.each([
  ['nothing of ours replaces', {}, { 'openapi.json': changed(DESCRIPTION, MORE) }],
  [
    'we changed as well',
    ours,
    { 'openapi.json': changed(DESCRIPTION, MORE), 'connector.yaml': tool({ description: 'Lists all.' }) },
  ],
  ['says now what ours says', ours, { 'openapi.json': changed(DESCRIPTION, 'Lists.'), ...ours }],
  ['is only written on other lines', ours, { 'openapi.json': changed('notes without', 'notes\\nwithout'), ...ours }],
])('a text of the upstream that %s is no row', async (_what, decisions, after) => {
  expect(await rowsOf({ 'openapi.json': descriptor, ...decisions }, after)).toEqual([]);
});
