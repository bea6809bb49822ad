import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createAddCommand } from '../../../scripts/connector/command.ts';
import { pngOf } from '../../support/images.ts';
import { runInProcess } from '../../support/run-command.ts';

const query = (name: string, required = false) => ({ name, in: 'query', required, schema: { type: 'string' } });
const answers = { 200: { description: 'Here.', content: { 'application/json': { schema: { type: 'object' } } } } };
const DESCRIPTOR = {
  openapi: '3.1.0',
  info: { title: 'The text of the vendor', version: '3' },
  servers: [{ url: 'https://notes.example.com' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/me': { get: { operationId: 'whoAmI', responses: answers } },
    '/notes': { get: { operationId: 'listNotes', parameters: [query('folder'), query('tag')], responses: answers } },
    '/notes/{id}/': { get: { operationId: 'odd', parameters: [], responses: answers } },
  },
};
const CONFIG = `# Our decisions.
title: Notes
expose: selection
credential: { schemes: [key], labels: { key: Notes API key } }
verify: { tool: notes_get_me }
defaults:
  arguments: { tag: { description: A tag. } }
tools:
  notes_get_me: { operation: whoAmI, title: Get me, description: Who is connected. }
  notes_list: # with its reason
    operation: listNotes
    title: List notes
    description: Lists notes.
    arguments: { folder: { description: The folder. } }
`;
const text = (descriptor: object) => JSON.stringify(descriptor);
const head = (more: object = {}) =>
  JSON.stringify({
    published: 'https://vendor.invalid/openapi.json',
    licence: 'MIT',
    signIn: 'an API key',
    checked: [{ version: '3', sha256: hash('sha256', text(DESCRIPTOR)), package: 'notes@1.0.0', file: 'openapi.json' }],
    read: { 'https://docs.example.com/keys': 'where keys are made' },
    ...more,
  });

type Paths = Record<string, { get: { operationId: string; parameters: object[] } }>;
const changed = (change: (paths: Paths) => void) => {
  const copy = structuredClone(DESCRIPTOR);
  copy.info.version = '4';
  change(copy.paths as unknown as Paths);
  return copy;
};

async function workspace(recipe = `${head()}\n---\n${CONFIG}`) {
  const root = await mkdtemp(path.join(tmpdir(), 'recipes-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const recipes = path.join(root, 'recipes');
  await mkdir(recipes);
  await writeFile(path.join(recipes, 'notes.yaml'), recipe);
  const run = (...args: string[]) =>
    runInProcess((output) => createAddCommand(output, recipes), [...args, '--root', root]);
  const from = async (descriptor: object | string) => {
    const file = path.join(root, 'in.json');
    await writeFile(file, typeof descriptor === 'string' ? descriptor : text(descriptor));
    return file;
  };
  return { root, run, from, read: (file: string) => readFile(path.join(root, file), 'utf8') };
}

test('a recipe brings the logo that its connector.yaml names', async () => {
  const { run, from, root } = await workspace(`${head()}\n---\nlogo: notes.png\n${CONFIG}`);
  const logo = pngOf(40, 40);
  await writeFile(path.join(root, 'recipes/notes.png'), logo);
  const { code } = await run('notes', '--from', await from(DESCRIPTOR));
  expect(code).toBe(0);
  expect(await readFile(path.join(root, 'specs/notes/notes.png'))).toEqual(logo);
  expect(await readdir(path.join(root, 'generated/notes'))).toContain('logo.ts');
});

test('a recipe becomes a normal connector: its words, the descriptor unchanged, and where it is published', async () => {
  const { run, from, read, root } = await workspace();
  const { code, out, err } = await run('notes', '--from', await from(DESCRIPTOR));
  expect([code, err.replaceAll(/^notes: .* \.\.\.\n/gm, '')]).toEqual([0, '']);
  expect(out).toContain('notes: Notes, 2 tools, as checked (version 3).');
  expect(out).toContain('where keys are made: https://docs.example.com/keys');
  expect((await read('specs/notes/connector.yaml')).replace(/^# yaml-language-server: .*\n/, '')).toBe(CONFIG);
  expect(await read('specs/notes/connector.yaml')).toMatch(
    /^# yaml-language-server: \$schema=\S+connector\.schema\.json\n/,
  );
  expect(await read('specs/notes/openapi.json')).toBe(text(DESCRIPTOR));
  expect(JSON.parse(await read('specs/notes/source.json'))).toEqual({ source: 'https://vendor.invalid/openapi.json' });
  expect((await readdir(path.join(root, 'generated/notes/tools'))).sort()).toEqual([
    'notes-get-me.ts',
    'notes-list.ts',
  ]);
});

test('another version of the descriptor whose tools are the same is said to be that', async () => {
  const { run, from, read } = await workspace();
  const { code, out } = await run(
    'notes',
    '--from',
    await from(
      changed((paths) => {
        void paths['/notes']?.get.parameters.push(query('later'));
        delete paths['/notes/{id}/'];
      }),
    ),
  );
  expect(code).toBe(0);
  expect(out).toContain('not the one that was checked (version 3): it is 4. The tools are unaffected.');
  expect(await read('generated/notes/tools/notes-list.ts')).not.toContain('later');
});

/** What is left of connector.yaml: arguments by tool, those of all tools, and the proof of a credential. */
test.each<[string, (paths: Paths) => void, string, unknown, 0 | 3]>([
  [
    'an operation is gone',
    (paths) => void delete paths['/notes'],
    'tools.notes_list is left out: specs/notes/openapi.json has no operation listNotes.',
    { notes_get_me: [], defaults: [], verify: 'notes_get_me' },
    3,
  ],
  [
    'the operation that proves a credential is gone',
    (paths) => void delete paths['/me'],
    'verify is left out: There is no tool notes_get_me.',
    { notes_list: ['folder'], defaults: ['tag'] },
    3,
  ],
  [
    'an argument is gone',
    (paths) => void paths['/notes']?.get.parameters.shift(),
    'tools.notes_list.arguments.folder is left out: notes_list (GET /notes) has no argument folder',
    { notes_get_me: [], notes_list: [], defaults: ['tag'], verify: 'notes_get_me' },
    0,
  ],
  [
    'an argument is new and required',
    (paths) => void paths['/notes']?.get.parameters.push(query('space', true)),
    'notes_list now requires space, which the recipe does not describe.',
    { notes_get_me: [], notes_list: ['folder'], defaults: ['tag'], verify: 'notes_get_me' },
    0,
  ],
])('where %s, the rest is added and the difference is said', async (_, change, said, left, want) => {
  const { run, from, read, root } = await workspace();
  const file = await from(changed(change));
  const checked = await run('notes', '--check', '--from', file);
  expect([checked.code, await readdir(root)]).toEqual([1, ['in.json', 'recipes']]);
  const { code, out } = await run('notes', '--from', file);
  expect([code, out.includes(': 1 tool of 2. Left out: ')]).toEqual([want, want === 3]);
  for (const printed of [out, checked.out]) {
    expect(printed).toContain('it is 4. What it changes for the tools:');
    expect(printed).toContain(`  ${said}`);
  }
  const { tools, defaults, verify } = parse(await read('specs/notes/connector.yaml')) as Record<
    string,
    Record<string, { arguments?: object }>
  >;
  const argumentsOf = Object.entries(tools ?? {}).map(([name, tool]) => [name, Object.keys(tool.arguments ?? {})]);
  const shown = { ...Object.fromEntries(argumentsOf), defaults: Object.keys(defaults?.arguments ?? {}) };
  expect(verify === undefined ? shown : { ...shown, verify: verify.tool }).toEqual(left);
});

test('a descriptor with no tool of the recipe is not added', async () => {
  const { run, from, root } = await workspace();
  const file = await from(
    changed((paths) => {
      for (const path of Object.keys(paths)) if (path !== '/notes/{id}/') delete paths[path];
    }),
  );
  const { code, err } = await run('notes', '--from', file);
  expect([code, err]).toEqual([1, expect.stringMatching(/Nothing was added: .*no operation of any tool.*\n$/)]);
  expect(await readdir(path.join(root, 'specs'))).toEqual([]);
});

test('how users sign in is never left out: nothing is added', async () => {
  const { run, from, root } = await workspace();
  const other = structuredClone(DESCRIPTOR) as { components: object; security: object[] };
  other.components = { securitySchemes: { login: { type: 'http', scheme: 'basic' } } };
  other.security = [{ login: [] }];
  const { code, err, out } = await run('notes', '--from', await from(other));
  expect(code).toBe(1);
  expect(out).toContain('config-scheme-unknown');
  expect(err).toContain('Nothing was added.');
  expect(await readdir(path.join(root, 'specs'))).toEqual([]);
});

test('a check of a descriptor that fits writes nothing and succeeds', async () => {
  const { run, from, root } = await workspace();
  const { code, out } = await run('notes', '--check', '--from', await from(DESCRIPTOR));
  expect({ code, out }).toEqual({ code: 0, out: 'notes: Notes, 2 tools, as checked (version 3).\n' });
  expect(await readdir(root)).toEqual(['in.json', 'recipes']);
});

test('a check goes on after a vendor that cannot be reached', async () => {
  const { run } = await workspace();
  const { code, out } = await run('--check');
  expect(code).toBe(1);
  expect(out).toMatch(/^notes: https:\/\/vendor\.invalid\/openapi\.json cannot be fetched: /);
});

test('a descriptor is fetched from the address that is given, under the rules of every fetch', async () => {
  const { run, read } = await workspace();
  const server = createServer((_request, response) => response.end(text(DESCRIPTOR)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`;
  const refused = await run('notes', '--from', url);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('not public')]);
  expect((await run('notes', '--from', url, '--allow-private')).code).toBe(0);
  expect(JSON.parse(await read('specs/notes/source.json'))).toEqual({
    source: url,
    sha256: hash('sha256', text(DESCRIPTOR)),
  });
});

test('an overlay of a recipe repairs the descriptor', async () => {
  const overlay = JSON.stringify({
    overlay: '1.0.0',
    info: { title: 'Repairs', version: '1' },
    actions: [{ target: '$.paths["/notes"].get.parameters', update: query('repaired') }],
  });
  const config = CONFIG.replace('folder:', 'repaired:');
  const { run, from, read } = await workspace(`${head()}\n---\n${config}---\n${overlay}\n`);
  expect((await run('notes', '--from', await from(DESCRIPTOR))).code).toBe(0);
  expect(await read('specs/notes/overlay.yaml')).toBe(`${overlay}\n`);
  expect(await read('generated/notes/tools/notes-list.ts')).toContain('repaired');
});

test('recipes are listed', async () => {
  const { run } = await workspace();
  const { code, out } = await run('--list');
  expect({ code, out }).toEqual({ code: 0, out: 'notes  Notes  2 tools  checked: 3  an API key\n' });
});

test.each<[string, readonly string[], 1 | 2, string]>([
  ['a name near one of a recipe', ['nots'], 2, 'There is no recipe "nots". Did you mean notes? `add --list` shows all'],
  ['a name of nothing', ['../../x'], 2, 'There is no recipe "../../x". `add --list` shows all'],
  ['no name', [], 2, 'Name a recipe, or a descriptor with --name <service>'],
  ['a selection of tools', ['notes', '--read-only'], 2, 'A recipe has its own selection'],
  ['a check of a descriptor', ['x.yaml', '--name', 'x', '--check'], 2, 'neither --check nor --from'],
  ['a copy for every recipe', ['--check', '--from', 'x.yaml'], 2, 'Name a recipe'],
  ['a copy that is not there', ['notes', '--from', '/nowhere.json'], 2, 'There is no file /nowhere.json.'],
])('%s is refused', async (_, args, want, message) => {
  const { run } = await workspace();
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([want, expect.stringContaining(message)]);
});

test('what is no descriptor is not added', async () => {
  const { run, from, root } = await workspace();
  const { code, err } = await run('notes', '--from', await from('<html>Sign in</html>'));
  expect([code, err]).toEqual([2, expect.stringContaining('is not an OpenAPI descriptor')]);
  expect(await readdir(root)).toEqual(['in.json', 'recipes']);
});

test('a descriptor with errors is not added', async () => {
  const { run, from, root } = await workspace();
  const { code, out, err } = await run('notes', '--from', await from({ openapi: '3.1.0' }));
  expect([code, err]).toEqual([1, 'Nothing was added.\n']);
  expect(out).toContain('descriptor-unusable');
  expect(await readdir(path.join(root, 'specs'))).toEqual([]);
});

test('a service that exists is not replaced', async () => {
  const { run, from, root, read } = await workspace();
  await mkdir(path.join(root, 'specs/notes'), { recursive: true });
  await writeFile(path.join(root, 'specs/notes/connector.yaml'), 'title: Mine\n');
  const { code, err } = await run('notes', '--from', await from(DESCRIPTOR));
  expect([code, err]).toEqual([2, expect.stringContaining('specs/notes/ already exists')]);
  expect(await read('specs/notes/connector.yaml')).toBe('title: Mine\n');
});

test.each([
  ['no connector.yaml', head(), 'it has no line `---`'],
  ['an unknown key in its head', `${head({ secret: 1 })}\n---\n${CONFIG}`, 'Unrecognized key: "secret"'],
  ['an address that is not https', `${head({ published: 'http://a.example/x' })}\n---\n${CONFIG}`, 'published'],
  ['a wrong connector.yaml', `${head()}\n---\ntools: { x: {} }\n`, 'operation'],
])('a recipe with %s is broken, and says so', async (_, recipe, message) => {
  const { run, from } = await workspace(recipe);
  const { code, err } = await run('notes', '--from', await from(DESCRIPTOR));
  expect([code, err]).toEqual([1, expect.stringMatching(/^The recipe notes is broken: /)]);
  expect(err).toContain(message);
});
