import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findPartnerByClientId, updatePartner } from '../../server/base/store/repositories/partners.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const MAX_PAGE_BYTES = 60 * 1024;
const BACK = 'https://app.example/back';

describe.skipIf(!hasBrowser())('the connect page in Chromium', () => {
  let browser: Browser;
  let upstream: Server;
  let gateway: RunningGateway;
  let page: Page;
  let answer: (() => void) | null = null;
  let isSlow = false;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const isRight = request.headers['x-key'] === 'right-key';
      const send = () => {
        response.writeHead(isRight ? 200 : 401, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(isRight ? [] : { message: 'No such key' }));
      };
      if (isSlow) answer = send;
      else send();
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const tool = fakeTool({ name: 'library_list' });
    const parts = [{ id: 'key', type: 'header', label: 'API key', name: 'x-key' }] as const;
    const connector = fakeConnector({ tools: [tool], parts });
    gateway = await startGateway({
      connectors: [
        {
          ...connector,
          verify: { tool: tool.name, arguments: {} },
          credential: { ...connector.credential, url: 'https://keys.example/', help: 'Settings, API keys.' },
        },
      ],
      secretOf: () => 'right-key',
      env: { LIBRARY_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
    });
    const { db } = gateway.store;
    const { id } = (await findPartnerByClientId(db, 'test'))!;
    await updatePartner(db, id, { redirectUris: [BACK] });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    upstream?.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });
  afterEach(async () => {
    isSlow = false;
    await page.context().close();
  });

  async function open(options: BrowserContextOptions = {}): Promise<number> {
    page = await (await browser.newContext({ viewport: { width: 400, height: 640 }, ...options })).newPage();
    const query = new URLSearchParams({ client_id: 'test', user_id: 'grace', redirect_uri: BACK, state: 's' });
    const response = await page.goto(`${new URL(gateway.url).origin}/connect/library?${query}`);
    return (await response!.body()).length;
  }

  test('fits a popup of 400 x 640 pixels without scrolling, with Cancel in view', async () => {
    expect(await open()).toBeLessThan(MAX_PAGE_BYTES);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(640);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    const cancel = (await page.getByRole('button', { name: 'Cancel' }).boundingBox())!;
    expect(cancel.y + cancel.height).toBeLessThan(640);
    for (const button of await page.getByRole('button').all()) {
      expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
  });

  test('leads the keyboard from the field to Connect, Cancel and the details', async () => {
    await open();
    // `autofocus` takes effect with the first frame, which may come after the event `load`.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('credential-0');
    const names: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      names.push(await page.evaluate(() => document.activeElement!.id || document.activeElement!.textContent!.trim()));
      await page.keyboard.press('Tab');
    }
    expect(names).toEqual(['credential-0', 'Connect', 'Cancel', 'Details']);
  });

  test.each(['light', 'dark'] as const)(
    'has no finding of axe in %s mode, also after an error',
    async (colorScheme) => {
      await open({ colorScheme });
      await page.getByText('Details').click();
      expect(await findPageProblems(page)).toEqual([]);
      await page.getByLabel('API key').fill('wrong-key');
      await page.getByRole('button', { name: 'Connect' }).click();
      const alert = page.getByRole('alert');
      expect(await alert.innerText()).toContain('rejected this key');
      expect(await alert.innerText()).toContain('It says: “No such key”.');
      expect(await findPageProblems(page)).toEqual([]);
    },
  );

  test('says that the key is checked while it is, without moving anything', async () => {
    await open();
    const seen: string[] = [];
    await page.exposeFunction('report', (state: string) => seen.push(state));
    await page.evaluate(() => {
      const { report } = window as unknown as { report(state: string): void };
      const button = document.querySelector<HTMLButtonElement>('button.primary')!;
      const look = () => {
        const { width, height } = button.getBoundingClientRect();
        return [button.textContent, button.disabled, button.ariaBusy, width, height].join(' ');
      };
      report(look());
      new MutationObserver(() => report(look())).observe(button, { attributes: true, childList: true });
      new PerformanceObserver(() => report('shifted')).observe({ type: 'layout-shift', buffered: true });
    });
    isSlow = true;
    await page.getByLabel('API key').fill('wrong-key');
    await page.getByLabel('API key').press('Enter', { noWaitAfter: true });
    const busy = 'Checking with Library… true true 352 44';
    await expect.poll(() => seen.includes(busy), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => answer).not.toBeNull();
    answer!();
    await page.getByRole('alert').waitFor();
    expect([seen[0], seen.at(-1), seen.includes('shifted')]).toEqual(['Connect false  352 44', busy, false]);
    expect(await page.getByRole('button', { name: 'Connect' }).isEnabled()).toBe(true);
  });

  test('works without scripts', async () => {
    await open({ javaScriptEnabled: false });
    const back = page.waitForRequest((request) => request.url().startsWith(BACK));
    await page.getByLabel('API key').fill('right-key');
    await page.keyboard.press('Enter');
    expect((await back).url()).toMatch(/code=utg_cc_/);
  });

  test('does not name the gateway if the partner removed that', async () => {
    const { db } = gateway.store;
    const { id } = (await findPartnerByClientId(db, 'test'))!;
    await open();
    expect([await page.locator('footer').count(), await page.title()]).toEqual([
      1,
      'Connect Library · Unified Tool Gateway',
    ]);
    await page.context().close();
    await updatePartner(db, id, { footer: false });
    await open();
    expect([await page.locator('footer').count(), await page.title()]).toEqual([0, 'Connect Library']);
    expect(await page.locator('body').innerText()).not.toContain('Unified Tool Gateway');
    await updatePartner(db, id, { footer: true });
  });
});
