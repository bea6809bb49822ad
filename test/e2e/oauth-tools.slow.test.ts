import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../shared/cli/free-port.ts';
import { findProgram, findTool, skipBecause } from '../support/fuller-checks.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consentAndReturn } from '../support/scripted-browser.ts';

const CONFORMANCE = findTool('@modelcontextprotocol/conformance/dist/index.js');
const INSPECTOR = findTool('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const TERMINAL = findProgram('script');
if (TERMINAL === null)
  skipBecause('the Inspector needs a terminal, and there is no `script` of util-linux to lend one');

const AUTHORIZE_URL = /http:\/\/[^\s\p{Cc}]+\/authorize\?[^\s\p{Cc}]+(?=[\s\p{Cc}])/u;

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway({ CLIENT_ID_METADATA_DOCUMENTS: 'on' });
});
afterAll(() => gateway?.close());

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

function signInWhenAsked(program: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let output = '';
    let asked = false;
    const read = (chunk: Buffer) => {
      output += chunk;
      const [url] = AUTHORIZE_URL.exec(output) ?? [];
      if (url === undefined || asked) return;
      asked = true;
      gateway
        .connectionCode()
        .then((connectionCode) => consentAndReturn({ url, connectionCode }))
        .catch((error: unknown) => {
          program.kill();
          reject(error);
        });
    };
    program.stdout?.on('data', read);
    program.stderr?.on('data', read);
    program.on('error', reject);
    program.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}

describe.skipIf(CONFORMANCE === null)('the authorization scenarios of the official conformance suite', () => {
  test('all pass, including client ID metadata documents', async () => {
    const port = await freePort();
    const registered = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const args = ['--url', gateway.issuer, '--client-id', client_id, '--resource', gateway.url, '--port', String(port)];
    const program = spawn(process.execPath, [CONFORMANCE ?? '', 'authorization', ...args]);
    const { exitCode, output } = await signInWhenAsked(program);
    expect(output).toMatch(/✓ authorization-server-metadata-endpoint: 2 passed, 0 failed/);
    expect(output).toMatch(/✓ authorization-code-grant: 1 passed, 0 failed/);
    expect(exitCode).toBe(0);
  }, 60_000);
});

describe.skipIf(INSPECTOR === null || TERMINAL === null)('the MCP Inspector without a token', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'inspector-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  function commandOf(...args: string[]): string[] {
    const common = ['--cli', gateway.url, '--transport', 'http', '--protocol-era', 'auto', '--format', 'json'];
    return [process.execPath, INSPECTOR ?? '', ...common, ...args];
  }

  const environment = () => ({ ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'file', BROWSER: 'true' });

  function inspect(...args: string[]): Promise<Ended> {
    const [program = '', ...rest] = commandOf(...args);
    return signInWhenAsked(spawn(program, rest, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  function inspectInTerminal(...args: string[]): Promise<Ended> {
    const command = commandOf(...args)
      .map((word) => `'${word}'`)
      .join(' ');
    return signInWhenAsked(spawn(TERMINAL ?? '', ['-qefc', command, '/dev/null'], { env: environment() }));
  }

  test('signs in at a terminal, keeps its tokens, and uses them later to call a tool', async () => {
    const call = [
      '--method',
      'tools/call',
      '--tool-name',
      READING_CALL.name,
      '--tool-args-json',
      JSON.stringify(READING_CALL.arguments),
    ];
    const refused = await inspect(...call, '--stored-auth-only');
    expect(refused.exitCode, refused.output).toBe(3);

    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const listed = await inspectInTerminal('--method', 'tools/list', '--callback-url', callback);
    expect(listed.exitCode, listed.output).toBe(0);
    expect(listed.output).toContain(READING_CALL.name);

    const called = await inspect(...call, '--stored-auth-only');
    expect(called.exitCode, called.output).toBe(0);
    expect(called.output).toContain('scored_chunks');
  }, 90_000);
});
