import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildPackage } from '../../scripts/package/command.ts';
import { readBlocks } from '../support/documented-blocks.ts';
import { findTool, NOTHING_MAY_BE_SKIPPED, skipBecause } from '../support/fuller-checks.ts';
import { connectClient } from '../support/mcp-client.ts';
import { readPublicTypes } from './public-types.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PINNED = path.join(import.meta.dirname, 'public-types.txt');
const GUIDE = 'docs/guides/own-project.md';
const ENTRIES = ['server/index.d.ts', 'server/contract/index.d.ts', 'server/own-module.d.ts', 'codegen/index.d.ts'];
/** Installing and starting take minutes on a busy machine. */
const TIMEOUT_MS = 600_000;
const DEMO_START_MS = 180_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/api\/mcp\/unified/;
const TOKEN = /(utg_at_[\w-]+) /;

const run = promisify(execFile);
const descriptor = findTool('@readme/oas-examples/3.0/json/star-trek.json');
if (!NOTHING_MAY_BE_SKIPPED) skipBecause('the package is built and installed in .ci/run only: it takes minutes');

describe.skipIf(!NOTHING_MAY_BE_SKIPPED)('the package', { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  let archive: string;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'package-'));
    archive = await buildPackage(ROOT, folder);
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const { pid, exitCode } of started) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM');
    // Until the demo has stopped, it may add files.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  test('exports the reviewed types', async () => {
    const types = readPublicTypes(path.join(ROOT, '.cache/package'), ENTRIES);
    if (process.env.UPDATE_GOLDEN === '1') await writeFile(PINNED, types);
    expect(types).toBe(await readFile(PINNED, 'utf8'));
  });

  test('contains what runs, and nothing else', async () => {
    const { stdout } = await run('tar', ['-tzf', archive]);
    const files = stdout
      .trim()
      .split('\n')
      .map((file) => file.replace('package/', ''));
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
    expect(
      files.filter((file) =>
        /^(test|specs|generated|scripts\/(bench|corpus|docs|faults|package|screenshots))\//.test(file),
      ),
    ).toEqual([]);
    const code = files.filter((file) => /\.[cm]?js$/.test(file));
    expect(code).toEqual(expect.arrayContaining(['bundle/index.js', 'bundle/utg.js']));
    expect(code.filter((file) => !file.startsWith('bundle/'))).toEqual([]);
  });

  test('creates a project whose tools an official client can call', async () => {
    const project = path.join(folder, 'my-gateway');
    const npm = (...args: string[]) => run('npm', args, { cwd: project });
    const block = readBlocks().find(({ document, text }) => document === GUIDE && text.includes('init my-gateway'));
    const commands = block?.text.replace('cd ..\n', 'cd "$FOLDER"\n') ?? '';
    expect(commands).toMatch(/cd "\$FOLDER"[\s\S]*\nnpm run demo\n$/);
    const env = { ...process.env, FOLDER: folder, npm_config_yes: 'true' };
    await run('bash', ['-euo', 'pipefail', '-c', commands.replace('npm run demo\n', '')], { cwd: ROOT, env });
    const added = await npm('run', 'utg', '--', 'add', descriptor ?? '', '--name', 'fleet');
    expect(added.stdout).toContain('fleet');
    await npm('run', 'codegen', '--', '--check');
    await npm('run', 'typecheck');
    expect(await readFile(path.join(project, 'generated/index.ts'), 'utf8')).toContain("from './fleet/index.ts'");

    const child = spawn('npm', ['run', 'demo'], { cwd: project, detached: true });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    await vi
      .waitUntil(() => child.exitCode !== null || (TOKEN.test(output) && ADDRESS.test(output)), {
        timeout: DEMO_START_MS,
      })
      .catch(() => undefined);
    expect([TOKEN.test(output), ADDRESS.test(output)], output).toEqual([true, true]);
    const [url = ''] = ADDRESS.exec(output) ?? [];
    const [, token = ''] = TOKEN.exec(output) ?? [];
    const client = await connectClient({ url, token });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['notes_list_notes']));
    const reading = tools.find(
      ({ name, inputSchema }) => name.startsWith('fleet_') && (inputSchema.required ?? []).length === 0,
    );
    const result = await client.callTool({ name: reading?.name ?? '', arguments: {} });
    expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
    await client.close();
  });

  test('has one instance of every module for the gateway, generated code and modules of the project', async () => {
    const project = path.join(folder, 'my-gateway');
    await cp(path.join(ROOT, 'examples/module'), path.join(project, 'modules'), { recursive: true });
    await writeFile(path.join(project, 'loaded.mjs'), LOADED);
    const loaded = async (...line: string[]) => {
      const { stderr } = await run(process.execPath, ['--import', './loaded.mjs', ...line], { cwd: project });
      return stderr.split('\n').flatMap((text) => /^loaded (.*)$/.exec(text)?.[1] ?? []);
    };
    const started = await loaded('node_modules/.bin/utg', 'start', '--help');
    expect(started.some((url) => url.endsWith('my-gateway/modules/business-hours.ts'))).toBe(true);
    const isOurs = (url: string) => url.includes('/unified-tool-gateway/');
    const ofEntries = await loaded(
      '--input-type=module',
      '--eval',
      "await import('unified-tool-gateway'); await import('unified-tool-gateway/module');",
    );
    const ofGateway = started.filter((url) => /\/gateway-[\w-]+\.js$/.test(url));
    expect(ofGateway).not.toEqual([]);
    expect(ofEntries).toEqual(expect.arrayContaining(ofGateway));
    expect(
      started.filter((url) => isOurs(url) && !/\/unified-tool-gateway\/(bundle\/[\w-]+\.js|package\.json)$/.test(url)),
    ).toEqual([]);
    expect(started.filter((url) => /node_modules\/(kysely|zod|pino|koa|hono)\//.test(url))).toEqual([]);
    expect(new Set(started).size).toBe(started.length);
  });

  test('installs 65 MB to run a gateway, and names what a setting needs beyond', async () => {
    const project = path.join(folder, 'my-gateway');
    await run('npm', ['ci', '--omit=dev'], { cwd: project });
    const { stdout } = await run('du', ['-sk', 'node_modules'], { cwd: project });
    process.stdout.write(`a gateway is ${stdout.split('\t')[0]} KiB\n`);
    expect(Number(stdout.split('\t')[0])).toBeLessThan(65_000);
    const start = (env: Record<string, string>) =>
      run(process.execPath, ['node_modules/.bin/utg', 'start'], {
        cwd: project,
        env: { ...process.env, PLAIN_HTTP_UPSTREAMS: 'stapi.co', ...env },
      });
    const { peerDependencies: peers } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
    await expect(start({ LIMITS_REDIS_URL: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
      stderr: expect.stringContaining(`npm i @redis/client@${peers['@redis/client']}`),
    });
    await expect(start({ METRICS_LISTEN: '127.0.0.1:9464' })).rejects.toMatchObject({
      stderr: expect.stringContaining(`npm i @opentelemetry/api@${peers['@opentelemetry/api']}`),
    });
  });
});

/** Prints the address of every file of code that is loaded. */
const LOADED = `
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) process.stderr.write('loaded ' + url + '\\n');
    return next(url, context);
  },
});
`;
