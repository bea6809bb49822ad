import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createAddCommand, createUpdateCommand } from '../../scripts/connector/command.ts';
import { runInProcess } from '../support/run-command.ts';

const DESCRIPTOR = {
  openapi: '3.1.0',
  info: { title: 'Notes: yes', version: '1', description: 'Keeps notes.\nFor ever.' },
  servers: [{ url: 'https://notes.example.com' }],
  security: [{ apiKey: [] }],
  components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        summary: 'List notes',
        parameters: [
          { name: 'cursor', in: 'query', description: 'Where to go on.', schema: { type: 'string' } },
          { name: 'folder', in: 'query', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'Notes.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { paging: { type: 'object', properties: { next_cursor: { type: 'string' } } } },
                },
              },
            },
          },
        },
      },
      delete: { summary: 'Delete all notes', responses: { 204: { description: 'Gone.' } } },
    },
    '/me': { get: { operationId: 'whoAmI', summary: 'Who', responses: { 200: { description: 'Me.' } } } },
  },
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function workspace() {
  const root = await mkdtemp(path.join(tmpdir(), 'connector-'));
  cleanups.push(() => rm(root, { recursive: true, force: true }));
  const run = (command: 'add' | 'update', ...args: string[]) =>
    runInProcess(command === 'add' ? createAddCommand : createUpdateCommand, [...args, '--root', root]);
  const write = async (name: string, value: unknown) => {
    const file = path.join(root, name);
    await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
  const read = (file: string) => readFile(path.join(root, file), 'utf8');
  return { root, run, write, read };
}

async function serve(status: number, body: string, headers: Record<string, string> = {}) {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi`, requests: () => requests };
}

describe('utg add', () => {
  test('writes the unchanged descriptor, a first connector.yaml, and the tools', async () => {
    const { root, run, write, read } = await workspace();
    const text = `${JSON.stringify(DESCRIPTOR, null, 1)}\n\n`;
    const { code, out } = await run('add', await write('in.txt', text), '--name', 'notes');
    expect(code).toBe(0);
    expect(await read('specs/notes/openapi.json')).toBe(text);
    expect(
      await read('specs/notes/connector.yaml'),
    ).toBe(`# yaml-language-server: $schema=../../codegen/load/connector.schema.json
# Every key: docs/reference/connector-yaml.md of the gateway. "Seen" names the source of a proposal in the descriptor.
# To decide: is this what people call the service (the descriptor says "Notes: yes"), and what does it do for them in
# one sentence?
title: Notes
description: "Keeps notes."
# To decide: under which labels is it listed? For instance: categories: [Productivity]

# To decide: is this what users call the credential, where do they find it, and what is that page? The labels come
# from the title and the names in securitySchemes. (labels, help, url)
credential:
  labels:
    apiKey: Notes API key

# Seen: GET /me needs no argument, and by its path tells who calls.
verify:
  tool: notes_who_am_i

# To decide: where do error bodies keep the message? The descriptor does not show it. For instance: errors: { message:
# [/error/message] }

# Seen in the descriptor: how lists go on, 1 by cursor (cursor). TOOLS.md says it of each; nothing needs to be written
# for them.

# To decide: what do arguments of 1 tool mean that the descriptor does not describe, such as folder?
# defaults:
#   arguments:
#     folder: { description: ... } # 1 tool

# New operations become tools only when they are listed.
expose: listed

tools:
  # Reading: 2 tools.
  notes_list_notes: # not described: folder
    operation: listNotes
  notes_who_am_i:
    operation: whoAmI
  # Overwriting or deleting: 1 tool.
  # To decide: which of the tools that may overwrite or delete may agents have? Remove the others here, or name them
  # under notExposed with the reason.
  notes_delete_notes:
    operation: "DELETE /notes"
`);
    expect((await readdir(path.join(root, 'generated/notes/tools'))).sort()).toEqual([
      'notes-delete-notes.ts',
      'notes-list-notes.ts',
      'notes-who-am-i.ts',
    ]);
    expect(out).toContain('To decide, as comments in connector.yaml (6):');
    expect(out).not.toContain('Left out');
  });

  test('fetches a URL once', async () => {
    const { run, read } = await workspace();
    const yaml = `openapi: 3.0.3\ninfo: { title: T, version: '1' }\nservers: [{ url: https://t.example }]
paths: { /me: { get: { operationId: whoAmI, summary: Who, responses: { 200: { description: Me. } } } } }\n`;
    const host = await serve(200, yaml);
    const { code, out } = await run('add', host.url, '--name', 'notes', '--allow-private');
    expect([code, host.requests()]).toEqual([0, 1]);
    expect(await read('specs/notes/openapi.yaml')).toBe(yaml);
    expect(await read('specs/notes/connector.yaml')).toContain('notes_who_am_i');
    expect(out).toContain('credential: the descriptor names no credential');
  });

  const OAUTH = { type: 'oauth2', flows: {} };
  const HEADER = { type: 'apiKey', in: 'header', name: 'X-Key' };
  const BASIC = { type: 'http', scheme: 'basic' };
  const onMe = (security: object[]) => ({
    ...DESCRIPTOR.paths,
    '/me': { get: { ...DESCRIPTOR.paths['/me'].get, security } },
  });
  test.each([
    [
      'an access token for OAuth 2.0 only',
      { sign: OAUTH },
      [{ sign: [] }],
      DESCRIPTOR.paths,
      3,
      [{ id: 'token', type: 'bearer', label: 'Access token' }],
    ],
    [
      'a key next to the access token',
      { key: HEADER, token: OAUTH },
      [{ key: [] }],
      onMe([{ token: [] }]),
      3,
      [
        { id: 'key', type: 'header', label: 'API key', name: 'X-Key' },
        { id: 'token', type: 'bearer', label: 'Access token' },
      ],
    ],
    [
      'one token, whatever its name',
      { token: HEADER, sign: OAUTH },
      [{ token: [] }],
      onMe([{ sign: [] }]),
      3,
      [
        { id: 'token', type: 'header', label: 'Access token', name: 'X-Key' },
        { id: 'access_token', type: 'bearer', label: 'Access token' },
      ],
    ],
    [
      'nothing that would write the same header',
      { user: BASIC, sign: OAUTH },
      [{ user: [] }],
      onMe([{ sign: [] }]),
      2,
      null,
    ],
  ])('asks users for %s', async (_, securitySchemes, security, paths, tools, parts) => {
    const { root, run, write, read } = await workspace();
    const descriptor = { ...DESCRIPTOR, components: { securitySchemes }, security, paths };
    const { code, out } = await run('add', await write('in.json', descriptor), '--name', 'notes');
    expect(code).toBe(parts === null ? 3 : 0);
    const config = parse(await read('specs/notes/connector.yaml'));
    expect(config.credential.parts ?? null).toEqual(parts);
    expect(out.includes('credential: the descriptor asks for a sign-in that the gateway cannot run')).toBe(
      parts !== null,
    );
    expect(await readdir(path.join(root, 'generated/notes/tools'))).toHaveLength(tools);
  });

  test('takes the host of a relative server from the address of the descriptor', async () => {
    const { run, read } = await workspace();
    const host = await serve(200, JSON.stringify({ ...DESCRIPTOR, servers: [{ url: 'v3/' }] }));
    const { code, out } = await run('add', host.url, '--name', 'notes', '--allow-private');
    expect(code).toBe(0);
    const { serverVariables } = parse(await read('specs/notes/connector.yaml'));
    expect(serverVariables).toEqual({ base_url: { default: `${new URL(host.url).origin}/v3` } });
    expect(out).toContain('serverVariables: the descriptor gives no host. Is the service where the descriptor was?');
  });

  test('takes the host of an operation’s relative server from there as well', async () => {
    const { root, run, read } = await workspace();
    const files = {
      get: { operationId: 'listFiles', servers: [{ url: '/files' }], responses: { 204: { description: '' } } },
    };
    const paths = { ...DESCRIPTOR.paths, '/files': files };
    const host = await serve(200, JSON.stringify({ ...DESCRIPTOR, paths }));
    const { code } = await run('add', host.url, '--name', 'notes', '--allow-private');
    expect(code).toBe(0);
    const { serverVariables } = parse(await read('specs/notes/connector.yaml'));
    expect(serverVariables).toEqual({ files_base_url: { default: `${new URL(host.url).origin}/files` } });
    expect(await readdir(path.join(root, 'generated/notes/tools'))).toContain('notes-list-files.ts');
  });

  test('asks for the host of a relative server in a file', async () => {
    const { run, write, read } = await workspace();
    const file = await write('in.json', { ...DESCRIPTOR, servers: [{ url: '/v3' }] });
    const { code, out, err } = await run('add', file, '--name', 'notes');
    expect(code).toBe(1);
    expect(err).toContain('server-url-invalid');
    expect(out).toContain('serverVariables: the descriptor gives no host. Where is the service?');
    expect(await read('specs/notes/connector.yaml')).toContain(
      '# serverVariables: { base_url: { default: https://... } }',
    );
  });

  const SWAGGER = {
    swagger: '2.0',
    info: { title: 'Notes', version: '1' },
    host: 'notes.example.com',
    paths: { '/me': { get: { operationId: 'whoAmI', summary: 'Who', responses: { 200: { description: 'Me.' } } } } },
  };
  test('converts Swagger 2.0, keeps the original, and compares conversions later', async () => {
    const { root, run, write, read } = await workspace();
    const yaml = `# Notes\n${JSON.stringify(SWAGGER)}`;
    const { code, out } = await run('add', await write('in', yaml), '--name', 'notes');
    expect(code).toBe(0);
    expect(out).toContain('Wrote specs/notes/openapi.json, specs/notes/swagger.yaml and specs/notes/connector.yaml.');
    expect(await read('specs/notes/swagger.yaml')).toBe(yaml);
    expect(JSON.parse(await read('specs/notes/openapi.json'))).toMatchObject({
      openapi: '3.0.4',
      servers: [{ url: 'https://notes.example.com' }],
    });
    const newer = structuredClone(SWAGGER);
    newer.paths['/me'].get.summary = 'Who am I';
    expect((await run('update', 'notes', await write('newer.json', newer))).out).toContain(
      'Title changed: notes_who_am_i',
    );
    const files = ['connector.yaml', 'openapi.json', 'swagger.json'];
    expect(await readdir(path.join(root, 'specs/notes'))).toEqual(files);
    await run('update', 'notes', await write('three.json', DESCRIPTOR));
    expect(await readdir(path.join(root, 'specs/notes'))).toEqual(files.slice(0, 2));
  });

  test('leaves nothing behind when the descriptor has errors', async () => {
    const { root, run, write } = await workspace();
    const { code, err } = await run('add', await write('in.json', { openapi: '3.1.0' }), '--name', 'notes');
    expect(code).toBe(1);
    expect(err).toContain('descriptor-unusable');
    expect(err).toContain('Nothing was added');
    expect(await readdir(path.join(root, 'specs'))).toEqual([]);
  });

  const describing = (paths: object, more: object = {}) => ({
    ...DESCRIPTOR,
    components: {},
    security: [],
    paths,
    ...more,
  });
  const OTHERWISE_FAULTY = {
    get: { operationId: 'getNote', summary: 'Note', responses: { 200: { description: 'N' } } },
  };
  test.each<[string, object, string]>([
    ['no path', describing({}), 'the descriptor describes no operation'],
    ['a path without an operation', describing({ '/a': {} }), 'the descriptor describes no operation'],
    [
      'webhooks only',
      describing({}, { webhooks: { made: { post: { responses: { 200: { description: 'Ok' } } } } } }),
      'the descriptor describes no operation',
    ],
    [
      'no operation that can be called',
      describing({
        '/notes/{id': OTHERWISE_FAULTY,
        '/tags/{id': { get: { ...OTHERWISE_FAULTY.get, operationId: 'b' } },
      }),
      'none of 2 operations can become a tool',
    ],
  ])('adds nothing of a descriptor with %s, and says so last', async (_, descriptor, reason) => {
    const { root, run, write } = await workspace();
    const { code, err, out } = await run('add', await write('in.json', descriptor), '--name', 'notes');
    expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([1, `Nothing was added: ${reason}.`]);
    expect(out).not.toMatch(/Wrote|Then read/);
    expect([await readdir(path.join(root, 'specs')), await readdir(root)]).toEqual([[], ['in.json', 'specs']]);
  });

  test('counts equal reasons of refused operations once, in its last lines', async () => {
    const { run, write } = await workspace();
    const lost = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [
        `/${name}/{id`,
        { get: { operationId: name, summary: name, responses: { 200: { description: 'Ok' } } } },
      ]),
    );
    const { code, out } = await run(
      'add',
      await write('in.json', { ...DESCRIPTOR, paths: { ...DESCRIPTOR.paths, ...lost } }),
      '--name',
      'notes',
    );
    expect(code).toBe(3);
    const last = out.slice(out.indexOf('3 operations did not become tools'));
    expect(last.trimEnd().split('\n').slice(1)).toEqual([expect.stringMatching(/^ {2}3, such as: .*\/a\/\{id/)]);
  });

  test('repairs closed objects whose alternatives add members, and refuses what no value satisfies', async () => {
    const { run, write, read } = await workspace();
    const posting = (operationId: string, schema: object) => ({
      post: {
        operationId,
        summary: operationId,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { 204: { description: 'Done.' } },
      },
    });
    const adding = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });
    const closed = {
      type: 'object',
      properties: { kind: { type: 'string' } },
      required: ['kind'],
      additionalProperties: false,
      oneOf: [adding('email'), adding('phone')],
    };
    const wrong = {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 5, maximum: 3 } },
    };
    const paths = { '/people': posting('addPerson', closed), '/sizes': posting('addSize', wrong) };
    const file = await write('in.json', { ...DESCRIPTOR, paths });
    const { code, out } = await run('add', file, '--name', 'notes');
    expect([code, out]).toEqual([3, expect.stringContaining('minimum 5 and maximum 3 leave no whole number')]);
    const tool = await read('generated/notes/tools/notes-add-person.ts');
    expect(tool.match(/additionalProperties: false/g)).toHaveLength(3);
    expect(tool).toMatch(/kind:[\s\S]*email:[\s\S]*kind:[\s\S]*phone:/);
  });

  test('prints its errors last, and names no file that does not exist', async () => {
    const { run, write } = await workspace();
    const file = await write('in.json', { ...DESCRIPTOR, servers: [{ url: '/v3' }] });
    const { code, out, err } = await run('add', file, '--name', 'notes');
    expect(code).toBe(1);
    expect(out).not.toContain('TOOLS.md');
    const lines = err.trimEnd().split('\n');
    expect(lines.at(-1)).toContain('No tools were generated. specs/notes/ stays');
    expect(lines.findIndex((line) => line.includes(' error server-url-invalid '))).toBeGreaterThan(
      lines.findLastIndex((line) => line.includes('argument-undescribed')),
    );
  });

  test('is not failed by another service that has errors', async () => {
    const { root, run, write } = await workspace();
    await mkdir(path.join(root, 'specs/broken'), { recursive: true });
    await writeFile(path.join(root, 'specs/broken/openapi.json'), '{');
    const { code, err } = await run('add', await write('in.json', DESCRIPTOR), '--name', 'notes');
    expect([code, err]).toEqual([0, expect.not.stringContaining('specs/broken')]);
  });

  test.each([
    ['is a page', '<html><body>Sign in</body></html>', 'it has neither openapi nor swagger'],
    ['is neither YAML nor JSON', 'openapi: [3.0.3\npaths: {', 'is neither YAML nor JSON'],
    ['is compressed', Buffer.from([0x1f, 0x8b, 8, 0]).toString('latin1'), 'is not'],
    ['is empty', '', 'it has neither openapi nor swagger'],
  ])('refuses what %s', async (_, body, message) => {
    const { root, run } = await workspace();
    const host = await serve(200, body);
    const { code, err } = await run('add', host.url, '--name', 'notes', '--allow-private');
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(await readdir(root)).toEqual([]);
  });

  test.each([
    [['add', 'ftp://a.example/x', '--name', 'notes'], 'is not an http or https URL'],
    [['add', 'file:///etc/passwd', '--name', 'notes'], 'is not an http or https URL'],
    [['add', '/nowhere/x.yaml', '--name', 'notes'], 'There is no file /nowhere/x.yaml.'],
    [['add', 'x.yaml', '--name', '../x'], '"../x" cannot name a service'],
    [['add', 'x.yaml'], 'a descriptor needs --name <service>'],
    [['update', 'nobody'], 'There is no specs/nobody/.'],
    [['add', '--name', 'notes'], '--name needs a descriptor'],
    [['update', 'notes', 'x.yaml', 'y.yaml'], 'Too many arguments'],
    [['update', 'notes', '--name', 'notes'], "Unknown option '--name'"],
    [['update', '--wrong'], "Unknown option '--wrong'"],
  ] as const)('%j is refused with exit code 2', async ([command, ...args], message) => {
    const { run } = await workspace();
    const { code, err } = await run(command, ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('reports the answer of a host', async () => {
    const { run } = await workspace();
    const host = await serve(404, 'gone');
    expect((await run('add', host.url, '--name', 'notes', '--allow-private')).err).toContain(
      `${host.url} answers 404.`,
    );
  });
});

describe('utg update', () => {
  test('replaces the descriptor, keeps our texts, and prints how the tools changed', async () => {
    const { run, write, read, root } = await workspace();
    await run('add', await write('in.json', DESCRIPTOR), '--name', 'notes');
    const config = await read('specs/notes/connector.yaml');
    const newer = structuredClone(DESCRIPTOR) as { paths: Record<string, unknown> };
    newer.paths['/tags'] = {
      get: { operationId: 'listTags', summary: 'Tags', responses: { 200: { description: 'T' } } },
    };
    (newer.paths['/me'] as { get: { summary: string } }).get.summary = 'Who, see https://evil.example';
    const { code, out } = await run('update', 'notes', await write('newer.json', newer));
    expect(code).toBe(0);
    expect(out).toContain('Texts introduce a URL: title of notes_who_am_i: https://evil.example');
    expect(out).toContain('Operation appeared upstream that no tool offers');
    expect(await read('specs/notes/connector.yaml')).toBe(config);
    expect(await readdir(path.join(root, 'specs/notes'))).toEqual(['connector.yaml', 'openapi.json']);
  });

  test('replaces JSON by YAML', async () => {
    const { run, write, root } = await workspace();
    await run('add', await write('in.json', DESCRIPTOR), '--name', 'notes');
    const yaml = `# Notes\n${JSON.stringify(DESCRIPTOR)}`;
    expect((await run('update', 'notes', await write('newer', yaml))).out).toContain('No tool changed.');
    expect(await readdir(path.join(root, 'specs/notes'))).toEqual(['connector.yaml', 'openapi.yaml']);
  });

  test('leaves the tools unchanged when connector.yaml must change first', async () => {
    const { run, write, read } = await workspace();
    await run('add', await write('in.json', DESCRIPTOR), '--name', 'notes');
    const before = await read('generated/notes/TOOLS.md');
    const { paths, ...rest } = DESCRIPTOR;
    const { code, err } = await run(
      'update',
      'notes',
      await write('n.json', { ...rest, paths: { '/notes': paths['/notes'] } }),
    );
    expect(code).toBe(1);
    expect(err).toContain('config-operation-unknown');
    expect(await read('generated/notes/TOOLS.md')).toBe(before);
  });
});
