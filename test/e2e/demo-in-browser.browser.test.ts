import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../../scripts/demo/start.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { findPageProblems } from '../support/page-problems.ts';

const DESKTOP = { width: 1200, height: 800 };
const PHONE = { width: 390, height: 800 };

describe.skipIf(!hasBrowser())('the story of the demo in Chromium', () => {
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  beforeAll(async () => {
    const [port, sandboxPort, appPort] = [await freePort(), await freePort(), await freePort()];
    demo = await startDemo({ port, sandboxPort, appPort });
    browser = await launchBrowser();
    page = await (
      await browser.newContext({ viewport: DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] })
    ).newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
  });
  afterAll(async () => {
    await browser.close();
    await demo.close();
  });

  const card = (service: string) => page.locator(`#${service}`);

  async function openPopup(service: string): Promise<Page> {
    const opened = page.waitForEvent('popup');
    await card(service).getByRole('button', { name: 'Connect', exact: true }).click();
    const popup = await opened;
    await popup.waitForURL(/\/connect\?session=/);
    return popup;
  }

  const openTab = (name: string) => page.getByRole('link', { name, exact: true }).click();

  /** Presses a button of a card's menu. */
  async function choose(label: string, service: string): Promise<void> {
    await card(service).getByText('More for', { exact: false }).click();
    await card(service).getByRole('button', { name: label, exact: true }).click();
  }

  async function lookAt(tab = page): Promise<void> {
    await tab.setViewportSize(PHONE);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
    await tab.setViewportSize(DESKTOP);
    expect(await findPageProblems(tab)).toEqual([]);
  }

  test('connects, gives a client access, calls a tool, breaks a credential, and recovers', async () => {
    const startedAt = Date.now();
    const lap = (what: string): void => {
      process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${what}\n`);
    };
    await page.goto(demo.facts.appOrigin);
    await lookAt();
    await page.getByRole('button', { name: 'Sign in as Maya' }).click();
    const key = await page.locator('#key').innerText();
    await lookAt();
    await openTab('AI clients');
    await page.getByText('Connect a service first.').waitFor();
    expect(await page.getByRole('button', { name: 'Get a connection code' }).isDisabled()).toBe(true);
    await lookAt();
    await openTab('Integrations');
    lap('signed in');

    const keyPopup = await openPopup('crm');
    await keyPopup.locator('input[type=password]').fill(key);
    await keyPopup.getByRole('button', { name: 'Connect', exact: true }).click();
    await card('crm').getByText('Connected', { exact: false }).first().waitFor();
    await card('crm').getByRole('button', { name: 'Disconnect' }).waitFor();
    lap('a service connected with a key, in a popup');

    const secondPopup = await openPopup('mailer');
    await secondPopup.locator('input[type=password]').fill(key);
    await secondPopup.getByRole('button', { name: 'Connect', exact: true }).click();
    await card('mailer').getByRole('button', { name: 'Disconnect' }).waitFor();

    const signInPopup = await openPopup('calendar');
    await signInPopup.getByRole('button', { name: 'Continue with Sample Calendar' }).click();
    await signInPopup.getByRole('button', { name: 'Allow' }).click();
    await card('calendar').getByRole('button', { name: 'Disconnect' }).waitFor();
    lap('a service connected with OAuth, in a popup');

    const retrievalPopup = await openPopup('retrieval');
    await retrievalPopup.locator('input[type=password]').fill(key);
    await retrievalPopup.getByRole('button', { name: 'Connect', exact: true }).click();
    await card('retrieval').getByRole('button', { name: 'Disconnect' }).waitFor();
    await lookAt();

    await openTab('AI clients');
    await page.getByRole('button', { name: 'Get a connection code' }).click();
    await page.locator('#code').waitFor();
    await lookAt();
    await openTab('Activity');
    await page.getByText('connection.created').first().waitFor();
    await lookAt();
    lap('a connection code, and the first webhook');

    await openTab('Assistant');
    await lookAt();
    await page.getByRole('button', { name: 'Start the assistant' }).click();
    const code = await page.locator('#code').innerText();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await lookAt();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the gateway’s page' }).click();
    const tab = await opened;
    await tab.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByRole('radio', { name: 'Read, write and delete' }).check();
    await tab.getByRole('button', { name: 'Allow' }).click();
    await tab.getByText('I can use your services now.').waitFor();
    await lookAt(tab);
    lap('the assistant allowed');

    const latest = tab.locator('#latest');
    const said = latest.locator('.said > p');
    await tab.getByRole('button', { name: 'How much parental leave' }).click();
    await said.filter({ hasText: 'up to 60 days of fully paid leave' }).waitFor();
    expect(await latest.getByText('Call retrieval_retrieve').isVisible()).toBe(false);
    await latest.getByText('1 request', { exact: true }).press('Enter');
    await latest.getByText('Call retrieval_retrieve').waitFor();
    await lookAt(tab);
    await tab.getByRole('button', { name: 'Who do we know' }).click();
    await latest.getByRole('cell', { name: 'omar@tidewater.example' }).waitFor();
    await tab.getByRole('button', { name: 'What is on my calendar?' }).click();
    await latest.getByRole('cell', { name: 'Team lunch' }).waitFor();
    await lookAt(tab);
    lap('questions asked and answered');

    const deletions = async (): Promise<number> =>
      (await (await fetch(demo.facts.sandboxOrigin)).text()).split('DELETE /mailer').length - 1;
    await tab.getByRole('button', { name: 'Delete the newsletter list' }).click();
    await said.filter({ hasText: 'I need your approval to delete' }).waitFor();
    await lookAt(tab);
    await latest.getByRole('button', { name: 'Review' }).click();
    await tab.getByRole('button', { name: 'Open my page' }).click();
    await tab.getByText('The client wrote these values.').waitFor();
    await lookAt(tab);
    expect(await deletions()).toBe(0);
    await tab.getByRole('button', { name: 'Approve' }).click();
    await tab.waitForLoadState();
    await tab.goto(`${demo.facts.appOrigin}/client`);
    await latest.getByRole('button', { name: 'Try again' }).click();
    await said.filter({ hasText: 'Deleted the list Newsletter' }).waitFor();
    expect(await deletions()).toBe(1);
    await tab.getByRole('button', { name: 'Delete the newsletter list' }).click();
    await said.filter({ hasText: 'no newsletter list any more' }).waitFor();
    expect(await deletions()).toBe(1);
    await tab.close();
    lap('a delete asked for, seen, approved and made once');

    const dashboard = await browser.newPage();
    await dashboard.goto(demo.facts.dashboardUrl);
    await dashboard.getByLabel('Operator secret').fill(demo.facts.adminSecret);
    await dashboard.getByRole('button', { name: 'Sign in', exact: true }).click();
    for (const tool of ['retrieval_retrieve', 'calendar_list_events', 'mailer_delete_list']) {
      await expect
        .poll(async () => {
          await dashboard.goto(`${demo.facts.dashboardUrl}/calls?tool=${tool}`);
          return dashboard.locator('tbody tr', { hasText: 'maya' }).count();
        })
        .toBeGreaterThan(0);
    }
    await dashboard.close();
    lap('the calls seen in the dashboard');

    await openTab('Integrations');
    await choose('Break its credential', 'crm');
    await page.getByRole('heading', { name: 'A call to Affinity' }).waitFor();
    await page.getByText('The sample service now refuses this credential').waitFor();
    await lookAt();
    await page.getByRole('link', { name: 'Back to your integrations' }).click();
    await card('crm').getByText('Needs attention').waitFor();
    await lookAt();
    await openTab('Activity');
    await page.locator('#events').getByText('connection.attention').waitFor();
    lap('a credential broken, and heard of by a webhook');

    await openTab('Integrations');
    await choose('Reconnect without a popup', 'crm');
    await page.locator('input[type=password]').fill(key);
    await page.getByRole('button', { name: 'Reconnect', exact: true }).click();
    await card('crm').getByRole('button', { name: 'Disconnect' }).waitFor();
    await openTab('Activity');
    await page.locator('#events').getByText('connection.recovered').waitFor();
    lap('the connection recovered, by a redirect');

    await openTab('AI clients');
    await page.getByRole('button', { name: 'See and change what clients may do' }).click();
    await page.waitForURL(`${new URL(demo.facts.url).origin}/me**`);
    await page.goto(`${demo.facts.appOrigin}/clients`);
    await page.getByRole('button', { name: 'Revoke Relay Assistant' }).click();
    await page.getByText('The client is revoked.').waitFor();
    await openTab('Integrations');
    await card('crm').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Affinity is disconnected.').waitFor();
    await openTab('Activity');
    await page.locator('#events').getByText('connection.removed').waitFor();
    lap('the client revoked, the service disconnected');

    await page.goto(demo.facts.sandboxOrigin);
    await page.getByText('GET /crm/v2/auth/whoami').first().waitFor();
    await lookAt();
    expect(problems).toEqual([]);
  });
});
