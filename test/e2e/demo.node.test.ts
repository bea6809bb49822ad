import { execFile, spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemo } from '../../scripts/demo/start.ts';
import { demoStarted } from '../../scripts/demo/text.ts';
import { WIKI } from '../../scripts/demo/wiki.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { connectClient } from '../support/mcp-client.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';

const run = promisify(execFile);
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;
const PASTED = HAS_CURL ? 'pasted into a shell' : 'sent with fetch (curl is not installed here)';
const toolNames = [...(await loadConnectors()), WIKI].flatMap(({ tools }) => tools.map(({ name }) => name)).sort();

interface Rpc {
  readonly result: {
    readonly tools?: readonly { readonly name: string }[];
    readonly isError?: boolean;
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: { readonly scored_chunks: readonly { readonly text: string }[] };
  };
}

let demo: RunningScript;
let text: string;
beforeAll(async () => {
  const [port, sandboxPort, appPort] = [await freePort(), await freePort(), await freePort()];
  demo = runScript('scripts/demo/main.ts', [
    '--port',
    String(port),
    '--sandbox-port',
    String(sandboxPort),
    '--app-port',
    String(appPort),
    '--verbose',
  ]);
  await demo.waitFor(/Ctrl-C stops everything/);
  text = demo.output();
});
afterAll(async () => {
  if (demo.process.exitCode === null) await demo.stop('SIGKILL');
});

function takePort(): Promise<Server> {
  const server = createServer();
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

async function paste(title: string): Promise<Rpc> {
  const command = text.split(`${title}\n\n`)[1]!.split('\n\n')[0]!;
  expect(command).toMatch(/^ {2}curl -s http:\/\/127\.0\.0\.1:\d+\/api\/mcp\/unified \\\n/);
  if (HAS_CURL) {
    const { stdout } = await run('sh', ['-c', command], { maxBuffer: 16 * 1024 ** 2 });
    return JSON.parse(stdout) as Rpc;
  }
  const [, url] = /curl -s (\S+)/.exec(command)!;
  const headers = Object.fromEntries(
    [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
  );
  const [, body] = /-d '(.*)'$/.exec(command)!;
  const response = await fetch(url!, { method: 'POST', headers: headers as Record<string, string>, body: body! });
  return (await response.json()) as Rpc;
}

describe('npm run demo', () => {
  test('first prints the portal, whose page answers', async () => {
    const [, origin] = /Start here:\s+1\. Open the portal, (\S+), /.exec(text)!;
    expect(text.indexOf('Start here:')).toBeLessThan(text.indexOf('utg_at_'));
    expect(await (await fetch(origin!)).text()).toContain('Maya');
  });

  test(`the printed call, ${PASTED}, returns the answer of the sandbox`, async () => {
    const { result } = await paste('Call a tool:');
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent!.scored_chunks[0]!.text).toContain('Parents employed in Berlin');
  });

  test(`the printed list, ${PASTED}, contains every tool`, async () => {
    const { result } = await paste('List the tools (a long answer):');
    expect(result.tools!.map(({ name }) => name).sort()).toEqual(toolNames);
  });

  test('the printed configuration has what an MCP client needs', async () => {
    const json = /\n( {2}\{\n {4}"mcpServers"[\s\S]*?\n {2}\})\n/.exec(text)![1]!;
    const { mcpServers } = JSON.parse(json) as {
      mcpServers: Record<string, { type: string; url: string; headers: { Authorization: string } }>;
    };
    const [server] = Object.values(mcpServers);
    expect(server!.type).toBe('http');
    const client = await connectClient({
      url: server!.url,
      token: server!.headers.Authorization.replace('Bearer ', ''),
    });
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: 'wiki_search_pages', arguments: {} });
    await client.close();
    expect(tools).toHaveLength(toolNames.length);
    expect(structuredContent).toMatchObject({ pages: [{ title: 'Expenses' }, { title: 'On call' }] });
  });

  test('the claude command has a transport, name, URL and header', () => {
    const [url] = /http:\/\/\S+\/api\/mcp\/unified/.exec(text)!;
    const [token] = /utg_at_\S+/.exec(text)!;
    expect(text).toContain(
      `claude mcp add --transport http unified-tools ${url} --header "Authorization: Bearer ${token}"\n`,
    );
  });

  test('the printed secret opens the printed dashboard', async () => {
    const [, url, secret] = /dashboard {2}(\S+) {2}\(sign in with (\S+)\)/.exec(text)!;
    const page = await fetch(`${url}/sign-in`);
    const [, pageState] = /name="page_state" value="([^"]+)"/.exec(await page.text())!;
    const answer = await fetch(`${url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: page.headers.getSetCookie()[0]!.split(';')[0]! },
      body: new URLSearchParams({ page_state: pageState!, secret: secret! }),
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin']);
    expect((await fetch(new URL('/', url))).status).toBe(200);
  });

  test('a planned failure reaches the caller once, and the sandbox records the request', async () => {
    const [, sandbox] = /sandbox +(\S+)/.exec(text)!;
    await fetch(`${sandbox}/__sandbox/misbehave`, { method: 'POST', body: '{"kind": "server-error"}' });
    expect((await paste('Call a tool:')).result.isError).toBe(true);
    expect((await paste('Call a tool:')).result.isError ?? false).toBe(false);
    const requests = (await (await fetch(`${sandbox}/__sandbox/requests`)).json()) as { url: string; body: string }[];
    expect(requests.at(-1)).toMatchObject({
      url: '/retrieval/retrievals',
      body: '{"query":"How many days of parental leave do employees in Berlin get?","top_k":2}',
    });
  });

  test('Ctrl-C stops it and leaves nothing behind', async () => {
    const leftovers = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('unified-tool-gateway-demo-'));
    const before = await leftovers();
    expect(await demo.stop()).toBe(0);
    expect((await leftovers()).length).toBe(before.length - 1);
  });
});

describe('npm run demo -- --check', () => {
  test('makes every call itself and succeeds', async () => {
    const check = runScript('scripts/demo/main.ts', ['--check']);
    expect([await check.ended(), check.output()]).toEqual([
      0,
      expect.stringContaining('All answers are as they should be.'),
    ]);
    expect(check.output()).toContain(`${toolNames.length} tools: `);
    expect(check.output()).toContain('portal, assistant');
  });

  test('a requested port that is in use is named, with a fix', async () => {
    const taken = await takePort();
    const { port } = taken.address() as { port: number };
    const check = runScript('scripts/demo/main.ts', ['--check', '--port', String(port)]);
    expect(await check.ended()).toBe(1);
    const [, named, free] = await check.waitFor(
      /Port (\d+) is taken\. Stop what uses it, or choose another: --port (\d+)/,
    );
    expect(Number(named)).toBe(port);
    expect(Number(free)).toBeGreaterThan(port);
    taken.close();
  });

  test('an invalid port is refused', async () => {
    const check = runScript('scripts/demo/main.ts', ['--port', 'abc']);
    expect(await check.ended()).toBe(2);
    expect(check.output()).toContain("'--port <port>' argument 'abc' is invalid. Use a whole number from 1 to 65535.");
  });
});

test('demos that start at the same time use different ports', { timeout: 60_000 }, async () => {
  const options = { port: null, sandboxPort: null, appPort: null };
  const demos = await Promise.all([startDemo(options), startDemo(options)]);
  try {
    expect(new Set(demos.map(({ facts }) => facts.url)).size).toBe(2);
    const [printed = ''] = demos.map(({ facts }) => demoStarted({ ...facts, notes: [] }, false));
    expect(printed.split('\n').length).toBeLessThan(28);
    expect(printed).toContain('npm run demo -- --verbose');
  } finally {
    await Promise.all(demos.map((one) => one.close()));
  }
});
