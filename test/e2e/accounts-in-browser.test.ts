import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../../scripts/demo/start.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { findAccessibilityProblems } from '../support/axe.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';

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

  async function lookAt(): Promise<void> {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
    }
    expect(await findAccessibilityProblems(page)).toEqual([]);
  }

  test('connects a second one, names it, calls it by its name, renames and removes it', async () => {
    const mailer = page.locator('#mailer');
    await page.goto(demo.facts.appOrigin);
    await page.getByRole('button', { name: 'Sign in as Maya' }).click();
    const key = await page.locator('#key').innerText();
    await mailer.getByRole('button', { name: 'Connect without a popup' }).click();
    await page.locator('input[type=password]').fill(key);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await mailer.getByRole('button', { name: 'Disconnect' }).waitFor();
    await mailer.getByRole('button', { name: 'Call a tool' }).click();
    expect(await page.locator('.sent').first().innerText()).not.toContain('"account"');
    await page.getByRole('link', { name: 'Back to your services' }).click();

    await mailer.getByRole('button', { name: 'Add another account' }).click();
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
    await page.locator('#events').getByText('account_name: Sailing club').first().waitFor();
    await lookAt();

    await mailer.getByRole('button', { name: 'Call a tool' }).last().click();
    const call = page.locator('.sent', { hasText: 'tools/call' });
    expect(await call.innerText()).toContain('"account": "Sailing club"');
    expect(await page.locator('.got').last().innerText()).toMatch(/^200\n/);
    expect(await page.locator('.refused').count()).toBe(0);
    await page.getByRole('link', { name: 'Back to your services' }).click();

    await page.getByRole('button', { name: 'See and change what clients may do' }).click();
    await page.getByRole('button', { name: 'Open my page' }).click();
    const card = page.locator('article', { hasText: ': Sailing club' });
    await card.getByText(/^Rename /).click();
    await lookAt();
    await card.getByRole('textbox').fill('Boat');
    await card.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByText('The account has its new name.').waitFor();
    await page.goto(demo.facts.appOrigin);
    await mailer.getByRole('heading', { name: 'Boat' }).waitFor();

    await page.getByRole('button', { name: 'No client? Use the built-in one' }).click();
    const code = await page.locator('#code').innerText();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the gateway’s page' }).click();
    const tab = await opened;
    await tab.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByText('account-1, Boat').waitFor();
    await tab.close();

    await page.getByRole('link', { name: 'Your application' }).click();
    await mailer.getByRole('button', { name: 'Disconnect' }).last().click();
    await page.getByText(' is disconnected.').waitFor();
    expect(await mailer.getByRole('button', { name: 'Disconnect' }).count()).toBe(1);
    expect(await mailer.getByText('Boat').count()).toBe(0);
    await mailer.getByRole('button', { name: 'Call a tool' }).click();
    expect(await call.innerText()).not.toContain('"account"');
    expect(await page.locator('.refused').count()).toBe(0);
  });
});
