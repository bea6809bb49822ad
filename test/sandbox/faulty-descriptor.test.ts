import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function describe(document: unknown): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'faulty-'));
  folders.push(root);
  await mkdir(path.join(root, 'specs/notes'), { recursive: true });
  await writeFile(path.join(root, 'specs/notes/openapi.json'), JSON.stringify(document));
  return root;
}

const answer = {
  description: 'Notes.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } },
};
const NOTES = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1', summary: 'Not a member of 3.0.' },
  paths: {
    '/notes/{id}': {
      // The specification forbids a path parameter that is not required.
      get: { parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }], responses: { 200: answer } },
      // Its schema does not exist.
      put: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/None' } } } },
        responses: {},
      },
    },
  },
  components: { schemas: { Note: { type: 'object', properties: { id: { type: 'string' } } }, Unused: [] } },
};

test('serves the valid operations of a descriptor with faults', async () => {
  const sandbox = await openSandbox({ root: await describe(NOTES) });
  try {
    const response = await fetch(`${sandbox.origin}/notes/notes/7`);
    expect([response.status, await response.json()]).toEqual([200, { id: expect.any(String) }]);
  } finally {
    await sandbox.close();
  }
});

test('refuses a file without paths, and names it', async () => {
  const root = await describe({ openapi: '3.1.0' });
  await expect(openSandbox({ root })).rejects.toThrow(
    `${path.join(root, 'specs/notes/openapi.json')} is not a descriptor that the sandbox can serve: it has no paths.`,
  );
});
