import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Connector } from '../../server/contract/index.ts';
import { CookieBrowser } from '../support/browser-with-cookies.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { oauth2Part } from '../support/oauth-rules.ts';
import { runScript } from '../support/run-script.ts';
import { signIn } from '../support/sign-in.ts';

const REDIRECT_URI = 'http://localhost:4000/connected';
const AWAY = /^http:\/\/localhost:4000\//;
const ROOT = resolve(import.meta.dirname, '../..');

/** Takes the place of every live service. */
let live: Server;
const reached: string[] = [];
beforeAll(async () => {
  live = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.writeHead(500).end();
  });
  await new Promise<void>((done) => live.listen(0, '127.0.0.1', done));
});
afterAll(() => live.close());
afterEach(() => expect(reached).toEqual([]));

function start(connectors: readonly Connector[], sandbox: string): Promise<RunningGateway> {
  const url = `http://127.0.0.1:${(live.address() as AddressInfo).port}`;
  const variables = connectors.flatMap(({ servers }) => servers.flatMap((server) => server.variables));
  const away = Object.fromEntries(variables.filter(({ derive }) => derive === null).map(({ env }) => [env, url]));
  return startGateway({ connectors, env: { ...away, TEST_SANDBOX_URL: sandbox }, secretOf: () => 'live-key' });
}

/** Runs `utg partner` next to the gateway. */
async function partner(gateway: RunningGateway, args: readonly string[], env: Record<string, string> = {}) {
  const { databaseUrl: DATABASE_URL, encryptionKeys: ENCRYPTION_KEYS } = gateway;
  const script = runScript('scripts/utg.ts', ['partner', ...args], { DATABASE_URL, ENCRYPTION_KEYS, ...env });
  return { code: await script.ended(), output: script.output() };
}

async function addPartner(gateway: RunningGateway, sandbox: string): Promise<string> {
  const added = ['add', '--name', 'Acme', '--client-id', 'acme', '--redirect-uri', REDIRECT_URI];
  expect((await partner(gateway, added)).code).toBe(0);
  const { output } = await partner(gateway, ['test-secret', '--client-id', 'acme'], { TEST_SANDBOX_URL: sandbox });
  const [, secret = ''] = /^client_id: {5}acme~test\nclient_secret: (utg_test_\S{43})\n$/.exec(output) ?? [];
  expect(secret).not.toBe('');
  return secret;
}

async function ask(gateway: RunningGateway, secret: string, path: string, body?: object | URLSearchParams) {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(new URL(path, gateway.url), {
    method: body === undefined ? 'DELETE' : 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`,
      ...(isForm || body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const mode = path.startsWith('/api/partner/') ? 'true' : null;
  expect([response.ok, response.headers.get('Test-Mode')]).toEqual([true, mode]);
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds is what the test looks at
  return text === '' ? null : (JSON.parse(text) as any);
}

async function redeem(gateway: RunningGateway, secret: string, back: URL): Promise<string> {
  const code = back.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'ada' };
  return (await ask(gateway, secret, '/api/oauth/token', new URLSearchParams(form))).access_token;
}

const sessionOf = (services: readonly string[]) => ({ user_id: 'ada', services, redirect_uri: REDIRECT_URI });

describe('a partner with a test secret', () => {
  const sandbox = runScript('scripts/utg.ts', ['sandbox', '--port', '0']);
  let gateway: RunningGateway;
  let origin: string;
  beforeAll(async () => {
    [, origin = ''] = await sandbox.waitFor(/Sandbox at (http:\S+)/);
    gateway = await start(await loadConnectors(), origin);
  });
  afterAll(async () => {
    await gateway?.close();
    await sandbox.stop();
  });

  test('gets from nothing to an MCP client whose calls the sandbox answers', async () => {
    const secret = await addPartner(gateway, origin);
    const { connect_url: url } = await ask(gateway, secret, '/api/partner/connect-sessions', sessionOf(['crm']));
    const browser = new CookieBrowser();
    const page = await browser.open(url);
    expect(page.text).toContain('Test mode');
    expect(page.text).toContain('A sandbox stands in for Affinity and accepts any value or account.');
    expect(page.text).not.toContain('Find it in');
    const back = await browser.submit(page, { decision: 'connect', 'credential-0': 'any key' }, { stopAt: AWAY });
    await redeem(gateway, secret, back.url);
    const connectionCode = async () =>
      (await ask(gateway, secret, '/api/mcp/oauth/sessions', { user_id: 'ada' })).session_token as string;
    const given = { issuer: new URL(gateway.url).origin, connectionCode } as Parameters<typeof signIn>[0];
    const { tokens } = await signIn(given, {});
    const client = await connectClient({ url: gateway.url, token: tokens.access_token ?? '' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name.split('_')[0])).toContain('crm');
    const name = tools.find(({ name, inputSchema }) => /list|search/.test(name) && !inputSchema.required?.length)?.name;
    const result = await client.callTool({ name: name ?? '', arguments: {} });
    expect(result.isError ?? false).toBe(false);
    await client.close();
    const requests = await (await fetch(`${origin}/__sandbox/requests`)).text();
    expect(requests).toMatch(/"service": ?"crm"/);
  });

  test('shows what it is on the command line, where its settings cannot be changed', async () => {
    const listed = await partner(gateway, ['list']);
    expect(listed.output).toMatch(/^acme~test {2}Acme {2}added .* secrets: 1 {2}test mode$/m);
    const shown = await partner(gateway, ['show', '--client-id', 'acme~test']);
    expect(shown.output).toMatch(/^test mode: {5}the settings are those of acme$/m);
    const set = await partner(gateway, ['set', '--client-id', 'acme~test', '--name', 'Other']);
    expect([set.code, set.output]).toEqual([2, expect.stringContaining('has the settings of "acme". Change those.')]);
    const refused = await partner(gateway, ['test-secret', '--client-id', 'acme']);
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining('set TEST_SANDBOX_URL to its address')]);
    const rotated = await partner(gateway, ['rotate-secret', '--client-id', 'acme~test']);
    expect([rotated.code, rotated.output]).toEqual([2, expect.stringContaining('Test mode is off')]);
  });
});

describe('a service with OAuth in test mode', () => {
  const login = 'https://login.hub.example';
  const parts = [oauth2Part(login, { issuer: login, scopes: ['things.read'] })];
  const hub = fakeConnector({ name: 'hub', title: 'Hub', tools: [fakeTool({ name: 'hub_list' })], parts });
  const content = { 'application/json': { schema: { type: 'object' }, example: { things: ['of the sandbox'] } } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Hub', version: '1' },
    paths: { '/things': { get: { operationId: 'list', responses: { 200: { description: 'Things', content } } } } },
  };

  test('signs in, renews and is revoked at the authorization server of the sandbox', async () => {
    const sandbox = await openSandbox({ root: ROOT, services: ['crm'], added: [{ connector: hub, document }] });
    const server = sandbox.authorizationServer('hub');
    const gateway = await start([hub], sandbox.origin);
    const secret = await addPartner(gateway, sandbox.origin);
    const { connect_url: url } = await ask(gateway, secret, '/api/partner/connect-sessions', sessionOf(['hub']));
    const browser = new CookieBrowser();
    const page = await browser.submit(await browser.open(url), { decision: 'connect', kind: '0' });
    expect(page.url.href).toContain(`${sandbox.origin}/hub/authorize?`);
    const back = await browser.submit(page, { user: 'ada', decision: 'allow' }, { stopAt: AWAY });
    const client = await connectClient({ url: gateway.url, token: await redeem(gateway, secret, back.url) });
    const call = async () => JSON.stringify(await client.callTool({ name: 'hub_list', arguments: {} }));
    expect(await call()).toContain('of the sandbox');
    server.expireAccessTokens();
    expect(await call()).toContain('of the sandbox');
    expect(server.counts['oauth:refresh'].granted).toBe(1);
    await ask(gateway, secret, '/api/partner/users/ada');
    await expect.poll(() => server.counts['oauth:revoke'].granted).toBe(2);
    await client.close();
    await gateway.close();
    await sandbox.close();
  });
});
