import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const SECRET = 'typed-by-the-reader-4f9a';

describe.skipIf(!hasBrowser())('the page of the HTTP API in Chromium', () => {
  let gateway: RunningGateway;
  let browser: Browser;
  beforeAll(async () => {
    const connectors = [fakeConnector({ title: 'Library', tools: [fakeTool({ name: 'library_find' })] })];
    gateway = await startGateway({ connectors, secretOf: () => '' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const otherHosts: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(gateway.listensAt) && !url.startsWith('data:')) otherHosts.push(url);
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) problems.push(message.text());
    });
    await page.goto(gateway.listensAt + path);
    return { page, otherHosts, problems };
  }

  test.each(['light', 'dark'] as const)(
    'shows operations, and axe finds only a missing attribute of the viewer’s field for a user name (%s)',
    async (colorScheme) => {
      const { page, otherHosts, problems } = await open('/docs/api#tag/partners', { colorScheme });
      await page.getByRole('heading', { name: 'Partners', exact: true }).waitFor();
      await page.getByText('/api/partner/users', { exact: true }).first().waitFor();
      expect(await findPageProblems(page)).toEqual([
        expect.stringMatching(/^aria-required-attr: [^<]*<div[^<]*<\/div>$/),
      ]);
      expect([otherHosts, problems]).toEqual([[], []]);
      await page.context().close();
    },
  );

  test('sends a request to the gateway alone, with what was typed, and stores none of it', async () => {
    const { page, otherHosts, problems } = await open('/docs/api#tag/partners/GET/api/partner/services');
    await page.context().addCookies([{ name: 'session', value: 'of-another-page', url: gateway.listensAt }]);
    await page.getByRole('button', { name: 'Test Request (get /api/partner/services)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('acme');
    await dialog.getByLabel('Password').fill(SECRET);
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/partner/services');
    await dialog.getByRole('button', { name: 'Send get request to' }).click();
    const headers = await (await sent).allHeaders();
    expect(headers.authorization).toBe(`Basic ${btoa(`acme:${SECRET}`)}`);
    expect(headers).not.toHaveProperty('cookie');
    await dialog.getByText('invalid_client').first().waitFor();
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(stored).not.toContain(SECRET);
    expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
    expect([otherHosts, problems]).toEqual([[], []]);
    await page.context().close();
  });

  test('fits a phone', async () => {
    const { page } = await open('/docs/api', { viewport: { width: 390, height: 844 } });
    await page.getByRole('heading', { name: 'Unified Tool Gateway' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.context().close();
  });

  test('leads readers without a script to the description', async () => {
    const { page } = await open('/docs/api', { javaScriptEnabled: false });
    await page.getByRole('link', { name: '/api/openapi.yaml' }).waitFor();
    await page.context().close();
  });
});
