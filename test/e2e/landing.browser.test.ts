import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, LOOKS, launchBrowser, tabTo } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

describe.skipIf(!hasBrowser())('the landing page in Chromium', () => {
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
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
    const page = await context.newPage();
    await page.goto(new URL(path, gateway.url).href);
    return page;
  }

  test('copies the text that is shown', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(gateway.url);
    await page.context().close();
  });

  test('shows the steps of one client, chosen with the keyboard, with the link first', async () => {
    const page = await open('/');
    const panels = page.locator('.panel:visible');
    expect(await panels.allInnerTexts()).toEqual([expect.stringContaining('Add to Claude')]);
    await tabTo(page, page.getByRole('radio', { name: 'Claude', exact: true }));
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowRight');
    expect(await panels.allInnerTexts()).toEqual([expect.stringContaining('Add to Cursor')]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add to Cursor');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('the text for Cursor');
    await page.context().close();
  });

  test.each(['/', '/api/mcp/unified', '/nowhere'])('%s fits a phone, with every client open', async (path) => {
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    const cut = await page.evaluate(() => {
      for (const panel of document.querySelectorAll<HTMLElement>('.panel')) panel.style.display = 'block';
      return [document.documentElement, ...document.querySelectorAll('main *')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
        .map((element) => element.outerHTML.slice(0, 80));
    });
    expect(cut).toEqual([]);
    await page.context().close();
  });

  test.each(LOOKS)('is accessible at $width px in $colorScheme mode', async ({ width, colorScheme }) => {
    const page = await open('/', { viewport: { width, height: 844 }, colorScheme });
    expect(await findPageProblems(page)).toEqual([]);
    await page.context().close();
  });

  test('shows everything without scripts, and no button without a function', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    expect(await page.locator('button').count()).toBe(0);
    await page.getByText('Cursor', { exact: true }).click();
    await page.getByRole('link', { name: 'Add to Cursor' }).waitFor();
    expect(await page.locator('.panel:visible').count()).toBe(1);
    await page.context().close();
  });
});
