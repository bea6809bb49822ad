import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAddCommand, createUpdateCommand } from '../../scripts/connector/command.ts';
import { startHost } from '../server/call/upstream/support.ts';
import { runInProcess } from '../support/run-command.ts';

const SECRET = 'correct-horse-battery-staple';
let root = '';
let docs = '';
let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'references-'));
  docs = path.join(root, 'docs');
  await mkdir(docs);
  await writeFile(path.join(root, 'secret.yaml'), `description: ${SECRET}\n`);
  await symlink(path.join(root, 'secret.yaml'), path.join(docs, 'link.yaml'));
  await symlink(root, path.join(docs, 'up'));
  host = await startHost((_, response) => response.end(`description: ${SECRET}\n`));
});
afterEach(async () => {
  await host.close();
  await rm(root, { recursive: true, force: true });
});

const toDescriptor = (ref: string) => ({
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  servers: [{ url: 'https://notes.example.com' }],
  paths: {
    '/notes': {
      post: {
        operationId: 'addNote',
        requestBody: { content: { 'application/json': { schema: { $ref: ref } } } },
        responses: { 204: { description: 'Added.' } },
      },
    },
    '/me': { get: { operationId: 'whoAmI', responses: { 200: { description: 'Me.' } } } },
  },
});
const run = (command: 'add' | 'update', ...args: string[]) =>
  runInProcess(command === 'add' ? createAddCommand : createUpdateCommand, [...args, '--root', root]);

async function everythingWritten(): Promise<string> {
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && /(specs|generated)/.test(entry.parentPath));
  return (await Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')))).join('\n');
}

describe('a reference in a descriptor from a folder', () => {
  test.each([
    'file:///etc/passwd',
    'FILE:SECRET',
    '/etc/passwd',
    '../secret.yaml',
    '..%2fsecret.yaml',
    '%2e%2e/secret.yaml',
    '..\\secret.yaml',
    './a/../../secret.yaml',
    'link.yaml',
    'up/secret.yaml',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/latest/meta-data/',
    '//169.254.169.254/latest',
    'HOST/secret.yaml',
  ])('reads nothing outside the folder: %s', async (given) => {
    const ref = given.replace('SECRET', path.join(root, 'secret.yaml')).replace('HOST', host.origin);
    const file = path.join(docs, 'openapi.json');
    await writeFile(file, JSON.stringify(toDescriptor(ref)));
    const { code, out, err } = await run('add', file, '--name', 'notes', '--root-folder', docs);
    // The operation with the reference is refused, and said to be.
    expect(code).toBe(3);
    expect(err).toContain(`$ref ${JSON.stringify(ref)} is left as it is`);
    const written = await everythingWritten();
    for (const text of [written, out, err]) expect(text).not.toMatch(new RegExp(`${SECRET}|root:x?:0`));
    expect(await readdir(path.join(root, 'generated/notes/tools'))).toEqual(['notes-who-am-i.ts']);
    expect(host.hits()).toBe(0);
  });
});

describe('a reference in a fetched descriptor', () => {
  test.each(['file:///etc/passwd', 'SECRET', '../../../secret.yaml', 'link.yaml'])(
    'reads no file: %s',
    async (given) => {
      const ref = given.replace('SECRET', path.join(root, 'secret.yaml'));
      const origin = await startHost((request, response) => {
        if (request.url === '/openapi.json') response.end(JSON.stringify(toDescriptor(ref)));
        else response.writeHead(404).end();
      });
      const { err } = await run(
        'add',
        `${origin.origin}/openapi.json`,
        '--name',
        'notes',
        '--root-folder',
        docs,
        '--allow-private',
      );
      await origin.close();
      expect(err).toContain(`$ref ${JSON.stringify(ref)} is left as it is`);
      expect(await everythingWritten()).not.toMatch(new RegExp(`${SECRET}|root:x?:0`));
    },
  );
});
