import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const SECRET = 'the-secret-of-the-operator-012345';
const PAGES = [
  '/tools',
  '/tools?q=contact',
  '/tools?q=%E5%9B%B3',
  '/tools/mailer',
  '/tools/mailer/mailer_upsert_contact',
  '/tools/datatable/datatable_get_datatable',
];

describe.skipIf(!hasBrowser())('the pages about tools in Chromium', () => {
  let gateway: RunningGateway;
  let browser: Browser;
  beforeAll(async () => {
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => 'key',
      env: { ADMIN_SECRET: SECRET },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(new URL(path, gateway.url).href);
    return page;
  }

  describe.each(['light', 'dark'] as const)('in %s mode', (colorScheme) => {
    test.each(PAGES)('%s is accessible on a desktop and on a phone', async (path) => {
      const page = await open(path, { colorScheme });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
        });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await findPageProblems(page)).toEqual([]);
      }
      await page.context().close();
    });
  });

  test('lead from a search to a tool with the keyboard and without scripts', async () => {
    const page = await open('/tools', { javaScriptEnabled: false });
    await page.getByRole('searchbox', { name: 'Find a tool' }).press('a');
    await page.getByRole('searchbox').fill('remove a contact');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'mailer_delete_contact' }).first().press('Enter');
    await page.getByRole('heading', { level: 1, name: 'mailer_delete_contact' }).waitFor();
    await page.getByRole('link', { name: 'BigMailer' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'BigMailer' }).waitFor();
    await page.context().close();
  });

  test('lead an operator to the form of a tool, with its example filled in', async () => {
    const page = await open('/tools/datatable/datatable_get_datatable');
    const block = await page.getByRole('group', { name: 'Example call' }).innerText();
    const example = JSON.parse(block).params.arguments;
    await page.getByRole('link', { name: 'Try it in the dashboard' }).click();
    await page.getByLabel('Operator secret').fill(SECRET);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'datatable_get_datatable' }).waitFor();
    expect(Object.keys(example)).toContain('datatableCode');
    for (const [name, value] of Object.entries(example)) {
      expect(await page.getByRole('textbox', { name }).first().inputValue()).toBe(value);
    }
    await page.context().close();
  });
});
