import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DESCRIPTOR = 'specs/notes/openapi.yaml';
const parameter = (name: string) => `        - name: ${name}
          in: query
          description: The ${name} of the notes.
          schema: { type: string }
`;
const operation = (address: string, id: string) => `  ${address}:
    get:
      operationId: ${id}
      summary: Read ${address}
      parameters:
${parameter('state')}${parameter('folder')}${parameter('owner')}      responses:
        '200': { description: Notes., content: { application/json: { schema: { type: object } } } }
`;
const START = `openapi: 3.1.0
info: { title: Notes, version: '1' }
servers: [{ url: https://api.example.com }]
paths:
${operation('/notes', 'listNotes')}${operation('/notes/old', 'listOldNotes')}`;

const addAfter = (id: string, existing: string, added: string) => (text: string) => {
  const at = text.indexOf(parameter(existing), text.indexOf(`operationId: ${id}\n`)) + parameter(existing).length;
  return text.slice(0, at) + parameter(added) + text.slice(at);
};

test('branches that each add an optional parameter merge, and the generated files are up to date', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'merge-branches-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      stdio: 'pipe',
    });
  const codegen = (...args: string[]) =>
    execFileSync(process.execPath, [path.join(ROOT, 'codegen/main.ts'), '--root', root, ...args], { stdio: 'pipe' });
  const commit = async (change: (text: string) => string) => {
    const file = path.join(root, DESCRIPTOR);
    const text = await readFile(file, 'utf8');
    await writeFile(file, change(text));
    codegen();
    git('add', '-A');
    git('-c', 'commit.gpgsign=false', 'commit', '-qm', 'Change');
  };

  git('init', '-q', '-b', 'main');
  await mkdir(path.join(root, path.dirname(DESCRIPTOR)), { recursive: true });
  await writeFile(path.join(root, DESCRIPTOR), START);
  await commit((text) => text);
  git('checkout', '-q', '-b', 'one');
  await commit(addAfter('listNotes', 'owner', 'sort'));
  git('checkout', '-q', '-b', 'other', 'main');
  await commit(addAfter('listOldNotes', 'state', 'colour'));
  git('-c', 'commit.gpgsign=false', 'merge', '-q', '--no-edit', 'one');

  const readTool = (name: string) => readFile(path.join(root, 'generated/notes/tools', name), 'utf8');
  expect(await readTool('notes-list-notes.ts')).toContain('sort');
  expect(await readTool('notes-list-old-notes.ts')).toContain('colour');
  codegen('--check');
});
