import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../../scripts/demo/start.ts';
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
  });
  afterAll(async () => {
    await browser.close();
    await demo.close();
  });

  /** Presses a button of an account's menu. */
  async function choose(label: string, account: Locator): Promise<void> {
    await account.getByText('More for', { exact: false }).click();
    await account.getByRole('button', { name: label, exact: true }).click();
  }

  async function lookAt(): Promise<void> {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
    }
    expect(await findPageProblems(page)).toEqual([]);
  }

  test('connects a second one, names it, calls it by its name, renames and removes it', async () => {
    const mailer = page.locator('#mailer');
    await page.goto(demo.facts.appOrigin);
    await page.getByRole('button', { name: 'Sign in as Maya' }).click();
    const key = await page.locator('#key').innerText();
    await choose('Connect without a popup', mailer);
    await page.locator('input[type=password]').fill(key);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await mailer.getByRole('button', { name: 'Disconnect' }).waitFor();
    await choose('Call a tool', mailer);
    expect(await page.locator('.sent').first().innerText()).not.toContain('"account"');
    await page.getByRole('link', { name: 'Back to your integrations' }).click();

    await choose('Add another account', mailer);
    await page.locator('input[type=password]').fill(key);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: /^Which account of / }).waitFor();
    await lookAt();
    expect(await page.getByRole('radio', { name: /^Add it as another account/ }).isChecked()).toBe(true);
    await page.getByRole('textbox', { name: 'Name, if you add it' }).fill('no/name');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This cannot be a name').waitFor();
    await lookAt();
    await page.getByRole('textbox', { name: 'Name, if you add it' }).fill('Sailing club');
    await page.getByRole('button', { name: 'Continue' }).click();
    await mailer.getByRole('heading', { name: 'Sailing club' }).waitFor();
    await mailer.getByRole('heading', { name: 'account-1' }).waitFor();
    await lookAt();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.locator('#events').getByText('account_name: Sailing club').first().waitFor();
    await lookAt();
    await page.getByRole('link', { name: 'Integrations' }).click();

    await choose('Call a tool', mailer.locator('.account').last());
    const call = page.locator('.sent', { hasText: 'tools/call' });
    expect(await call.innerText()).toContain('"account": "Sailing club"');
    expect(await page.locator('.got').last().innerText()).toMatch(/^200\n/);
    expect(await page.locator('.refused').count()).toBe(0);
    await page.getByRole('link', { name: 'Back to your integrations' }).click();

    await page.getByRole('link', { name: 'AI clients' }).click();
    await page.getByRole('button', { name: 'See and change what clients may do' }).click();
    await page.getByRole('button', { name: 'Open my page' }).click();
    const card = page.locator('.folded > li', { hasText: ': Sailing club' });
    await card.locator('summary').first().click();
    await card.getByText(/^Rename /).click();
    await lookAt();
    await card.getByRole('textbox').fill('Boat');
    await card.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByText('The account has its new name.').waitFor();
    await page.goto(demo.facts.appOrigin);
    await mailer.getByRole('heading', { name: 'Boat' }).waitFor();

    await page.getByRole('link', { name: 'Assistant', exact: true }).click();
    await page.getByRole('button', { name: 'Start the assistant' }).click();
    const code = await page.locator('#code').innerText();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the gateway’s page' }).click();
    const tab = await opened;
    await tab.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText('account-1, Boat').waitFor();
    await tab.close();

    await page.getByRole('link', { name: 'Integrations' }).click();
    await mailer.getByRole('button', { name: 'Disconnect' }).last().click();
    await page.getByText(' is disconnected.').waitFor();
    expect(await mailer.getByRole('button', { name: 'Disconnect' }).count()).toBe(1);
    expect(await mailer.getByText('Boat').count()).toBe(0);
    await choose('Call a tool', mailer);
    expect(await call.innerText()).not.toContain('"account"');
    expect(await page.locator('.refused').count()).toBe(0);
  });
});
