/** Opens a gateway's consent page in Chromium, and runs a web site for the client. */

import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { mintConnectionCode } from '../../server/identity/oauth/connection-codes.ts';
import { collectProblems, launchBrowser } from './browser.ts';
import { fakeConnector, fakeTool } from './fake-connector.ts';
import { type RunningGateway, startGateway } from './gateway.ts';
import { WHOLE_LIMITS } from './whole-limits.ts';

export interface Site {
  readonly origin: string;
  /** Requested paths and queries, without icons. */
  readonly requests: string[];
  /** The site's answers, by path. */
  readonly pages: Map<string, { body?: string; location?: string }>;
  readonly server: Server;
}

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

/** The fixture of a test. Each test gets a new browser context and page. */
export interface ConsentInBrowser {
  gateway: RunningGateway;
  /** The gateway's origin. */
  origin: string;
  client: Site;
  context: BrowserContext;
  page: Page;
  /** Problems from the browser's console. A test with any of them fails. */
  problems: string[];
  readonly verifier: string;
  /** Restarts with other browser options. */
  visit(options: Parameters<Browser['newContext']>[0]): Promise<void>;
  /** Registers a client, and returns the address of its authorization request. */
  urlFor(options?: { name?: string; redirectUri?: string; scope?: string }): Promise<string>;
  /** Creates a connection code for `ada`. */
  mint(): Promise<string>;
  press(button: string): Promise<void>;
  /** Presses Tab until the element has the focus, at most `presses` times. A page that is still loading ignores keys. */
  tabTo(selector: string, presses: number): Promise<void>;
  /** Fills in and submits the first step. */
  type(code: string): Promise<void>;
}

/** Sets up `given` around the tests. */
export function givenConsentInBrowser(): ConsentInBrowser {
  let browser: Browser;
  const given = { verifier: randomBytes(32).toString('base64url') } as ConsentInBrowser;

  given.visit = async (options) => {
    await given.context?.close();
    given.context = await browser.newContext(options);
    given.page = await given.context.newPage();
    given.problems = [];
    collectProblems(given.page, given.problems);
  };
  given.urlFor = async ({ name = 'Claude', redirectUri = `${given.client.origin}/callback`, scope } = {}) => {
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: await register(given.origin, name, redirectUri),
      redirect_uri: redirectUri,
      state: 'state-1',
      code_challenge: createHash('sha256').update(given.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(scope === undefined ? {} : { scope }),
    });
    return `${given.origin}/api/mcp/oauth/authorize?${parameters}`;
  };
  given.mint = async () => {
    const { db } = given.gateway.store;
    const [user] = await findUsersByExternalId(db, 'ada');
    return mintConnectionCode(db, { userId: user!.id, limits: WHOLE_LIMITS, now: Date.now() });
  };
  given.press = (name) => given.page.getByRole('button', { name }).click();
  given.tabTo = async (selector, presses) => {
    const focused = given.page.locator(`${selector}:focus`);
    for (let press = 0; press < presses && (await focused.count()) === 0; press++)
      await given.page.keyboard.press('Tab');
    expect(await focused.count()).toBe(1);
  };
  given.type = async (code) => {
    await given.page.locator('input:focus').waitFor();
    await given.page.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await given.press('Continue');
  };

  beforeAll(async () => {
    const tools = [
      fakeTool({ name: 'library_list_books' }),
      fakeTool({ name: 'library_add_book', method: 'POST' }),
      fakeTool({ name: 'library_remove_book', method: 'DELETE', more: { annotations: DESTROYS } }),
    ];
    given.gateway = await startGateway({
      connectors: [fakeConnector({ tools }), fakeConnector({ name: 'archive', title: 'City Archive', tools: [] })],
      secretOf: () => 'secret',
      env: { LIBRARY_BASE_URL: 'http://127.0.0.1:9', PRIVATE_USE_REDIRECT_SCHEMES: 'com.example.app' },
    });
    given.origin = new URL(given.gateway.url).origin;
    [browser, given.client] = await Promise.all([launchBrowser(), startSite()]);
  });
  afterAll(async () => {
    await browser.close();
    await stopSite(given.client);
    await given.gateway.close();
  });
  beforeEach(async () => {
    given.client.requests.length = 0;
    given.client.pages.clear();
    await given.gateway.store.db.deleteFrom('attempt_counters').execute();
    await given.visit({});
  });
  afterEach(async () => {
    await given.context.close();
    expect(given.problems).toEqual([]);
  });
  return given;
}

async function register(origin: string, name: string, redirectUri: string): Promise<string> {
  const answer = await fetch(`${origin}/api/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
  });
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** A web site on loopback that answers everything. */
export async function startSite(host = '127.0.0.1'): Promise<Site> {
  const requests: string[] = [];
  const pages: Site['pages'] = new Map();
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    if (!url.startsWith('/favicon')) requests.push(url);
    const { body = '<title>client</title>', location } = pages.get(url.split('?')[0]!) ?? {};
    response.setHeader('Content-Type', 'text/html');
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { Location: location });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, requests, pages, server };
}

export async function stopSite(site: Site): Promise<void> {
  site.server.closeAllConnections();
  await new Promise((resolve) => site.server.close(resolve));
}
