import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/start.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { findPageProblems } from '../support/page-problems.ts';
import { authorizeUrl, startCalendar } from './oauth-support.ts';

describe.skipIf(!hasBrowser())('the sandbox’s authorize page in Chromium', () => {
  let sandbox: Sandbox;
  let browser: Browser;
  beforeAll(async () => {
    sandbox = await startCalendar();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  test('is accessible, and Allow sends the browser back with a code', async () => {
    const page = await browser.newPage();
    const redirectUri = `${sandbox.origin}/back`;
    await page.goto(authorizeUrl(sandbox, { redirect_uri: redirectUri }));
    expect(await findPageProblems(page)).toEqual([]);
    await page.getByText('Any name works.').waitFor();
    await page.getByLabel('User name').fill('grace');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(/\/back\?code=sandbox_code_/);
    expect(new URL(page.url()).searchParams.get('state')).toBe('the-state');
  });
});
