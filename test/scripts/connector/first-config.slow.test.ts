import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createAddCommand, createUpdateCommand } from '../../../scripts/connector/command.ts';
import { runInProcess } from '../../support/run-command.ts';

type Operations = Readonly<Record<string, object>>;
const OK = { 200: { description: 'Done.' } };
const json = (properties: object) => ({
  description: 'It.',
  content: { 'application/json': { schema: { type: 'object', properties } } },
});
const text = { type: 'string' };

/** A descriptor of operations by method and path. */
function describing(operations: Operations, more: object = {}) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [key, operation] of Object.entries(operations)) {
    const [method = '', at = ''] = key.split(' ');
    paths[at] = { ...paths[at], [method.toLowerCase()]: { responses: OK, summary: key, ...operation } };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Notes API', version: '1' },
    servers: [{ url: 'https://notes.example.com' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths,
    ...more,
  };
}

async function workspace() {
  const root = await mkdtemp(path.join(tmpdir(), 'first-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const run = async (descriptor: object, ...args: string[]) => {
    const file = path.join(root, 'in.json');
    await writeFile(file, JSON.stringify(descriptor));
    const [command = 'add', ...rest] = args;
    return command === 'update'
      ? runInProcess(createUpdateCommand, [...rest, 'notes', file, '--root', root])
      : runInProcess(createAddCommand, [...rest, file, '--name', 'notes', '--root', root]);
  };
  const config = () => readFile(path.join(root, 'specs/notes/connector.yaml'), 'utf8');
  const tools = async () =>
    (await readdir(path.join(root, 'generated/notes/tools'))).map((name) => name.slice(0, -3)).sort();
  return { root, run, config, tools };
}

async function firstConfig(operations: Operations, more?: object) {
  const { run, config } = await workspace();
  const { code, err } = await run(describing(operations, more), 'add');
  expect(code, err).toBe(0);
  return config();
}

const NOTES: Operations = {
  'GET /notes': { operationId: 'listNotes', tags: ['notes'] },
  'POST /notes': { operationId: 'addNote', tags: ['notes'] },
  'GET /notes/all/tags': { operationId: 'listAllTags', tags: ['notes', 'tags'] },
  'GET /tags': { operationId: 'listTags', tags: ['tags'] },
};

describe('the choice of tools', () => {
  test.each<[args: string[], tools: string[], selection: object | undefined, leftOut: string]>([
    [
      ['--tag', 'tags'],
      ['notes-list-all-tags', 'notes-list-tags'],
      { tags: ['tags'] },
      '2 tools. Left out: 2 operations that do not match.',
    ],
    [
      ['--only', '/notes/**', '--only', 'listTags', '--read-only'],
      ['notes-list-all-tags', 'notes-list-notes', 'notes-list-tags'],
      { operations: ['/notes/**', 'listTags'], readOnly: true },
      '3 tools. Left out: 1 operation that does not match.',
    ],
    [
      ['--max-tools', '2'],
      ['notes-list-notes', 'notes-list-tags'],
      undefined,
      '2 tools. Left out: 2 operations over --max-tools.',
    ],
    [
      ['--tag', 'notes', '--max-tools', '2'],
      ['notes-add-note', 'notes-list-notes'],
      { tags: ['notes'] },
      '2 tools. Left out: 1 operation that does not match, 1 operation over --max-tools.',
    ],
  ])('follows %j', async (args, names, selection, leftOut) => {
    const { run, config, tools } = await workspace();
    const { code, out } = await run(describing(NOTES), 'add', ...args);
    expect(code).toBe(0);
    expect(await tools()).toEqual(names);
    expect(parse(await config()).expose).toEqual(selection === undefined ? 'listed' : { listed: true, ...selection });
    expect(out.split('\n').filter((line) => line.includes(' Left out: '))).toEqual([leftOut]);
  });

  test('asks about matching operations that the upstream adds, and ignores others', async () => {
    const { run, tools } = await workspace();
    await run(describing(NOTES), 'add', '--tag', 'tags');
    const newer = { 'GET /tags/new': { operationId: 'newTag', tags: ['tags'] }, 'GET /b': { operationId: 'boards' } };
    const { code, out, err } = await run(describing({ ...NOTES, ...newer }), 'update');
    expect(code).toBe(0);
    expect(await tools()).toEqual(['notes-list-all-tags', 'notes-list-tags']);
    expect(err).toContain('Neither tools nor notExposed name 1 operations: newTag.');
    expect(out).toContain('GET /tags/new');
    expect(out).not.toContain('GET /b');
  });

  test.each([
    [['--tag', 'note'], 'No operation has the tag note. Did you mean notes?'],
    [['--only', '/note/**'], 'No operation matches /note/**. Did you mean /notes/**?'],
    [
      ['--only', 'listNote', '--tag', 'x'],
      'No operation matches listNote. Did you mean listNotes?\nNo operation has the tag x.',
    ],
    [['--only', 'addNote', '--read-only'], 'No operation matches all of it: 1 match operations, 3 read.'],
    [['--max-tools', '0'], 'Use a whole number from 1 on.'],
  ])('is refused with %j and leaves nothing behind', async (args, message) => {
    const { root, run } = await workspace();
    const { code, err } = await run(describing(NOTES), 'add', ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await readdir(path.join(root, 'specs')).catch(() => [])).toEqual([]);
  });

  test('comes with advice if there are more tools than most clients accept', async () => {
    const { run } = await workspace();
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, index) => [
        `GET /a${index}`,
        { operationId: `get${index}`, tags: [`t${index % 2}`] },
      ]),
    );
    const { out } = await run(describing(many), 'add');
    expect(out).toContain('130 tools are more than most clients take.');
    expect(out).toContain('Its largest tags: t0 (65), t1 (65).');
  });
});

describe('a finding in the descriptor', () => {
  const failing = (properties: object, status = '404') => ({ responses: { ...OK, [status]: json(properties) } });

  test.each<[title: string, operations: Operations, want: object | undefined]>([
    ['a message', { 'GET /a': failing({ message: text }) }, { message: ['/message'] }],
    [
      'an envelope with code and details',
      {
        'GET /a': failing({
          error: { type: 'object', properties: { code: text, message: text, details: { type: 'array' } } },
        }),
      },
      { message: ['/error/message'], code: ['/error/code'], details: ['/error/details'] },
    ],
    [
      'a list of errors',
      {
        'GET /a': failing({
          errors: { type: 'array', items: { type: 'object', properties: { detail: text, code: { type: 'integer' } } } },
        }),
      },
      { message: ['/errors/0/detail'], code: ['/errors/0/code'] },
    ],
    ['a string that is the whole error', { 'GET /a': failing({ error: text }, 'default') }, { message: ['/error'] }],
    ['nothing if only success is described', { 'GET /a': { responses: { 200: json({ message: text }) } } }, undefined],
    [
      'several places, each in less than half of the answers, as a question',
      {
        'GET /a': failing({ message: text }),
        'GET /b': failing({ detail: text }),
        'GET /c': failing({ msg: text }),
      },
      undefined,
    ],
  ])('about errors: %s', async (_title, operations, want) => {
    const config = await firstConfig(operations);
    expect(parse(config).errors).toEqual(want);
    expect(config.includes('# To decide: ')).toBe(true);
    expect(/# To decide: (where do error bodies|is this where error bodies)/.test(config)).toBe(want === undefined);
    if (want !== undefined)
      expect(config).toMatch(/# Seen in the error answers of 1 operation: \/\S+ in 1 \(GET \/a (404|default)\)/);
  });

  test.each<[title: string, operations: Operations, tool: string | undefined]>([
    ['the caller', { 'GET /v1/users/me': {}, 'GET /a': {} }, 'notes_get_users_me'],
    ['the account', { 'GET /a': {}, 'GET /account': {} }, 'notes_get_account'],
    ['an RPC that returns the caller', { 'GET /auth.test': { operationId: 'authTest' } }, 'notes_auth_test'],
    ['no call without a credential', { 'GET /me': { security: [] }, 'GET /a': {} }, undefined],
    [
      'no call with a required argument',
      { 'GET /me': { parameters: [{ name: 'q', in: 'query', required: true, schema: text }] } },
      undefined,
    ],
    ['no call that writes', { 'POST /me': {} }, undefined],
  ])('about the call that proves a credential: %s', async (_title, operations, tool) => {
    const config = await firstConfig(operations);
    expect(parse(config).verify?.tool).toBe(tool);
    expect(config.includes('by its path tells who calls')).toBe(tool !== undefined);
  });

  test('about the call that proves a credential, if the selection omits it', async () => {
    const { run, config } = await workspace();
    await run(describing({ 'GET /me': {}, 'GET /a': { operationId: 'a' } }), 'add', '--only', 'a');
    expect(await config()).toContain('# GET /me would tell who is connected, and is none of the tools.');
    expect(await config()).toContain('# verify:\n#   tool: notes_a\n');
  });

  test('about work that a call only begins', async () => {
    const job = json({ id: text, status: { type: 'string', enum: ['new', 'done', 'failed'] } });
    const key = { name: 'job_id', in: 'path', required: true, schema: text };
    const reading = { operationId: 'getJob', parameters: [key], responses: { 200: job } };
    const config = await firstConfig({
      'POST /jobs': { operationId: 'begin', responses: { 202: job } },
      'GET /jobs/{job_id}': reading,
      'POST /scans': {
        operationId: 'scan',
        responses: { 202: { description: 'Begun.', headers: { Location: { schema: text } } } },
      },
      'GET /scans/{job_id}': { ...reading, operationId: 'getScan' },
      'POST /mails': { operationId: 'mail', responses: { 202: { description: 'Accepted.' } } },
    });
    expect(config.match(/^# +wait: .*$/gm)).toEqual([
      '#     wait: { tool: notes_get_job, arguments: { jobId: /id }, state: /status, until: ["done"], failed: ["failed"] }',
      '#     wait: { tool: notes_get_scan, state: /status, until: ["done"], failed: ["failed"] }',
    ]);
  });

  test('about the call that proves a credential: no sign of life', async () => {
    const operations = { 'HEAD /_ping': {}, 'GET /_ping': {}, 'GET /containers/list': { operationId: 'list' } };
    expect(await firstConfig(operations)).toContain('# verify:\n#   tool: notes_list\n');
  });

  test('that is uncertain is a comment, and valid once uncommented', async () => {
    const { root, run, config } = await workspace();
    const page = { parameters: [{ name: 'page', in: 'query', description: 'Page.', schema: { type: 'integer' } }] };
    const operations = {
      'GET /a': { ...page, ...failing({ message: text }), operationId: 'listA' },
      'GET /b': failing({ detail: text }),
      'GET /c': failing({ msg: text }),
    };
    await run(describing(operations), 'add');
    const uncommented = (await config())
      .replaceAll(/^# (?=(verify|errors|pagination):| {2})/gm, '')
      .replace('items: /...', 'items: /items, size: page');
    expect(parse(uncommented)).toMatchObject({
      verify: { tool: 'notes_get_b' },
      errors: { message: ['/detail', '/message', '/msg'] },
      pagination: { kind: 'page', argument: 'page' },
    });
    await writeFile(path.join(root, 'specs/notes/connector.yaml'), uncommented);
    const { err } = await run(describing(operations), 'update');
    expect(err).not.toContain('error');
  });

  test('is asked about once, for any number of tools', async () => {
    const writing = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`POST /a${index}`, { operationId: `add${index}` }]),
    );
    const config = await firstConfig({ ...writing, 'DELETE /a': {}, 'DELETE /b': {} });
    expect(config.match(/# To decide: which of the tools/g)).toHaveLength(2);
    expect(config).toContain('  # Writing: 30 tools.\n');
    expect(config).toContain('  # Overwriting or deleting: 2 tools.\n');
  });

  test('about the page where users create the credential is a comment', async () => {
    const description = 'Make one at [Settings](https://notes.example.com/settings). Keep it.';
    const config = await firstConfig(NOTES, {
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description } } },
    });
    expect(config).toContain('  # url: "https://notes.example.com/settings" # seen in securitySchemes\n');
    expect(parse(config).credential).toEqual({ labels: { key: 'Notes access token' } });
  });
});

test('lists get proposals that cost or assume nothing before a person has decided', async () => {
  const schema = {
    type: 'array',
    items: { type: 'object', properties: { id: text, state: text, created_at: text, title: text } },
  };
  const parameters = ['state', 'createdAt', 'limit'].map((name) => ({
    in: 'query',
    name,
    schema: text,
    description: name,
  }));
  const config = await firstConfig({
    'GET /notes': {
      operationId: 'listNotes',
      parameters,
      responses: { 200: { description: 'Notes.', content: { 'application/json': { schema } } } },
    },
    'GET /notes/latest': { operationId: 'getLatest' },
  });
  expect(config).toContain('# defaults:\n#   gatewayArguments: [list]\n');
  expect(config).toMatch(/1 tool can, for about 120 tokens each:\n# notes_list_notes\.\n/);
  const question = '    # To decide: does the service return every item with that value?\n';
  expect(config).toContain(`${question}#     filters: { state: state, created_at: createdAt }\n`);
  expect(config).toContain('#     find: { tool: notes_find_notes, by: [title] }\n');
  expect(parse(config).tools.notes_list_notes).toEqual({ operation: 'listNotes' });
  const accepted = config.replaceAll(/^# (?=defaults:| {2}gatewayArguments| {4}(?:filters|find))/gm, '');
  expect(parse(accepted)).toMatchObject({
    defaults: { gatewayArguments: ['list'] },
    tools: { notes_list_notes: { filters: { state: 'state', created_at: 'createdAt' } } },
  });
});

describe('the credential of least privilege', () => {
  const inHeader = (name: string) => ({ type: 'apiKey', in: 'header', name });
  const getting = (paths: readonly string[], more: object = {}) =>
    Object.fromEntries(paths.map((name) => [`GET /${name}`, { operationId: `get_${name}`, ...more }]));

  test('is asked for, and the question names what else the operations accept', async () => {
    const { run, config } = await workspace();
    const operations = {
      ...getting(['a', 'b', 'c', 'd', 'e', 'f']),
      ...getting(['all'], { security: [{ adminKey: [] }] }),
    };
    const securitySchemes = { adminKey: inHeader('X-Admin'), userKey: inHeader('X-User') };
    const security = [{ adminKey: [] }, { userKey: [] }];
    const { code, out } = await run(describing(operations, { security, components: { securitySchemes } }), 'add');
    expect(code).toBe(0);
    expect(out).toContain('accept adminKey, or userKey, and are sent userKey');
    const { credential } = parse(await config());
    expect(Object.keys(credential.labels)).toEqual(['userKey', 'adminKey']);
    expect(credential.extras).toMatchObject([{ schemes: ['adminKey'], verify: { tool: 'notes_get_all' } }]);
  });

  test('is written once where two extras share a scheme', async () => {
    const operations = {
      ...getting(['a', 'b', 'c', 'd', 'e', 'f']),
      ...getting(['me'], { security: [{ person: [] }] }),
      ...getting(['team'], { security: [{ person: [], team: [] }] }),
    };
    const securitySchemes = {
      key: inHeader('X-Key'),
      person: { type: 'http', scheme: 'bearer' },
      team: inHeader('X-Team'),
    };
    const { credential } = parse(await firstConfig(operations, { components: { securitySchemes } }));
    expect(Object.keys(credential.labels)).toEqual(['key', 'person', 'team']);
    expect(credential.extras).toMatchObject([{ schemes: ['person'] }, { schemes: ['person', 'team'] }]);
  });

  test('names another host that gets it', async () => {
    const { run } = await workspace();
    const operations = {
      ...getting(['a', 'b']),
      ...getting(['up'], { servers: [{ url: 'https://uploads.example.net' }] }),
    };
    const { out } = await run(describing(operations), 'add');
    expect(out).toContain('uploads.example.net gets the credential too, with notes_get_up.');
  });
});

test('characters that no one sees are written as escapes, so that who reviews the file sees them', async () => {
  const hidden = 'list\u202e\u200b\u{e0041}\u009bNotes';
  const written = await firstConfig({ ...NOTES, 'GET /hidden': { operationId: hidden } });
  expect(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/u.exec(written)).toBeNull();
  const { tools } = parse(written) as { tools: Record<string, { operation: string }> };
  expect(Object.values(tools).map(({ operation }) => operation)).toContain(hidden);
});
