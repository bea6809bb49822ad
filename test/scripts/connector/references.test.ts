import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAddCommand, createUpdateCommand } from '../../../scripts/connector/command.ts';
import { readServiceFiles } from '../../../scripts/connector/service-files.ts';
import { startHost } from '../../server/call/upstream/support.ts';
import { runInProcess } from '../../support/run-command.ts';

let root = '';
let docs = '';
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'references-'));
  docs = path.join(root, 'docs');
  await mkdir(docs);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await rm(root, { recursive: true, force: true });
});

const toDescriptor = (schema: string) => `openapi: 3.0.3
info: { title: Notes, version: '1' }
servers: [{ url: https://notes.example.com }]
paths:
  /notes:
    post:
      operationId: addNote
      summary: Add a note
      requestBody: { required: true, content: { application/json: { schema: { $ref: '${schema}' } } } }
      responses: { 204: { description: Added. } }
  /me: { get: { operationId: whoAmI, summary: Who, responses: { 200: { description: Me. } } } }
`;
const NOTE = `type: object
required: [text]
properties:
  text: { type: string }
  author: { $ref: '../people/author.yaml#/Author' }
`;
const AUTHOR = `Author: { type: object, properties: { name: { type: string }, friends: { type: array, items: { $ref: '#/Author' } } } }\n`;

async function write(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(docs, name)), { recursive: true });
    await writeFile(path.join(docs, name), text);
  }
}
const run = (command: 'add' | 'update', ...args: string[]) =>
  runInProcess(command === 'add' ? createAddCommand : createUpdateCommand, [...args, '--root', root]);
const add = (source: string, ...flags: string[]) => run('add', source, '--name', 'notes', ...flags);
const read = (name: string) => readFile(path.join(root, 'specs/notes', name), 'utf8');
const tools = () => readdir(path.join(root, 'generated/notes/tools'));
async function serve(answer: () => Record<string, string>) {
  const host = await startHost((request, response) => {
    const text = answer()[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  cleanups.push(() => host.close());
  return host;
}

describe('files inside --root-folder', () => {
  const FILES = {
    'api/openapi.yaml': toDescriptor('./schemas/note.yaml'),
    'api/schemas/note.yaml': NOTE.replace('../people', '../../people'),
    'people/author.yaml': AUTHOR,
  };

  test('become one document, with names for shared parts', async () => {
    await write(FILES);
    const { code } = await add(path.join(docs, 'api/openapi.yaml'), '--root-folder', docs);
    expect(code).toBe(0);
    const { components } = JSON.parse(await read('openapi.json'));
    expect(components.schemas).toEqual({
      Author: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          friends: { type: 'array', items: { $ref: '#/components/schemas/Author' } },
        },
      },
      note: {
        type: 'object',
        required: ['text'],
        properties: { text: { type: 'string' }, author: { $ref: '#/components/schemas/Author' } },
      },
    });
    expect(await tools()).toEqual(['notes-add-note.ts', 'notes-who-am-i.ts']);
    expect(await readdir(path.join(root, 'specs/notes'))).toEqual(['connector.yaml', 'openapi.json']);
  });

  test('that a discriminator maps to become schemas of the document', async () => {
    const kind = (name: string) => `type: object\nproperties: { kind: { type: string }, ${name}: { type: string } }\n`;
    await write({
      'openapi.yaml': toDescriptor('./animals/pet.yaml'),
      'animals/pet.yaml': `oneOf: [{ $ref: cat.yaml }, { $ref: 'dogs.yaml#/Dog' }]
discriminator:
  propertyName: kind
  mapping: { c: cat.yaml, d: ./dogs.yaml#/Dog, w: '#/x-wolf', e: ../../../etc.yaml }
x-wolf: { type: object }
`,
      'animals/cat.yaml': kind('claws'),
      'animals/dogs.yaml': `Dog:\n  ${kind('bone').replace('\n', '\n  ')}`,
    });
    const { code, err } = await add(path.join(docs, 'openapi.yaml'), '--root-folder', docs);
    expect(err).toContain('$ref "../../../etc.yaml" is left as it is: it lies outside the root folder');
    expect(code).toBe(0);
    const text = await read('openapi.json');
    const { schemas } = JSON.parse(text).components;
    expect(schemas.pet.discriminator.mapping).toEqual({
      c: '#/components/schemas/cat',
      d: '#/components/schemas/Dog',
      w: '#/components/schemas/pet/x-wolf',
      e: '../../../etc.yaml',
    });
    expect([Object.keys(schemas.cat.properties), Object.keys(schemas.Dog.properties)]).toEqual([
      ['kind', 'claws'],
      ['kind', 'bone'],
    ]);
  });

  test('of Swagger 2.0 become one document and its conversion', async () => {
    await write({
      'swagger.yaml': `swagger: 2.0
info: { title: Notes, version: 1 }
host: notes.example.com
schemes: [https]
paths:
  /notes: { $ref: paths/notes.yaml }
definitions: { note: { type: string } }
parameters: { page: { $ref: 'shared/parameters.json#/page' } }
`,
      'paths/notes.yaml': `get:
  operationId: listNotes
  summary: List notes
  parameters: [{ $ref: '../shared/parameters.json#/page' }, { $ref: ../shared/size.yaml }]
  responses: { 200: { description: Notes., schema: { type: array, items: { $ref: ../models/note.yaml } } } }
post:
  operationId: addNote
  summary: Add a note
  parameters: [{ name: note, in: body, required: true, schema: { $ref: ../models/note.yaml } }]
  responses: { 204: { $ref: '../models/lost.yaml' } }
`,
      'shared/parameters.json': '{ "page": { "name": "page", "in": "query", "type": "integer" } }',
      'shared/size.yaml': 'name: size\nin: query\ntype: integer\n',
      'models/note.yaml':
        'type: object\nrequired: [text]\nproperties: { text: { type: string }, parent: { $ref: note.yaml } }\n',
    });
    const { code, err } = await add(path.join(docs, 'swagger.yaml'), '--root-folder', docs);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('$ref "../models/lost.yaml" is left as it is: there is no such file'),
    ]);
    const swagger = JSON.parse(await read('swagger.json'));
    expect([Object.keys(swagger.definitions), Object.keys(swagger.parameters)]).toEqual([
      ['note', 'note2'],
      ['page', 'size'],
    ]);
    expect(JSON.stringify(swagger)).not.toMatch(/yaml#|\.json/);
    const { openapi, paths, components } = JSON.parse(await read('openapi.json'));
    expect(openapi).toMatch(/^3\.0/);
    expect(components.schemas.note2.properties.parent).toEqual({ $ref: '#/components/schemas/note2' });
    expect(paths['/notes'].get.parameters).toEqual([
      { $ref: '#/components/parameters/page' },
      { $ref: '#/components/parameters/size' },
    ]);
    expect(await tools()).toEqual(['notes-add-note.ts', 'notes-list-notes.ts']);
    const again = await run('update', 'notes', path.join(docs, 'swagger.yaml'), '--root-folder', docs);
    expect(again.code).toBe(0);
    expect(await readdir(path.join(root, 'specs/notes'))).toEqual(['connector.yaml', 'openapi.json', 'swagger.json']);
  });

  test('are read without the option in the folder of the descriptor only', async () => {
    await write({
      ...FILES,
      'api/openapi.yaml': `${FILES['api/openapi.yaml']}  /tags: { $ref: 'paths/tags.json#/~1tags' }\n`,
    });
    await write({
      'api/paths/tags.json': JSON.stringify({
        '/tags': {
          get: {
            operationId: 'listTags',
            summary: 'List tags',
            parameters: [{ $ref: '../shared/my%20names.yaml#/page%20size' }],
            responses: { 200: { description: 'Tags.' } },
          },
        },
      }),
      'api/shared/my names.yaml':
        'page size: { name: size, in: query, schema: { $ref: "../schemas/../shared/size.json" } }\n',
      'api/shared/size.json': '{"type":"integer"}',
    });
    const { code, err } = await add(path.join(docs, 'api/openapi.yaml'));
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('$ref "../../people/author.yaml" is left as it is: it lies outside the root folder'),
    ]);
    expect(await tools()).toEqual(['notes-add-note.ts', 'notes-list-tags.ts', 'notes-who-am-i.ts']);
    const { components } = JSON.parse(await read('openapi.json'));
    expect(components.schemas.note.properties.author).toEqual({
      $ref: '../../people/author.yaml#/Author',
      'x-reason-not-followed': expect.stringContaining('--root-folder'),
    });
  });

  test('that links lead out of the folder are not read', async () => {
    await write({ 'api/openapi.yaml': toDescriptor('schemas/note.yaml'), 'outside.yaml': 'type: object\n' });
    await mkdir(path.join(docs, 'api/schemas'));
    await symlink(path.join(docs, 'outside.yaml'), path.join(docs, 'api/schemas/note.yaml'));
    const { code, err, out } = await add(path.join(docs, 'api/openapi.yaml'));
    expect(code).toBe(3);
    expect(err).toContain('$ref "schemas/note.yaml" is left as it is: it lies outside the root folder');
    expect(out).toContain('1 operation did not become tools');
    expect(await read('connector.yaml')).toMatch(/addNote|POST \/notes/);
    expect(await tools()).toEqual(['notes-who-am-i.ts']);
  });

  test('that hold a path item and do not exist cost the operations there, and the exit code says so', async () => {
    await write({ 'openapi.yaml': `${toDescriptor('#/x')}  /tags: { $ref: paths/tags.yaml }\nx: { type: object }\n` });
    const { code, out, err } = await add(path.join(docs, 'openapi.yaml'));
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('$ref "paths/tags.yaml" is left as it is: there is no such file'),
    ]);
    expect(out).toContain('1 path could not be read');
  });

  test('are the same file through any link', async () => {
    await write({ ...FILES, 'api/schemas/note.yaml': NOTE.replace('../people/author', './link') });
    await symlink('../../people/author.yaml', path.join(docs, 'api/schemas/link.yaml'));
    expect((await add(path.join(docs, 'api/openapi.yaml'), '--root-folder', docs)).code).toBe(0);
    expect(Object.keys(JSON.parse(await read('openapi.json')).components.schemas).sort()).toEqual(['Author', 'note']);
  });

  test('that are missing or have no such part are not replaced, and optional members that refer to them are open', async () => {
    await write({ ...FILES, 'people/author.yaml': 'Other: { $ref: "#/info" }\n' });
    const { code } = await add(path.join(docs, 'api/openapi.yaml'), '--root-folder', docs);
    expect(code).toBe(0);
    expect(JSON.parse(await read('openapi.json')).components.schemas.note.properties.author).toEqual({
      $ref: 'missing/people/author.yaml#/Author',
    });
    expect(await tools()).toEqual(['notes-add-note.ts', 'notes-who-am-i.ts']);
  });

  test('with an alias of YAML that contains itself are refused with its place', async () => {
    const alias = toDescriptor('').replace('/me: {', '/me: &me { x-self: *me,');
    await write({ 'openapi.yaml': alias });
    const { code, err } = await add(path.join(docs, 'openapi.yaml'));
    expect([code, err]).toEqual([1, expect.stringContaining('an alias contains itself')]);
  });

  test.each([
    [['--root-folder', '/nowhere'], 'There is no folder /nowhere.'],
    [['--root-folder', 'PEOPLE'], 'lies outside'],
  ])('%j is refused', async (flags, message) => {
    await write(FILES);
    const { code, err } = await add(
      path.join(docs, 'api/openapi.yaml'),
      ...flags.map((flag) => flag.replace('PEOPLE', path.join(docs, 'people'))),
    );
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('addresses', () => {
  test('are fetched once, recorded with their SHA-256, and compared at the next update', async () => {
    let author = AUTHOR;
    const host = await serve(() => ({
      '/v1/openapi.yaml': toDescriptor('schemas/note.yaml'),
      '/v1/schemas/note.yaml': NOTE,
      '/v1/people/author.yaml': author,
    }));
    const url = `${host.origin}/v1/openapi.yaml`;
    expect((await add(url, '--allow-private')).code).toBe(0);
    expect(host.hits()).toBe(3);
    const record = JSON.parse(await read('source.json'));
    expect(record.source).toBe(url);
    expect(Object.keys(record.references)).toEqual([
      `${host.origin}/v1/people/author.yaml`,
      `${host.origin}/v1/schemas/note.yaml`,
    ]);
    expect(await tools()).toHaveLength(2);

    author = AUTHOR.replace('name:', 'fullName:');
    const { code, out } = await run('update', 'notes', url, '--allow-private');
    expect(code).toBe(0);
    expect(out).toContain(`${host.origin}/v1/people/author.yaml is not what it was.`);
    expect(out).not.toContain(`${host.origin}/v1/schemas/note.yaml is not what it was.`);
    expect(JSON.parse(await read('source.json')).references).not.toEqual(record.references);
    expect(host.hits()).toBe(6);
  });

  const MANY = 30;
  const manyOperations = () => {
    const names = Array.from({ length: MANY }, (_, index) => `op${index}`);
    const operation = (name: string) => `operationId: ${name}\nresponses: { 200: { description: Ok. } }\n`;
    const paths = names.map((name) => `  /${name}: { get: { $ref: 'ops/${name}.yaml' } }\n`).join('');
    return {
      '/openapi.yaml': `${toDescriptor('#/components/schemas/Note')}${paths}components: { schemas: { Note: { type: object } } }\n`,
      ...Object.fromEntries(names.map((name) => [`/ops/${name}.yaml`, operation(name)])),
    };
  };

  test('are not read beyond the limit, which is named as the limit of the command in connector.yaml too', async () => {
    const host = await serve(manyOperations);
    const say = () => {};
    const url = `${host.origin}/openapi.yaml`;
    const { files, unfollowed } = await readServiceFiles(url, { allowPrivate: true, say, limits: { addresses: 20 } });
    const reason = 'it is over the limit of `utg add` for one descriptor: 20 addresses';
    expect(unfollowed.map((one) => one.reason)).toEqual(Array(10).fill(expect.stringContaining(reason)));
    expect(host.hits()).toBe(21);
    await write({ 'openapi.json': String(files.get('openapi.json')) });
    const { code, out } = await add(path.join(docs, 'openapi.json'));
    expect([code, (await tools()).length]).toEqual([3, 22]);
    expect(out).toMatch(
      /10 operations did not become tools.*\n {2}10, such as: Not supported: .*was not read.*over the limit/,
    );
    expect(await read('connector.yaml')).toMatch(/"?GET \/op29"?: "Not supported: .*over the limit of `utg add`/);
  });

  test('are read several at a time, and give the same document in whichever order they arrive', async () => {
    const host = await serve(manyOperations);
    let waiting = 0;
    let most = 0;
    let turn = 0;
    const slow = await startHost(async (request, response) => {
      waiting += 1;
      most = Math.max(most, waiting);
      await new Promise((resolve) => setTimeout(resolve, (turn++ % 3) * 15));
      waiting -= 1;
      response.end((manyOperations() as Record<string, string>)[request.url ?? '']);
    });
    cleanups.push(() => slow.close());
    const rules = { allowPrivate: true, say: () => {} };
    const documents = [];
    for (const { origin } of [host, slow]) {
      const { files } = await readServiceFiles(`${origin}/openapi.yaml`, rules);
      documents.push(String(files.get('openapi.json')));
    }
    expect(documents[0]).toBe(documents[1]);
    expect([most > 1, most <= 8]).toEqual([true, true]);
  });

  test('that never answer are given up when the time for everything is over', async () => {
    const host = await startHost((request, response) => {
      if (request.url === '/openapi.yaml') response.end(toDescriptor('never.yaml'));
    });
    cleanups.push(() => host.close());
    const rules = { allowPrivate: true, say: () => {}, limits: { milliseconds: 200 } };
    const { unfollowed } = await readServiceFiles(`${host.origin}/openapi.yaml`, rules);
    expect(unfollowed).toEqual([
      { location: 'never.yaml', isRefusal: true, reason: expect.stringContaining('over the limit of `utg add`') },
    ]);
  });

  test('that answer with an error are counted by reason, and the reason is recorded', async () => {
    const { '/openapi.yaml': descriptor } = manyOperations();
    const host = await serve(() => ({ '/openapi.yaml': descriptor }));
    const { code, err, out } = await add(`${host.origin}/openapi.yaml`, '--allow-private');
    expect(code).toBe(3);
    expect(err).toContain('$ref "ops/op0.yaml" and 29 others are left as they are: it answers 404.');
    expect(`${err}${out}`.split('\n').length).toBeLessThan(40);
  });

  test('of other private hosts are not fetched, though the host of the descriptor may be private', async () => {
    const other = await serve(() => ({ '/author.yaml': AUTHOR }));
    const host = await serve(() => ({ '/openapi.yaml': toDescriptor(`${other.origin}/author.yaml#/Author`) }));
    const { code, err } = await add(`${host.origin}/openapi.yaml`, '--allow-private');
    expect([code, other.hits()]).toEqual([3, 0]);
    expect(err).toContain('leads to an address that is not public');
    const moved = await startHost((_, response) => {
      response.writeHead(302, { location: `${other.origin}/author.yaml` }).end();
    });
    cleanups.push(() => moved.close());
    expect(await add(`${moved.origin}/openapi.yaml`, '--allow-private')).toMatchObject({ code: 2 });
    expect(other.hits()).toBe(0);
  });

  test('that a file names are fetched too', async () => {
    const host = await serve(() => ({ '/author.yaml': AUTHOR }));
    await write({ 'openapi.yaml': toDescriptor(`${host.origin}/author.yaml#/Author`) });
    expect((await add(path.join(docs, 'openapi.yaml'), '--allow-private')).code).toBe(0);
    expect(Object.keys(JSON.parse(await read('source.json')))).toEqual(['references']);
    expect(await tools()).toHaveLength(2);
  });
});
