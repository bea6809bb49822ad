import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createAddCommand, createUpdateCommand } from '../../scripts/connector/command.ts';
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
  return runInProcess(command === 'add' ? createAddCommand : createUpdateCommand, [...args, '--root', root]);
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

test('add makes a key in bodies a credential, and update reports a place that no longer exists', async () => {
  const { code, out } = await run('add', descriptorOf('api_key'));
  expect(code).toBe(0);
  expect(out).toContain('credential.also: does each connection have one value of these?');
  const key = { id: 'apiKey', type: 'body', label: 'Notes API key', name: 'api_key' };
  expect(parse(await read(CONFIG)).credential).toEqual({ also: [key] });
  const tools = await read('generated/notes/TOOLS.md');
  expect(tools).toContain('Sends the credential as `body.api_key`.');
  expect(await read('generated/notes/tools/notes-add-note.ts')).toContain("api_key: { credential: 'apiKey' }");
  const moved = await run('update', descriptorOf('apiKey'));
  expect([moved.code, moved.err]).toEqual([1, expect.stringContaining('Did you mean apiKey?')]);
  expect(await read('generated/notes/TOOLS.md')).toBe(tools);
});

test('add keeps what few tools need in addition next to a token for a sign-in that it cannot run', async () => {
  const securitySchemes = {
    login: { type: 'openIdConnect', openIdConnectUrl: 'https://notes.example.com/.well-known/openid-configuration' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    adminKey: { type: 'apiKey', in: 'header', name: 'X-Admin-Key' },
  };
  const listOf = (...ids: string[]) => ({ ...listAt([]).get, security: ids.map((id) => ({ [id]: [] })) });
  const paths = {
    ...Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`/${name}`, { get: listOf('key') }])),
    '/login': { get: listOf('login') },
    '/all': { get: listOf('adminKey') },
  };
  const { code } = await run('add', { ...descriptorOf('text', securitySchemes), security: [], paths });
  expect(code).toBe(0);
  const { credential } = parse(await read(CONFIG));
  expect(credential.parts.map(({ id }: { id: string }) => id)).toEqual(['key', 'token']);
  expect(credential.extras).toMatchObject([{ schemes: ['adminKey'] }]);
  expect(await read('generated/notes/TOOLS.md')).toContain(
    'Needs in addition to the connection: Notes admin key (adminKey).',
  );
});

const text = { type: 'string' };
const listAt = (parameters: object[], more: object = {}) => ({
  get: { summary: 'List', parameters, responses: { 204: { description: 'Done.' } }, ...more },
});
const inHeader = (name: string, schema: object = text, required = true) => ({ in: 'header', name, schema, required });
const inPath = (name: string) => ({ in: 'path', name, schema: text, required: true });
const manyAt = (prefix: string, parameters: object[]) =>
  Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${prefix}/${name}`, listAt(parameters)]));
const flows = (url: string) => ({
  authorizationCode: { authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token`, scopes: { chat: 'Chat' } },
});
const LOGIN = { login: { type: 'oauth2', flows: flows('https://notes.example.com') } };

test.each([
  [
    'a token next to the sign-in that sends it',
    { securitySchemes: LOGIN, paths: manyAt('', [{ ...inHeader('token'), description: 'Authentication token.' }]) },
    { credential: { repeated: ['header.token'] } },
  ],
  [
    'a token that is a header of some operations and in the query of others',
    {
      securitySchemes: LOGIN,
      paths: {
        ...manyAt('/h', [{ ...inHeader('token'), description: 'Authentication token.' }]),
        '/q': listAt([{ ...inHeader('token'), in: 'query', description: 'Authentication token.' }]),
      },
    },
    { credential: { repeated: ['header.token', 'query.token'] } },
  ],
  [
    'headers of secrets that no scheme declares',
    { paths: manyAt('', [inHeader('X-Auth-Token'), inHeader('x-api-key')]) },
    {
      credential: {
        also: [
          { id: 'xAuthToken', type: 'header', label: 'Notes API key', name: 'X-Auth-Token' },
          { id: 'xApiKey', type: 'header', label: 'Notes API key', name: 'x-api-key' },
        ],
      },
    },
  ],
  [
    'a version header, at its newest value',
    { paths: manyAt('', [inHeader('Api-Version', { ...text, enum: ['2024-09-01', '2025-01-15', '2023-01-01'] })]) },
    { defaults: { fixed: { 'header.Api-Version': '2025-01-15' } } },
  ],
  [
    'the id of an account in every path',
    { paths: manyAt('/accounts/{account_id}', [inPath('account_id')]) },
    {
      credential: {
        also: [{ id: 'accountId', type: 'path', label: 'Account ID', name: 'account_id', secret: false }],
      },
    },
  ],
])('add takes %s out of the arguments, once for all tools', async (_, { paths, ...more }, want) => {
  const descriptor = { ...descriptorOf('text', 'securitySchemes' in more ? more.securitySchemes : {}), paths };
  const { code } = await run('add', descriptor);
  expect(code).toBe(0);
  expect(parse(await read(CONFIG))).toMatchObject(want);
  expect(await read('generated/notes/tools/notes-list-a.ts').catch(() => read('generated/notes/TOOLS.md'))).not.toMatch(
    /properties: \{\n\s+\w/,
  );
});

test('add leaves what a model has to choose, and a key that is data, as arguments', async () => {
  const paths = {
    ...manyAt('/projects/{id}', [
      inPath('id'),
      { in: 'query', name: 'key', schema: text, description: 'Of the sort.' },
    ]),
  };
  expect((await run('add', { ...descriptorOf('text'), paths })).code).toBe(0);
  expect(parse(await read(CONFIG))).not.toHaveProperty('credential');
  expect(parse(await read(CONFIG))).not.toHaveProperty('defaults');
});

test.each([
  ['https://{tenant}.notes.example/v1', 'your-tenant', { label: 'Tenant' }],
  [
    'https://{tenantDomain}/v1',
    '{TENANT}.notes.example',
    { label: 'Tenant domain', pattern: '[A-Za-z0-9-]+\\.notes\\.example' },
  ],
])('add asks each user for the variable of %s', async (url, value, ask) => {
  const name = /\{(\w+)\}/.exec(url)?.[1] ?? '';
  const servers = [{ url, variables: { [name]: { default: value } } }];
  expect((await run('add', { ...descriptorOf('text'), servers })).code).toBe(0);
  expect(parse(await read(CONFIG)).serverVariables).toEqual({ [name]: { ask } });
  expect(await read('generated/notes/index.ts')).toContain('asked: true');
});

const needing = (...ids: string[]) => ({ security: ids.map((id) => ({ [id]: [] })) });

test('add takes the credential that opens most operations, keeps another for the tools that need it, and verifies with the first', async () => {
  const schemes = { appOnly: { type: 'http', scheme: 'bearer' }, user: LOGIN.login };
  const paths = {
    '/me': listAt([], needing('appOnly')),
    '/user': listAt([], needing('user')),
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`/${name}`, listAt([], needing('user'))])),
    '/both': listAt([], needing('appOnly', 'user')),
  };
  const { code } = await run('add', { ...descriptorOf('text', schemes), paths });
  expect(code).toBe(0);
  const { credential, verify } = parse(await read(CONFIG));
  expect(credential.labels).toMatchObject({ user: 'Notes account' });
  expect(credential.extras).toEqual([
    {
      label: expect.stringContaining('appOnly'),
      schemes: ['appOnly'],
      verify: { tool: expect.stringContaining('me') },
    },
  ]);
  expect(verify).toEqual({ tool: expect.stringContaining('user') });
  const index = await read('generated/notes/index.ts');
  expect(index.indexOf("id: 'user'")).toBeLessThan(index.indexOf('extras: ['));
  const page = await read('generated/notes/TOOLS.md');
  expect(
    page
      .match(/^.*`GET \/\S+`\n|Needs in addition.*/gm)
      ?.join('')
      .split('Needs in addition'),
  ).toHaveLength(2);
});

test.each([
  ['an organisation', { pat: { type: 'apiKey', in: 'header', name: 'X-Token' }, org: LOGIN.login }],
  [
    'an administrator, in the place of the first',
    { pat: { type: 'http', scheme: 'bearer' }, org: { type: 'http', scheme: 'bearer' } },
  ],
])('one operation of %s does not make every user give both credentials', async (_, schemes) => {
  const paths = {
    '/a': listAt([], needing('pat')),
    '/me': listAt([], needing('pat')),
    '/log': listAt([], needing('org')),
  };
  expect((await run('add', { ...descriptorOf('text', schemes), paths })).code).toBe(0);
  const { credential } = parse(await read(CONFIG));
  const verify = { tool: expect.stringContaining('log') };
  expect(credential.extras).toEqual([{ label: expect.any(String), schemes: ['org'], verify }]);
  const index = await read('generated/notes/index.ts');
  expect(index.slice(0, index.indexOf('extras: [')).match(/id: '\w+'/g)).toEqual(["id: 'pat'"]);
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
