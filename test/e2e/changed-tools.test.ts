import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { mintConnectionCode } from '../../server/identity/oauth/connection-codes.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { findPageProblems } from '../support/page-problems.ts';
import { consent } from '../support/scripted-browser.ts';
import { WHOLE_LIMITS } from '../support/whole-limits.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const TOOL = 'library_add_book';

let upstream: Server;
let gateway: RunningGateway;
let origin: string;

beforeAll(async () => {
  upstream = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end('{"added":true}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startGateway({
    connectors: [fakeConnector({ tools: [fakeTool({ name: TOOL, method: 'POST' })] })],
    secretOf: () => 'secret',
    env: { LIBRARY_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
  });
  origin = new URL(gateway.url).origin;
});
afterAll(async () => {
  await gateway?.close();
  upstream?.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

async function mint(): Promise<string> {
  const [user] = await findUsersByExternalId(gateway.store.db, 'ada');
  return mintConnectionCode(gateway.store.db, { userId: user!.id, limits: WHOLE_LIMITS, now: Date.now() });
}

async function signIn(): Promise<string> {
  const metadata = { client_name: 'Claude', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  const headers = { 'Content-Type': 'application/json' };
  const register = { method: 'POST', headers, body: JSON.stringify(metadata) };
  const client = (await (await fetch(`${origin}/api/mcp/oauth/register`, register)).json()) as { client_id: string };
  const code_verifier = randomBytes(32).toString('base64url');
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const answer = await consent({
    url: `${origin}/api/mcp/oauth/authorize?${request}`,
    connectionCode: await mint(),
  });
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    client_id: client.client_id,
    code_verifier,
  });
  const tokens = await (await fetch(`${origin}/api/mcp/oauth/token`, { method: 'POST', body })).json();
  return (tokens as { access_token: string }).access_token;
}

async function letTheToolHaveOnlyRead(): Promise<void> {
  const { db } = gateway.store;
  const old = { hash: 'old', facts: JSON.stringify({ [TOOL]: 'reads library.example' }), created_at: 1 };
  await db
    .insertInto('tool_facts')
    .values(old)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .updateTable('oauth_grants')
    .set({ permission: '{"seen":"old"}' })
    .where('client_id', 'is not', null)
    .execute();
}

describe.skipIf(!hasBrowser())('a tool that starts to write after a client was allowed to use it', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage({ javaScriptEnabled: true, viewport: { width: 390, height: 800 } });
  });
  afterEach(() => page.close());

  async function allow(url: string): Promise<void> {
    await page.goto(url);
    await page.getByText('It writes data. Before, it only read.').waitFor();
    expect(await findPageProblems(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Connection code' }).fill('0000-0000-0000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await findPageProblems(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole('textbox', { name: 'Connection code' }).fill(await mint());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The tool is allowed' }).waitFor();
    expect(await findPageProblems(page)).toEqual([]);
  }

  test('is called by the official client in one call after the user has allowed it', async () => {
    const token = await signIn();
    await letTheToolHaveOnlyRead();
    const client = new Client(
      { name: 'test-client', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { message, url } = params as { message: string; url: string };
      asked.push(message);
      await allow(url);
      return { action: 'accept' };
    });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
    const result = await client.callTool({ name: TOOL, arguments: {} });
    expect(asked).toEqual([
      `${TOOL} is riskier than what was allowed. It writes data. Before, it only read. Open the page to see it and to allow it, then continue.`,
    ]);
    expect(result.structuredContent).toEqual({ added: true });
    await client.close();
  }, 60_000);

  test('tells an older client in text where to allow it', async () => {
    const token = await signIn();
    await letTheToolHaveOnlyRead();
    const client = await connectClient({ url: gateway.url, token, mode: 'legacy' });
    const stopped = await client.callTool({ name: TOOL, arguments: {} });
    expect(stopped.isError).toBe(true);
    const [, url = ''] = /The user does that at (\S+?)"/.exec(JSON.stringify(stopped.content)) ?? [];
    await allow(url);
    expect((await client.callTool({ name: TOOL, arguments: {} })).structuredContent).toEqual({ added: true });
    await client.close();
  }, 60_000);
});
