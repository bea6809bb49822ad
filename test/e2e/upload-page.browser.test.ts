import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { mintUserLink } from '../../server/identity/partners/user-links.ts';
import { PDF, PNG, TOOL, upstreamState, WORLD } from '../server/modules/uploads/support.ts';
import { collectProblems, hasBrowser, LOOKS, launchBrowser, tabTo } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const FOLDER = process.env.SCREENSHOTS;

describe.skipIf(!hasBrowser())('the page of an upload in Chromium, without JavaScript', () => {
  let upstream: Server;
  let gateway: RunningGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let problems: string[];

  const call = async (name: string, args: object) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test inspects a raw answer
    return ((await response.json()) as any).result;
  };
  const ask = async (args: object = {}) =>
    (await call(TOOL, { tool: 'library_attach_picture', argument: 'file', ...args })).structuredContent.upload;
  const openAs = async (externalUserId: string, pageUrl: string) => {
    const { db } = gateway.store;
    const { id: partnerId } = await db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
    const link = await db.transaction().execute(async (transaction) => {
      const now = Date.now();
      const user = await ensureUser(transaction, { partnerId, externalUserId, now });
      return mintUserLink(transaction, user, { by: 'partner', now, target: new URL(pageUrl).pathname });
    });
    await page.goto(gateway.listensAt + link);
    await page.getByRole('button', { name: 'Open my page' }).click();
  };
  const visit = async (options: Parameters<Browser['newContext']>[0] = {}) => {
    await context?.close();
    context = await browser.newContext({ javaScriptEnabled: false, ...options });
    page = await context.newPage();
    collectProblems(page, problems);
  };

  beforeAll(async () => {
    upstream = createServer(WORLD.upstream);
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    gateway = await startGateway({
      connectors: WORLD.connectors,
      secretOf: () => 'secret',
      env: { LIBRARY_BASE_URL: `http://127.0.0.1:${port}` },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    upstream.close();
  });
  beforeEach(async () => {
    problems = [];
    await visit();
  });
  afterEach(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });

  test('takes a file with only the keyboard, and says what was wrong with the one before', async () => {
    const { handle, pageUrl } = await ask();
    await openAs('ada', pageUrl);
    const field = page.getByLabel(/^File to choose, or to drop here, at most 4 MiB/);
    expect(await field.getAttribute('accept')).toBe('image/png,image/jpeg');
    const button = page.getByRole('button', { name: 'Send the file' });
    await field.setInputFiles({ name: 'q3.pdf', mimeType: 'application/pdf', buffer: PDF });
    await button.click();
    expect(await page.getByRole('alert').textContent()).toContain('application/pdf');
    await page.getByLabel(/^File/).setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: PNG });
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The file has arrived' }).waitFor();
    expect((await call('library_attach_picture', { file: handle })).isError).toBeUndefined();
    expect(upstreamState.body.includes(PNG)).toBe(true);
    await page.goto(pageUrl);
    await page.getByRole('heading', { name: 'No file is awaited here' }).waitFor();
  });

  test.each(LOOKS)('has no problems at $width in $colorScheme', async ({ width, colorScheme }) => {
    await visit({ javaScriptEnabled: true, viewport: { width, height: 900 }, colorScheme });
    const name = `${'a name without end '.repeat(8)}.png`;
    const show = async (state: string) => {
      expect(await findPageProblems(page)).toEqual([]);
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect(isTooWide).toBe(false);
      if (FOLDER !== undefined)
        await page.screenshot({ path: join(FOLDER, `upload-${state}-${width}-${colorScheme}.png`), fullPage: true });
    };
    const { pageUrl } = await ask({ name });
    await page.goto(pageUrl);
    await show('sign-in');
    await openAs('eve', pageUrl);
    await show('someone-else');
    await openAs('ada', pageUrl);
    await show('asked');
    await page.getByLabel(/^File/).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PDF });
    await page.getByRole('button', { name: 'Send the file' }).click();
    await show('refused');
    await page.getByLabel(/^File/).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PNG });
    await page.getByRole('button', { name: 'Send the file' }).click();
    await page.getByRole('heading', { name: 'The file has arrived' }).waitFor();
    await show('done');
  });
});
