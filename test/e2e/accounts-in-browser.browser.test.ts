import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../../scripts/demo/start.ts';
import { press, typeKey } from '../../scripts/lab/screenshots/pictures.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { findPageProblems } from '../support/page-problems.ts';

const SIZES = [390, 1280].map((width) => ({ width, height: 900 }));

describe.skipIf(!hasBrowser())('several accounts of a service in the demo, in Chromium', () => {
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const [port, sandboxPort, appPort] = [await freePort(), await freePort(), await freePort()];
    demo = await startDemo({ port, sandboxPort, appPort });
    browser = await launchBrowser();
    page = await (await browser.newContext()).newPage();
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await demo.close();
  });

  async function lookAt(): Promise<void> {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
    }
    const found = await findPageProblems(page);
    expect(found.filter((problem) => !problem.startsWith('moved: '))).toEqual([]);
  }

  test('connects a second one, names it, offers it to a client, renames and removes it', async () => {
    const mailer = page.locator('#mailer');
    const { sandboxKey: key, appOrigin } = demo.facts;
    await page.goto(appOrigin);
    await press(page, 'Sign in as Maya');
    await press(page, 'Connect BigMailer');
    await typeKey(page, key);

    await press(page, 'Add another account of BigMailer');
    const frame = page.frameLocator('iframe');
    await frame.locator('input[type=password]').fill(key);
    await frame.getByRole('button', { name: 'Connect', exact: true }).click();
    await frame.getByRole('heading', { name: /^Which account of / }).waitFor();
    expect(await frame.getByRole('radio', { name: /^Add it as another account/ }).isChecked()).toBe(true);
    await frame.getByRole('textbox', { name: 'Name, if you add it' }).fill('no/name');
    await frame.getByRole('button', { name: 'Continue' }).click();
    await frame.getByText('This cannot be a name').waitFor();
    await frame.getByRole('textbox', { name: 'Name, if you add it' }).fill('Sailing club');
    await frame.getByRole('button', { name: 'Continue' }).click();
    await mailer.locator('strong', { hasText: 'Sailing club' }).waitFor();
    await mailer.locator('strong', { hasText: 'account-1' }).waitFor();
    await lookAt();

    await mailer.getByText('Rename Sailing club').click();
    await lookAt();
    const field = mailer.getByRole('textbox', { name: 'Name that assistants see' });
    await field.fill('no/name');
    await press(page, 'Rename');
    await page.getByText('The account keeps its name.').waitFor();
    await mailer.getByText('Rename Sailing club').click();
    await field.fill('Boat');
    await press(page, 'Rename');
    await mailer.locator('strong', { hasText: 'Boat' }).waitFor();

    await page.goto(`${appOrigin}/assistant`);
    await press(page, 'Start the assistant');
    const code = await page.locator('#code').innerText();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the gateway’s page' }).click();
    const tab = await opened;
    await tab.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText('account-1, Boat').waitFor();
    await tab.close();

    await page.goto(appOrigin);
    await press(page, 'Remove BigMailer: Boat');
    await press(page, 'Remove BigMailer: Boat now');
    await page.getByText('The account and its credential are removed.').waitFor();
    expect(await mailer.getByText('Boat').count()).toBe(0);
    expect(await mailer.getByRole('button', { name: 'Reconnect BigMailer' }).count()).toBe(1);
  });
});
