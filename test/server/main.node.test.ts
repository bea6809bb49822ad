import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { Agent, createServer, get, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCredentialVault } from '../../server/base/credentials/index.ts';
import { parseKeyRing } from '../../server/base/credentials/key-ring.ts';
import { saveConnection } from '../../server/base/credentials/save-connection.ts';
import type { Store } from '../../server/base/store/index.ts';
import { insertPartner } from '../../server/base/store/repositories/partners.ts';
import { describeOldNode } from '../../server/node-version.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { keyBytes } from '../support/keys.ts';
import { openListeningStore } from '../support/listening.ts';
import { insertPartnerAndUser } from './base/store/fixtures.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'server/main.ts');
const UTG = join(ROOT, 'scripts/utg.ts');
const KEYS = `k1:${keyBytes(5).toString('base64')}`;

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let env: Record<string, string>;
let origin: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'utg-main-'));
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  env = { PATH: process.env.PATH ?? '', PORT: String(port), LOG_LEVEL: 'debug' };
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

async function run(script: string, args: readonly string[], extra: Record<string, string> = {}): Promise<Run> {
  try {
    const options = { cwd: folder, env: { ...env, ...extra } };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...args], options);
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Run;
  }
}

class RunningGateway {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = '';

  constructor(extra: Record<string, string>) {
    this.child = spawn(process.execPath, [MAIN], { cwd: folder, env: { ...env, ...extra } });
    running.push(this.child);
    this.child.stdout?.on('data', (data) => {
      this.output += data;
    });
    this.child.stderr?.on('data', (data) => {
      this.output += data;
    });
    this.ended = new Promise((done) => this.child.once('exit', done));
  }

  async until(text: string): Promise<void> {
    for (let tries = 0; !this.output.includes(text); tries += 1) {
      if (tries > 900 || this.child.exitCode !== null) throw new Error(`no "${text}" in:\n${this.output}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }
}

async function startGateway(extra: Record<string, string> = {}): Promise<RunningGateway> {
  const gateway = new RunningGateway(extra);
  await gateway.until('"msg":"listening"');
  return gateway;
}

/** The store of a run in `folder` without settings. */
async function openData(): Promise<Store> {
  await mkdir(join(folder, 'data'), { recursive: true });
  return openListeningStore({ url: `sqlite:${join(folder, 'data/gateway.sqlite')}` });
}

describe('npm start', () => {
  test('a local run without settings creates its database and key, for this account only', async () => {
    const gateway = await startGateway();
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    expect(gateway.output).toContain('ENCRYPTION_KEYS is not set: made the key in data/encryption-keys.');
    for (const [name, mode] of [
      ['data', 0o700],
      ['data/gateway.sqlite', 0o600],
      ['data/encryption-keys', 0o600],
    ] as const) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(mode);
    }
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });

  test('refuses a SQLite file that another gateway has, and names its process', async () => {
    const first = await startGateway();
    const second = new RunningGateway({ PORT: `${await freePort()}` });
    expect(await second.ended).toBe(1);
    expect(second.output).toContain(`process ${first.child.pid} on ${hostname()}`);
    expect(second.output).toMatch(/DATABASE_URL=postgres:\/\//);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const ofFile = { DATABASE_URL: `sqlite:${join(folder, 'data/gateway.sqlite')}` };
    expect(await run(UTG, ['partner', 'list'], ofFile)).toMatchObject({ code: 0 });
  });

  test('starts at once on the file of a gateway that was killed', async () => {
    const first = await startGateway();
    first.child.kill('SIGKILL');
    await first.ended;
    await startGateway();
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  });

  test('says on a terminal in a few plain lines where it is and what comes next', async () => {
    const command = `"${process.execPath}" "${MAIN}"`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env: { ...process.env, ...env } });
    let output = '';
    await new Promise<void>((done) => {
      child.stdout.on('data', (data) => {
        output += data;
        if (output.includes('partner add')) done();
      });
      child.once('exit', () => done());
    });
    child.kill('SIGTERM');
    expect(output).toContain(`  MCP endpoint  ${origin}/api/mcp/unified`);
    expect(output).toContain(`  Dashboard     ${origin}/admin`);
    expect(output).toMatch(
      /^Unified Tool Gateway \d+\.\d+\.\d+ listens on 127\.0\.0\.1, port \d+\. Ctrl-C stops it\.\r$/m,
    );
    expect(output).toMatch(/^ {2}Serves {8}\d+ tools of Metronome, .*Ragie\r$/m);
    expect(output).toContain('  Next          npm run utg -- partner add --name <name>');
    expect(output).toMatch(/^warn: ENCRYPTION_KEYS is not set/m);
    expect(output).not.toMatch(/^\{/m);
  });

  test('--help names every variable and starts nothing', async () => {
    const { code, stdout } = await run(MAIN, ['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('PUBLIC_URL');
    expect(stdout).toContain('RETRIEVAL_BASE_URL');
    await expect(stat(join(folder, 'data'))).rejects.toThrow('ENOENT');
  });

  test('an invalid environment ends the start with all problems and no stack', async () => {
    const { code, stdout, stderr } = await run(MAIN, [], { PORT: 'x', PUBLIC_URL: 'https://tools.example.com' });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('PORT must be a whole number');
    expect(stderr).toContain('ENCRYPTION_KEYS must be set');
    expect(stderr).toContain('TRUST_PROXY must be set');
    expect(stderr).not.toContain('    at ');
  });

  test('an unknown option or a port in use ends the start with one sentence', async () => {
    expect(await run(MAIN, ['--verbose'])).toMatchObject({
      code: 2,
      stderr: "Unknown option '--verbose'\nTry: npm run utg -- start --help\n",
    });
    await startGateway();
    const second = await run(MAIN, [], { DATABASE_URL: 'sqlite:other.sqlite' });
    expect(second.code).toBe(1);
    const [, taken, free] =
      /^Another program listens on port (\d+), which PORT names\. Stop it, or choose a free port: PORT=(\d+)\.\n$/.exec(
        second.stderr,
      ) ?? [];
    expect([taken, free]).toEqual([env.PORT, expect.any(String)]);
    const server = createTcpServer();
    await new Promise<void>((done) => server.listen(Number(free), '127.0.0.1', done));
    server.close();
  });

  test.each([
    [
      'an operator listener',
      'ADMIN_LISTEN',
      (port: string) => `127.0.0.1:${port}`,
      /which ADMIN_LISTEN names\. .*ADMIN_LISTEN=127\.0\.0\.1:\d+\.\n$/,
    ],
    [
      'metrics',
      'METRICS_LISTEN',
      (port: string) => `127.0.0.1:${port}`,
      /which METRICS_LISTEN names\. .*METRICS_LISTEN=127\.0\.0\.1:\d+\.\n$/,
    ],
    [
      'an address of another machine',
      'HOST',
      () => '192.0.2.1',
      /^HOST names 192\.0\.2\.1, which is not an address of this machine\.\n$/,
    ],
  ])('%s that cannot listen names its setting', async (_, variable, valueAt, sentence) => {
    const taken = createTcpServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const value = valueAt(String((taken.address() as AddressInfo).port));
    expect((await run(MAIN, [], { [variable]: value })).stderr).toMatch(sentence);
    taken.close();
  });

  test('ADMIN_LISTEN moves the dashboard to its own listener', async () => {
    const port = await freePort();
    const settings = { ADMIN_LISTEN: `127.0.0.1:${port}`, ADMIN_SECRET: 'the-secret-of-the-operator' };
    const gateway = await startGateway(settings);
    const statusOf = async (base: string, path: string) => (await fetch(base + path, { redirect: 'manual' })).status;
    const own = `http://127.0.0.1:${port}`;
    expect([await statusOf(origin, '/admin'), await statusOf(origin, '/admin/sign-in')]).toEqual([404, 404]);
    expect([await statusOf(own, '/admin'), await statusOf(own, '/admin/sign-in')]).toEqual([303, 200]);
    const others = ['/api/mcp/unified', '/.well-known/oauth-protected-resource', '/me', '/'];
    expect(await Promise.all(others.map((path) => statusOf(own, path)))).toEqual([404, 404, 404, 404]);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });

  test('a misspelt variable is named in the log', async () => {
    const gateway = await startGateway({ RETRIEVAL_BASEURL: 'http://127.0.0.1:1' });
    expect(gateway.output).toContain('Did you mean RETRIEVAL_BASE_URL?');
  });
});

describe('a call to a stopping gateway', () => {
  let upstream: Server;
  let waiting: ServerResponse[];
  let arrived: Promise<void>;

  beforeEach(async () => {
    waiting = [];
    upstream = createServer();
    arrived = new Promise((done) => {
      upstream.on('request', (_request, response) => {
        waiting.push(response);
        done();
      });
    });
    await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
    const { port } = upstream.address() as AddressInfo;
    Object.assign(env, { ENCRYPTION_KEYS: KEYS, RETRIEVAL_BASE_URL: `http://127.0.0.1:${port}` });
    const store = await openData();
    const { user } = await insertPartnerAndUser(store);
    await saveConnection(store.db, createCredentialVault({ keys: parseKeyRing(KEYS) }), {
      userId: user.id,
      service: 'retrieval',
      fields: { apiKey: 'planted-upstream-key' },
      now: 1,
    });
    await store.close();
  });
  afterEach(() => {
    upstream.closeAllConnections();
    upstream.close();
  });

  async function callTool(): Promise<Response> {
    const { stdout } = await run(UTG, ['token', '--user', 'alice', '--raw']);
    const params = { name: 'retrieval_list_partitions', arguments: {} };
    return fetch(`${origin}/api/mcp/unified`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stdout.trim()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
  }

  async function readRecords() {
    const store = await openData();
    const rows = await store.db.selectFrom('call_records').select(['tool', 'outcome']).execute();
    await store.close();
    return rows;
  }

  test('gets its answer and its record', async () => {
    const gateway = await startGateway({ STOP_DELAY_MS: '0' });
    const calling = callTool();
    await arrived;
    gateway.child.kill('SIGTERM');
    await gateway.until('"msg":"stopping"');
    await expect(fetch(`${origin}/readyz`)).rejects.toThrow('fetch failed');
    waiting[0]!
      .setHeader('Content-Type', 'application/json')
      .end('{"pagination":{"next_cursor":null},"partitions":[]}');
    const answer = await calling;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ id: 1, result: { structuredContent: { partitions: [] } } });
    expect(await gateway.ended).toBe(0);
    expect(gateway.output).not.toContain('closing requests that are still open');
    expect(await readRecords()).toEqual([{ tool: 'retrieval_list_partitions', outcome: 'ok' }]);
    expect(gateway.output).not.toContain('planted-upstream-key');
  });

  test('is aborted when the time to stop is over, and still gets its record', async () => {
    const gateway = await startGateway({ STOP_DELAY_MS: '0', STOP_TIMEOUT_MS: '200' });
    const calling = callTool();
    await arrived;
    gateway.child.kill('SIGTERM');
    await expect(calling.then((answer) => answer.text())).rejects.toThrow();
    expect(await gateway.ended).toBe(0);
    expect(gateway.output).toContain('closing requests that are still open');
    expect(await readRecords()).toMatchObject([{ tool: 'retrieval_list_partitions' }]);
  });

  test('is aborted at once by a second signal', async () => {
    const gateway = await startGateway();
    const calling = callTool().catch(() => null);
    await arrived;
    gateway.child.kill('SIGINT');
    await gateway.until('"msg":"stopping"');
    gateway.child.kill('SIGINT');
    expect(await gateway.ended).toBe(1);
    await calling;
  });
});

describe('requests to a stopping gateway on open connections', () => {
  test('are answered, the last one of each connection says so, and new connections are accepted', async () => {
    const gateway = await startGateway({ STOP_DELAY_MS: '3000' });
    const answers = Array.from({ length: 16 }, (): string[] => []);
    const clients = answers.map(async (own) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (own.at(-1) !== 'close') own.push(await connectionOf('/healthz', agent));
      agent.destroy();
    });
    await expect.poll(() => Math.min(...answers.map(({ length }) => length))).toBeGreaterThan(5);
    gateway.child.kill('SIGTERM');
    await gateway.until('"msg":"stopping"');
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    await Promise.all(clients);
    expect(await gateway.ended).toBe(0);
  });

  /** The answer's header `Connection`. @throws if the connection breaks. */
  function connectionOf(path: string, agent: Agent): Promise<string> {
    return new Promise((resolve, reject) => {
      get(`${origin}${path}`, { agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.headers.connection ?? ''));
      }).once('error', reject);
    });
  }
});

describe('npm run utg -- token', () => {
  async function seed(): Promise<void> {
    const store = await openData();
    await insertPartnerAndUser(store);
    await store.close();
  }

  test('prints a token that the running gateway accepts, and a client configuration', async () => {
    await seed();
    await startGateway();
    const { code, stdout } = await run(UTG, ['token', '--user', 'alice', '--partner', 'acme']);
    expect(code).toBe(0);
    const [token] = /utg_at_[A-Za-z0-9_-]{43}/.exec(stdout)!;
    const configuration = JSON.parse(stdout.slice(stdout.indexOf('{')));
    expect(Object.values(configuration.mcpServers)).toEqual([
      { type: 'http', url: `${origin}/api/mcp/unified`, headers: { Authorization: `Bearer ${token}` } },
    ]);
    const answer = await fetch(`${origin}/api/mcp/unified`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(await answer.json()).toMatchObject({ id: 1, result: { tools: [] } });
  });

  test('--ttl, --read-only and --services narrow the token, which is stored by hash only', async () => {
    await seed();
    const { stdout } = await run(UTG, [
      'token',
      '--user',
      'alice',
      '--ttl',
      '60',
      '--read-only',
      '--services',
      'crm',
      '--raw',
    ]);
    expect(stdout).toMatch(/^utg_at_[A-Za-z0-9_-]{43}\n$/);
    const store = await openData();
    const row = await store.db.selectFrom('access_tokens').selectAll().executeTakeFirstOrThrow();
    await store.close();
    expect(row).toMatchObject({ scopes: 'tools:read', services: 'crm' });
    expect(row.expires_at - row.created_at).toBe(60_000);
    const file = await readFile(join(folder, 'data/gateway.sqlite'));
    expect(file.includes(stdout.trim())).toBe(false);
  });

  test.each([
    [['--user', 'nobody'], 'There is no user "nobody". Known: alice.'],
    [['--user', 'nobody', '--partner', 'acme'], 'The partner "acme" has no user "nobody". Known: alice.'],
    [['--user', 'alice', '--partner', 'other'], 'There is no partner "other". Known: acme.'],
    [[], "Required option '--user <id>' not specified"],
    [
      ['--user', 'alice', '--ttl', '0'],
      "Option '--ttl <seconds>' argument '0' is invalid. Use a whole number from 1 to 86400.",
    ],
    [['--usr', 'alice'], "Unknown option '--usr'\n(Did you mean --user?)"],
  ])('%j is an error that says what to do', async (args, message) => {
    await seed();
    const { code, stdout, stderr } = await run(UTG, ['token', ...args]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toBe(`${message}\nTry: npm run utg -- token --help\n`);
  });

  test('each step on the way to a user names the next one', async () => {
    const next = async () => (await run(UTG, ['token', '--user', 'alice'])).stderr;
    expect(await next()).toMatch(/^There is no database .*npm start.*npm run demo/);
    const store = await openData();
    expect(await next()).toContain('There is no partner yet: utg partner add --name <name>');
    await insertPartner(store.db, { clientId: 'acme', name: 'Acme', now: 0 });
    await store.close();
    expect(await next()).toContain('There is no user yet: a partner creates one with its first connection');
  });

  test('--help explains every option', async () => {
    const { code, stdout } = await run(UTG, ['token', '--help']);
    expect(code).toBe(0);
    for (const option of ['--user', '--partner', '--ttl', '--services', '--read-only', '--raw']) {
      expect(stdout).toContain(option);
    }
  });
});

describe('Node version', () => {
  test.each([
    ['20.20.2', true],
    ['22.18.0', true],
    ['22.19.0', false],
    ['24.0.0', false],
    ['26.10.0', false],
  ])('%s is too old: %s', (version, old) => {
    expect(describeOldNode(version) !== null).toBe(old);
    expect(describeOldNode(version) ?? '').not.toContain('npm start');
  });
});
