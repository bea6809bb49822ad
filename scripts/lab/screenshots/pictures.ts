/** The pictured pages, and how a user gets to them. Each continues where the previous one ended. */

import type { Locator, Page } from 'playwright-core';
import type { DemoFacts } from '../../demo/text.ts';
import { renderPullRequest } from './pull-request.ts';

interface Picture {
  /** File name without the color scheme. */
  readonly name: string;
  /** Opens the page, and leaves the browser on it. */
  open(page: Page, facts: DemoFacts): Promise<void>;
}

const REPORT = 'test/codegen/report/cases/introduces-instruction/report.md';

export const PICTURES: readonly Picture[] = [
  {
    name: 'connect',
    async open(page, { appOrigin }) {
      await page.goto(appOrigin);
      await press(page, 'Sign in as Maya');
      await press(page, 'Connect Metronome');
      await keyField(page).waitFor();
    },
  },
  {
    name: 'consent',
    async open(page, { sandboxKey }) {
      await typeKey(page, sandboxKey);
      await press(page, 'Connect Ragie');
      await typeKey(page, sandboxKey);
      await page.getByRole('link', { name: 'Assistant', exact: true }).click();
      await press(page, 'Start the assistant');
      const code = await page.locator('#code').innerText();
      await openConsentPage(page);
      await page.getByRole('textbox', { name: 'Connection code' }).fill(code);
      await press(page, 'Continue');
      await page.getByRole('button', { name: 'Allow' }).waitFor();
    },
  },
  {
    name: 'assistant',
    async open(page) {
      await press(page, 'Allow');
      await press(page, 'How much parental leave do employees in Berlin get?');
      await page.getByText('60 days').first().waitFor();
    },
  },
  {
    name: 'portal-services',
    async open(page, { appOrigin }) {
      await page.goto(appOrigin);
      await page.getByRole('button', { name: 'Remove Ragie', exact: true }).waitFor();
    },
  },
  {
    name: 'portal-client',
    async open(page, { appOrigin }) {
      await page.goto(`${appOrigin}/clients/claude-code`);
      await press(page, 'Get a connection code');
      await page.locator('.code').waitFor();
    },
  },
  {
    name: 'dashboard',
    async open(page, { dashboardUrl, adminSecret }) {
      await page.goto(dashboardUrl);
      await page.getByLabel('Operator secret').fill(adminSecret);
      await press(page, 'Sign in');
      // Calls are recorded a moment after they are answered.
      await page.goto(`${dashboardUrl}/calls`);
      while (!(await page.getByRole('link', { name: 'maya' }).first().isVisible())) await page.reload();
      await page.goto(dashboardUrl);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    },
  },
  {
    name: 'playground',
    async open(page, { dashboardUrl }) {
      await page.goto(`${dashboardUrl}/tools/retrieval_retrieve`);
      await page.getByLabel('query').fill('How much parental leave do employees in Berlin get?');
      await page.getByLabel('As the user').selectOption({ label: 'maya (Sample Portal)' });
      await press(page, 'Run tool');
      await page.getByRole('heading', { name: 'Result' }).waitFor();
    },
  },
  {
    name: 'tools',
    async open(page, { url }) {
      await page.goto(new URL('/tools', url).href);
      await page.getByLabel('Find a tool').fill('add a contact');
      await press(page, 'Search');
      await page.getByRole('heading', { name: /found|matches/ }).waitFor();
    },
  },
  {
    name: 'tool',
    async open(page) {
      await page.getByRole('link', { name: 'mailer_create_contact' }).click();
      await page.getByRole('heading', { name: 'Example call' }).waitFor();
    },
  },
  {
    name: 'tool-report',
    async open(page) {
      // Opens a new document: otherwise the policy of the previous page would apply.
      await page.goto('about:blank');
      await page.setContent(await renderPullRequest(REPORT));
      for (const folded of ['1 change', '1 text']) await page.getByText(folded, { exact: true }).click();
    },
  },
];

/** The field for a key on the connect page, which the portal shows in a frame. */
export function keyField(page: Page): Locator {
  return page.frameLocator('iframe').locator('input[type=password]');
}

/** Types the key, presses Connect, and waits until the portal says that it is done. */
export async function typeKey(page: Page, key: string): Promise<void> {
  await keyField(page).fill(key);
  // The status of the service before may still be on the page.
  const loaded = page.waitForEvent('load');
  await page.frameLocator('iframe').getByRole('button', { name: 'Connect', exact: true }).click();
  await loaded;
  await page.getByRole('status').filter({ hasText: 'Connected.' }).waitFor();
}

/** Follows the link of the assistant's page. */
export async function openConsentPage(page: Page): Promise<void> {
  const address = await page.getByRole('link', { name: 'Open the gateway’s page' }).getAttribute('href');
  await page.goto(address ?? '');
}

/** Presses the button with exactly this name. */
export function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}
