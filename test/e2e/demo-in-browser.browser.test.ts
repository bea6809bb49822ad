import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../../scripts/demo/start.ts';
import { press, typeKey } from '../../scripts/lab/screenshots/pictures.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { hasBrowser, LOOKS, launchBrowser, tabTo } from '../support/browser.ts';
import { findPageProblems } from '../support/page-problems.ts';

const IN_FRAME = 'Blocked autofocusing on a <input> element in a cross-origin subframe.';

describe.skipIf(!hasBrowser())('the way of an employee through the portal, in Chromium', () => {
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  let app: string;
  const problems: string[] = [];
  beforeAll(async () => {
    const [port, sandboxPort, appPort] = [await freePort(), await freePort(), await freePort()];
    demo = await startDemo({ port, sandboxPort, appPort });
    app = demo.facts.appOrigin;
    browser = await launchBrowser();
    const permissions = ['clipboard-read', 'clipboard-write'];
    page = await (await browser.newContext({ permissions, reducedMotion: 'reduce' })).newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' && message.text() !== IN_FRAME) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
  }, 90_000);
  afterAll(async () => {
    await browser.close();
    await demo.close();
  });

  async function lookAt(): Promise<void> {
    for (const { width, colorScheme } of LOOKS) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const found = await findPageProblems(page);
      expect(found.filter((problem) => !problem.startsWith('moved: '))).toEqual([]);
    }
  }

  test('connects services, gives a client access, approves a call, and takes the access back', {
    timeout: 240_000,
  }, async () => {
    await page.goto(app);
    await lookAt();
    await press(page, 'Sign in as Maya');
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    await lookAt();
    await page.goto(`${app}/clients/codex`);
    await page.getByText('Connect a service first.').waitFor();
    await lookAt();

    await page.goto(app);
    const connect = page.getByRole('button', { name: 'Connect Affinity' });
    await tabTo(page, connect);
    await page.keyboard.press('Enter');
    await page.frameLocator('iframe').locator('input[type=password]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('iframe').waitFor({ state: 'detached' });
    await connect.click();
    await typeKey(page, demo.facts.sandboxKey);
    await press(page, 'Connect BigMailer');
    await typeKey(page, demo.facts.sandboxKey);
    await lookAt();

    await page.goto(`${app}/clients/codex`);
    await press(page, 'Get a connection code');
    await page.getByText(/^(10:00|9:\d\d) left$/).waitFor();
    await page.getByRole('button', { name: 'Copy the connection code' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code).toBe(await page.locator('.code').innerText());
    await lookAt();

    await page.goto(`${app}/assistant`);
    await lookAt();
    await press(page, 'Start the assistant');
    await lookAt();
    const address = await page.getByRole('link', { name: 'Open the gateway’s page' }).getAttribute('href');
    await page.goto(address!);
    await page.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await press(page, 'Continue');
    await page.getByRole('radio', { name: 'Read, write and delete' }).check();
    await press(page, 'Allow');
    await page.getByText('I can use your services now.').waitFor();
    await press(page, 'Who do we know at Tidewater Analytics?');
    await page.getByRole('cell', { name: 'omar@tidewater.example' }).waitFor();
    await lookAt();

    const deletions = async (): Promise<number> =>
      (await (await fetch(demo.facts.sandboxOrigin)).text()).split('DELETE /mailer').length - 1;
    await press(page, 'Delete the newsletter list');
    await page.getByText('I need your approval to delete').waitFor();
    await lookAt();
    await page.getByRole('link', { name: /^Approvals 1 waiting for you/ }).click();
    await lookAt();
    await page.getByRole('button', { name: /^Review Delete a contact list/ }).click();
    await press(page, 'Open my page');
    expect(new URL(page.url()).pathname).toMatch(/^\/me\/approvals\/./);
    expect(await deletions()).toBe(0);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('approved').first().waitFor();
    await page.goto(`${app}/assistant`);
    await press(page, 'Try again');
    await page.getByText('Deleted the list Newsletter').waitFor();
    expect(await deletions()).toBe(1);

    await page.goto(`${app}/activity`);
    await page.getByText('BigMailer').first().waitFor();
    await lookAt();
    await page.goto(`${app}/access`);
    await page.getByRole('cell', { name: 'You are in the group sales.' }).waitFor();
    await lookAt();

    await page.goto(`${app}/clients`);
    await page.locator('.folded summary', { hasText: 'Sample Assistant' }).click();
    await lookAt();
    await press(page, 'Revoke Sample Assistant');
    await press(page, 'Revoke Sample Assistant now');
    await page.getByText('The client has lost its access.').waitFor();
    await page.getByText('No client may act for you.').waitFor();

    await page.goto(app);
    await press(page, 'Remove Affinity');
    await press(page, 'Remove Affinity now');
    await page.getByRole('button', { name: 'Connect Affinity' }).waitFor();
    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('connects a service with OAuth without scripts, and does not let the rules of a group be passed', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const noah = await context.newPage();
    await noah.goto(app);
    await press(noah, 'Sign in as Noah');
    await press(noah, 'Connect Sample Calendar');
    await press(noah, 'Continue with Sample Calendar');
    await press(noah, 'Allow');
    await noah.getByRole('button', { name: 'Reconnect Sample Calendar' }).waitFor();
    await noah.goto(`${app}/access`);
    await noah.getByRole('cell', { name: 'Read, change', exact: true }).waitFor();
    expect(await noah.getByRole('heading', { name: 'Everyone' }).count()).toBe(0);
    await context.close();
  });
});
