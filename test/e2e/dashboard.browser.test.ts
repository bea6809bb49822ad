import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const SECRET = 'the-secret-of-the-operator';
const CREDENTIAL = 'sandbox-credential';

describe.skipIf(!hasBrowser())('an operator with a phone and without JavaScript', () => {
  let browser: Browser;
  let page: Page;
  let gateway: RunningGateway;
  let sandbox: Awaited<ReturnType<typeof openSandbox>>;
  let origin: string;
  const problems: string[] = [];

  beforeAll(async () => {
    sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), port: 0, credential: CREDENTIAL });
    const settings = Object.assign({}, ...Object.values(sandbox.environment));
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => CREDENTIAL,
      env: { ADMIN_SECRET: SECRET, ...settings },
    });
    origin = new URL(gateway.url).origin;
    browser = await launchBrowser();
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    page = await context.newPage();
    page.on('console', (message) => problems.push(message.text()));
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await sandbox.close();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

  test('signs in and reaches the linked page', async () => {
    await page.goto(`${origin}/admin/users`);
    await page.locator('input:focus').waitFor();
    await page.getByLabel('Operator secret').fill(SECRET);
    await press('Sign in');
    expect(new URL(page.url()).pathname).toBe('/admin/users');
  });

  test('adds a partner and gets its secret', async () => {
    await page.goto(`${origin}/admin/partners`);
    await page.getByLabel('Name').fill('Acme');
    await press('Add partner');
    expect(await page.getByText(/^utg_ps_/).textContent()).toMatch(/^utg_ps_[A-Za-z0-9_-]{43}$/);
    await page.getByRole('link', { name: 'Continue to its settings' }).click();
    await page.getByLabel('Redirect URIs').fill('https://acme.example/back');
    await press('Save');
    await page.getByText('The settings were changed.').waitFor();
  });

  test('runs a tool as a user', async () => {
    await page.goto(`${origin}/admin/tools/retrieval_retrieve`);
    await page.getByLabel('As the user').selectOption({ label: 'ada (test)' });
    await page.getByLabel('query').fill('parental leave');
    await press('Run tool');
    expect(await page.locator('pre').first().textContent()).toContain('"scored_chunks"');
  });

  test('creates a test token that an MCP client can use', async () => {
    await page.goto(`${origin}/admin/users`);
    await page.getByRole('link', { name: 'ada' }).click();
    await page.getByText('Mint a test token').click();
    await page.getByLabel('Read-only').check();
    await press('Mint token');
    const token = (await page.locator('pre').first().textContent())!;
    const client = await connectClient({ url: gateway.url, token });
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).not.toContain(false);
  });

  test('sees what happened to a user, and signs out', async () => {
    await page.goto(`${origin}/admin/users`);
    await page.getByRole('link', { name: 'ada' }).click();
    await page.getByText('It has the tool: it is listed, and a call is made.').waitFor();
    await page.getByText('Tool tried').waitFor();
    await page.getByText('Access token minted').first().waitFor();
    await page.locator('summary', { hasText: 'Users' }).click();
    await press('Sign out');
    await page.goto(`${origin}/admin`);
    await page.getByLabel('Operator secret').waitFor();
    expect(problems).toEqual([]);
  });
});
