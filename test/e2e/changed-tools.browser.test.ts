import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { mintConnectionCode } from '../../server/identity/oauth/connection-codes.ts';
import { type Host, startHost } from '../server/call/upstream/support.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { findPageProblems } from '../support/page-problems.ts';
import { consent } from '../support/scripted-browser.ts';
import { v2Sdk } from '../support/sdk-sign-in.ts';
import { WHOLE_LIMITS } from '../support/whole-limits.ts';

const TOOL = 'library_add_book';

let upstream: Host;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await startHost((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end('{"added":true}');
  });
  gateway = await startGateway({
    connectors: [fakeConnector({ tools: [fakeTool({ name: TOOL, method: 'POST' })] })],
    secretOf: () => 'secret',
    env: { LIBRARY_BASE_URL: upstream.origin },
  });
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

async function mint(): Promise<string> {
  const [user] = await findUsersByExternalId(gateway.store.db, 'ada');
  return mintConnectionCode(gateway.store.db, { userId: user!.id, limits: WHOLE_LIMITS, now: Date.now() });
}

async function signIn(): Promise<string> {
  const { memory, connect, finish, Unauthorized } = v2Sdk(gateway.url);
  await expect(connect()).rejects.toThrow(Unauthorized);
  await finish((await consent({ url: memory.url!, connectionCode: await mint() })).searchParams);
  return memory.tokens!.access_token;
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
    await page.getByRole('link', { name: 'Use a connection code' }).click();
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
