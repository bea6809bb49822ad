import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeProgram } from '../../scripts/package/command.ts';
import { findTool } from '../support/fuller-checks.ts';
import { startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { startConformanceGateway } from './gateway.ts';
import { REASONS, readOutcomes, toPage } from './page.ts';

const SUITE = findTool('@modelcontextprotocol/conformance/dist/index.js');

const PAGE = resolve(import.meta.dirname, '../../docs/reference/conformance.md');
const { devDependencies } = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../.ci/tools/package.json'), 'utf8'),
);
const VERSION = devDependencies['@modelcontextprotocol/conformance'];

interface Run {
  readonly exitCode: number;
  readonly output: string;
}

function runSuite(url: string, requirements: string, folder: string): Promise<Run> {
  const expected = resolve(import.meta.dirname, `expected-failures-${requirements}.yml`);
  return run(['--url', url, '--requirements', requirements, '--expected-failures', expected, '-o', folder]);
}

function run(
  options: readonly string[],
  command = 'server',
  onOutput: (text: string) => void = () => {},
): Promise<Run> {
  const args = [SUITE ?? '', command, ...options];
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      args,
      { maxBuffer: 32 * 1024 * 1024, timeout: 120_000 },
      (error, stdout, stderr) => {
        done({ exitCode: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr });
      },
    );
    child.stdout?.on('data', (text) => onOutput(String(text)));
  });
}

/** Where the bundle finds the packages of this repository. */
const CACHE = resolve(import.meta.dirname, '../../.cache');

const GATEWAYS: readonly [string, (folder: string) => Promise<typeof startConformanceGateway>][] = [
  ['the gateway of this repository', async () => startConformanceGateway],
  [
    'the same gateway in the bundle that the package ships',
    async (folder) => {
      await writeProgram(resolve(CACHE, '..'), folder, { conformance: 'test/conformance/gateway.ts' });
      return (await import(join(folder, 'bundle/conformance.js'))).startConformanceGateway;
    },
  ],
];

describe.skipIf(SUITE === null).each(GATEWAYS)('official conformance suite, %s', (_, find) => {
  let gateway: Awaited<ReturnType<typeof startConformanceGateway>>;
  let folder: string;
  let built: string;

  beforeAll(async () => {
    mkdirSync(CACHE, { recursive: true });
    built = mkdtempSync(join(CACHE, 'conformance-'));
    gateway = await (await find(built))();
    folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  }, 60_000);

  afterAll(async () => {
    await gateway.close();
    for (const each of [folder, built]) rmSync(each, { recursive: true, force: true });
  });

  test.each(['2026-07-28', '2025-11-25'])(
    'fails nothing in %s except what the gateway does not declare',
    async (requirements) => {
      const run = await runSuite(gateway.url, requirements, folder);
      const summary = run.output.slice(run.output.indexOf('=== SUMMARY ==='));
      expect(run.exitCode, summary).toBe(0);
      expect(summary).toMatch(/✓ tools-list: [1-9]/);
    },
    120_000,
  );
});

describe.skipIf(SUITE === null)('every scenario of the suite', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('passes or has a reviewed reason, and the page says so', async () => {
    const gateway = await startConformanceGateway();
    const asServer = join(folder, 'server');
    await run(['--url', gateway.url, '--suite', 'all', '-o', asServer]).finally(() => gateway.close());
    const asIssuer = join(folder, 'authorization');
    await runAuthorization(asIssuer);
    const parts = {
      'MCP server': readOutcomes(asServer, 'server-'),
      'Authorization server': readOutcomes(asIssuer, 'authorization-server-'),
    };
    const missed = Object.values(parts)
      .flat()
      .flatMap(({ scenario, isPassed }) => (isPassed ? [] : [scenario]));
    expect(missed).toEqual([...Object.keys(REASONS.notDeclared), ...Object.keys(REASONS.failed)].sort());
    const page = toPage(VERSION, parts);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, page);
    else expect(readFileSync(PAGE, 'utf8')).toBe(page);
  }, 180_000);
});

/** The suite prints an authorization URL, and listens for what the browser of the user brings back. */
async function runAuthorization(folder: string): Promise<void> {
  const gateway = await startOAuthGateway();
  try {
    const port = await freePort();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const metadata = await fetch(new URL('/.well-known/oauth-authorization-server', gateway.issuer));
    const { registration_endpoint: register } = (await metadata.json()) as { registration_endpoint: string };
    const registration = await fetch(register, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirectUri], client_name: 'Suite', token_endpoint_auth_method: 'none' }),
    });
    const { client_id: clientId } = (await registration.json()) as { client_id: string };
    const connectionCode = await gateway.connectionCode();
    let visit: Promise<unknown> | undefined;
    let said = '';
    await run(
      ['--url', gateway.issuer, '--client-id', clientId, '--resource', gateway.url, '-p', String(port), '-o', folder],
      'authorization',
      (text) => {
        said += text;
        const url = /^(https?:\/\/\S*code_challenge=\S*)\n/m.exec(said)?.[1];
        if (url === undefined || visit !== undefined) return;
        visit = consent({ url, connectionCode }).then(fetchOnceServed);
        // It is awaited at the end.
        visit.catch(() => {});
      },
    );
    await visit;
  } finally {
    await gateway.close();
  }
}

/** The suite may print its address before it listens. */
async function fetchOnceServed(url: URL): Promise<void> {
  await expect
    .poll(() =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
