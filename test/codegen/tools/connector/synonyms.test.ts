import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { generate } from '../../../../codegen/generate.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const DESCRIPTOR = `openapi: 3.1.0
info: { title: Notes, version: '1' }
servers: [{ url: https://notes.example.com }]
paths:
  /folders:
    get: { operationId: listFolders, summary: List folders, responses: { '200': { description: Folders. } } }
  /tools:
    get: { operationId: searchTools, summary: Search tools, responses: { '200': { description: Tools. } } }
`;

async function generateService(config: string, service = 'notes') {
  const root = await mkdtemp(path.join(tmpdir(), 'synonyms-'));
  folders.push(root);
  await mkdir(path.join(root, 'specs', service), { recursive: true });
  await writeFile(path.join(root, 'specs', service, 'openapi.yaml'), DESCRIPTOR);
  await writeFile(path.join(root, 'specs', service, 'connector.yaml'), config);
  const { files, diagnostics, services } = await generate({ root });
  const index = files.find((file) => file.path.endsWith('notes/index.ts'))?.text ?? '';
  const problems = diagnostics.filter(({ severity }) => severity === 'error');
  return { index, problems, tools: services[0]?.connector?.tools.map(({ name }) => name) };
}

test('synonyms of a word in a title are in the file of the service', async () => {
  const { index, problems } = await generateService('synonyms: { folder: [Directories, drawer] }');
  expect(problems).toEqual([]);
  expect(index).toContain("  synonyms: { folder: ['Directories', 'drawer'] },\n");
});

test('a word that is in no name and no title is rejected', async () => {
  const { problems } = await generateService('synonyms: { drawer: [folder] }');
  expect(problems).toMatchObject([{ code: 'config-unused', pointer: '/synonyms/drawer' }]);
});

test.each(['search_tools', 'describe_tools', 'call_reading_tool', 'call_writing_tool'])(
  'no tool may be named %s, which is a tool of the gateway',
  async (name) => {
    const { problems } = await generateService(`tools: { ${name}: { operation: listFolders } }`);
    expect(problems).toMatchObject([{ code: 'config-invalid' }]);
  },
);

test('a default name that equals one of them gets a digest', async () => {
  const { problems, tools } = await generateService('toolPrefix: search', 'notes');
  expect(problems).toEqual([]);
  expect(tools).toEqual(['search_list_folders', expect.stringMatching(/^search_search_tools|^search_tools_/)]);
});
