import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createConnectorCommand } from '../../scripts/connector/command.ts';
import { runInProcess } from '../support/run-command.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'connector-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function run(command: 'add' | 'update', descriptor: object) {
  const file = path.join(root, 'in.json');
  await writeFile(file, JSON.stringify(descriptor));
  const args = command === 'add' ? [file, '--name', 'notes'] : ['notes', file];
  return runInProcess(createConnectorCommand, [command, ...args, '--root', root]);
}

const CONFIG = 'specs/notes/connector.yaml';
const read = (name: string) => readFile(path.join(root, name), 'utf8');

function descriptorOf(member: string, securitySchemes = {}) {
  const text = { type: 'string' };
  const schema = { type: 'object', required: [member, 'title'], properties: { [member]: text, title: text } };
  const post = (operationId: string) => ({
    operationId,
    summary: 'Write',
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 204: { description: 'Done.' } },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: 'https://notes.example.com' }],
    security: Object.keys(securitySchemes).map((id) => ({ [id]: [] })),
    components: { securitySchemes },
    paths: { '/notes': { post: post('addNote') }, '/tags': { post: post('addTag') } },
  };
}

test('add writes the prefix of a key that the descriptor shows', async () => {
  const description = 'Send `Authorization: GenieKey <key>`.';
  const genie = { type: 'apiKey', in: 'header', name: 'Authorization', description };
  expect((await run('add', descriptorOf('text', { genie }))).code).toBe(0);
  expect(parse(await read(CONFIG)).credential.prefixes).toEqual({ genie: 'GenieKey ' });
  expect(await read('generated/notes/index.ts')).toContain("name: 'Authorization', prefix: 'GenieKey '");
});

test('add prints the lines for a key in bodies, and update reports a place that no longer exists', async () => {
  const { code, err, out } = await run('add', descriptorOf('api_key'));
  expect(code).toBe(0);
  const [, lines = ''] = /Write `(credential: [^`]*)` into connector\.yaml/.exec(err + out) ?? [];
  expect(lines).toBe('credential: { parts: [{ id: apiKey, type: body, label: API key, name: api_key }] }');
  await writeFile(path.join(root, CONFIG), lines);
  expect((await run('update', descriptorOf('api_key'))).code).toBe(0);
  const tools = await read('generated/notes/TOOLS.md');
  expect(tools).toContain('Sends the credential as `body.api_key`.');
  const moved = await run('update', descriptorOf('apiKey'));
  expect([moved.code, moved.err]).toEqual([1, expect.stringContaining('Did you mean apiKey?')]);
  expect(await read('generated/notes/TOOLS.md')).toBe(tools);
});

test('add says what codegen refuses, in its last lines, in connector.yaml and by its exit code', async () => {
  const descriptor = descriptorOf('text');
  const get = { summary: 'Get', parameters: [{ name: 'version', in: 'path', required: true, schema: {} }] };
  const paths = { ...descriptor.paths, '/old': { get: { ...get, responses: { 204: { description: 'Done.' } } } } };
  const { code, out } = await run('add', { ...descriptor, paths });
  expect(code).toBe(3);
  const { notExposed } = parse(await read(CONFIG));
  expect(notExposed).toEqual({ 'GET /old': expect.stringContaining('version') });
  const reason = notExposed['GET /old'];
  expect(out.endsWith(`with its reason:\n  1: ${reason}\n`)).toBe(true);
  const tools = await read('generated/notes/TOOLS.md');
  expect(tools).toContain(reason.slice(0, 30));
  expect(tools).not.toContain('exposes listed operations only');
});
