import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLAIN_RULES } from '../../../../../sandbox/oauth/rules.ts';
import { createUpstreamOAuth } from '../../../../../server/call/upstream/oauth/index.ts';
import type { Connector, CredentialPart, OAuth2Rules, Tool } from '../../../../../server/contract/index.ts';
import { freePort } from '../../../../../shared/cli/free-port.ts';
import type { McpTool } from '../../../../../shared/mcp/lock.ts';
import { fakeConnector } from '../../../../support/fake-connector.ts';
import { findTool } from '../../../../support/fuller-checks.ts';
import { type RunningGateway, startGateway } from '../../../../support/gateway.ts';
import { type AnyClient, CLIENTS } from '../../../../support/official-clients.ts';
import { openOutgoing } from '../../../../support/outgoing.ts';
import { createFixture } from '../../tools/support.ts';
import { mcpTool } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const EVERYTHING = findTool('@modelcontextprotocol/server-everything/dist/index.js') ?? '';
const MEMORY = findTool('@modelcontextprotocol/server-memory/dist/index.js') ?? '';
const WITH_OAUTH = join(
  ROOT,
  'node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js',
);

const children: ChildProcess[] = [];
const closings: (() => Promise<unknown>)[] = [];

async function startProgram(file: string, args: readonly string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  await new Promise<void>((done, fail) => {
    const onText = (text: Buffer) => /listening|running/i.test(text.toString()) && done();
    child.stdout?.on('data', onText);
    child.stderr?.on('data', onText);
    child.once('exit', (code) => fail(new Error(`${file} ended with ${code}`)));
  });
}

async function startBridge(file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-'));
  const env = { PATH: process.env.PATH ?? '', MEMORY_FILE_PATH: join(folder, 'memory.json') };
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const openSession = async () => {
    const stdio = new StdioClientTransport({ command: process.execPath, args: [file], env, stderr: 'ignore' });
    const http = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, http),
    });
    stdio.onmessage = (message) => void http.send(message as never);
    http.onmessage = (message) => void stdio.send(message as never);
    await stdio.start();
    await http.start();
    closings.push(() => stdio.close());
    return http;
  };
  const server = createServer(async (request, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '');
    if (id !== '' && !sessions.has(id)) return void response.writeHead(404).end();
    await (sessions.get(id) ?? (await openSession())).handleRequest(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closings.push(
    async () => server.closeAllConnections(),
    async () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function listTools(url: string, headers: Record<string, string> = {}): Promise<readonly McpTool[]> {
  const client = new Client({ name: 'list', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const anyResult = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } };
  const { tools } = (await client.request({ method: 'tools/list' }, anyResult)) as { tools: McpTool[] };
  await client.close();
  return tools;
}

function connectorOf(name: string, tools: readonly McpTool[], parts: readonly CredentialPart[] = []): Connector {
  const env = `${name.toUpperCase()}_BASE_URL`;
  const own = tools.map((tool): Tool => {
    const served = mcpTool(tool);
    return {
      ...served,
      name: `${name}_${tool.name.replaceAll('-', '_')}`,
      operation: { ...served.operation, server: `{${name}_base_url}` },
    };
  });
  const variables = [{ name: `${name}_base_url`, env, default: 'https://mcp.example', derive: null }];
  return {
    ...fakeConnector({ name, title: name, tools: own, parts }),
    servers: [{ url: `{${name}_base_url}`, variables }],
  };
}

let gateway: RunningGateway;
const clients = new Map<string, AnyClient>();

beforeAll(async () => {
  if (EVERYTHING === '' || MEMORY === '') return;
  const port = await freePort();
  const everything = `http://127.0.0.1:${port}/mcp`;
  await startProgram(EVERYTHING, ['streamableHttp'], { PORT: String(port) });
  const memory = await startBridge(MEMORY);
  const [ofEverything, ofMemory] = [await listTools(everything), await listTools(memory)];
  gateway = await startGateway({
    connectors: [connectorOf('everything', ofEverything), connectorOf('memory', ofMemory)],
    env: { EVERYTHING_BASE_URL: everything, MEMORY_BASE_URL: memory, CATALOGUE_MODE: 'full' },
    secretOf: () => '',
  });
  for (const [title, connect] of CLIENTS) clients.set(title, await connect(gateway));
}, 120_000);

afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await gateway?.close();
  for (const close of closings) await close();
  for (const child of children) child.kill();
});

describe.skipIf(EVERYTHING === '' || MEMORY === '').each(CLIENTS.map(([title]) => title))('%s', (title) => {
  const call = (name: string, args: Record<string, unknown> = {}) =>
    clients.get(title)!.callTool({ name, arguments: args });

  test('gets text, structured content, images and links of server-everything', async () => {
    expect((await call('everything_echo', { message: 'hi' })).content[0]?.text).toBe('Echo: hi');
    expect((await call('everything_get_sum', { a: 2, b: 3 })).content[0]?.text).toMatch(/5/);
    const weather = await call('everything_get_structured_content', { location: 'Chicago' });
    expect(weather.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    const image = await call('everything_get_tiny_image');
    expect(image.content.map(({ type }) => type)).toContain('image');
    const links = await call('everything_get_resource_links', { count: 2 });
    expect(links.content.filter(({ type }) => type === 'resource_link')).toHaveLength(2);
  });

  test('waits for a long call, and gets the words of an error as data', async () => {
    const long = await call('everything_trigger_long_running_operation', { duration: 0.2, steps: 2 });
    expect(long.content[0]?.text).toMatch(/completed/i);
    const wrong = await call('everything_get_resource_reference', { resourceType: 'Text', resourceId: 0.5 });
    expect(wrong.isError).toBe(true);
    expect(wrong.content[0]?.text).toMatch(/as data:/);
  });

  test('writes and reads the memory server behind a bridge', async () => {
    const name = `person of ${title}`;
    const entities = [{ name, entityType: 'person', observations: ['likes tea'] }];
    expect((await call('memory_create_entities', { entities })).structuredContent).toMatchObject({
      entities: [{ name }],
    });
    expect((await call('memory_search_nodes', { query: name })).structuredContent).toMatchObject({
      entities: [{ name }],
    });
  });
});

test('a server with OAuth gets the token of the user, which its own authorization server issued, and no other', async () => {
  const [port, authPort] = [await freePort(), await freePort()];
  await startProgram(WITH_OAUTH, ['--oauth'], { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) });
  const issuer = `http://localhost:${authPort}`;
  const redirectUri = 'http://127.0.0.1:9/connect/things/callback';
  const registration = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [redirectUri],
      client_name: 'gateway',
      token_endpoint_auth_method: 'client_secret_post',
    }),
  });
  const { client_id: clientId, client_secret: clientSecret } = (await registration.json()) as Record<string, string>;
  const resource = `http://localhost:${port}/mcp`;
  const rules: OAuth2Rules = {
    ...PLAIN_RULES,
    flow: 'authorization_code',
    authorizationUrl: `${issuer}/authorize`,
    tokenUrl: `${issuer}/token`,
    clientAuthentication: 'body',
    pkce: true,
    authorizeParameters: { resource },
    tokenParameters: { resource },
  };
  const outgoing = openOutgoing();
  const oauth = createUpstreamOAuth({ dispatcher: outgoing.dispatcher, userAgent: 'test' });
  const verifier = 'the-code-verifier-of-this-test-is-43-characters';
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  const state = 'the-state';
  const url = oauth.authorizationUrl(rules, {
    clientId: clientId!,
    redirectUri,
    state,
    codeChallenge,
    scopes: ['mcp:tools'],
  });
  const { headers } = await fetch(url, { redirect: 'manual' });
  const code = new URL(headers.get('location')!).searchParams.get('code')!;
  const client = { id: 'row', service: 'library', clientId: clientId!, clientSecret: clientSecret! };
  const tokens = await oauth.exchangeCode(
    rules,
    { client, code, redirectUri, codeVerifier: verifier },
    AbortSignal.timeout(10_000),
  );
  await outgoing.close();

  const tools = await listTools(resource, { authorization: `Bearer ${tokens.accessToken}` });
  const parts: CredentialPart[] = [{ id: 'account', type: 'oauth2', label: 'Account', oauth2: rules }];
  const connector = { ...connectorOf('library', tools, parts) };
  const open = (accessToken: string) =>
    createFixture({ connectors: [connector], origin: resource, fields: { 'account.access_token': accessToken } });
  const [allowed, refused] = [open(tokens.accessToken), open('the-token-of-the-client')];
  const greeting = await allowed.call('library_greet', { name: 'Ada' });
  expect(greeting.content[0]?.text).toBe('Hello, Ada!');
  expect((await refused.call('library_greet', { name: 'Ada' })).isError).toBe(true);
  expect(refused.records.map(({ outcome }) => outcome)).not.toContain('ok');
  await allowed.close();
  await refused.close();
}, 60_000);
