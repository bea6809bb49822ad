import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { hasBrowser, LOOKS, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const SECRET = 'the-secret-of-the-operator';
const FOLDER = process.env.SCREENSHOTS;

describe.skipIf(!hasBrowser())('the checklist of a new gateway', () => {
  let browser: Browser;
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => 'credential',
      env: { ADMIN_SECRET: SECRET },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test.each(LOOKS)('is accessible at $width px in $colorScheme mode', async ({ width, colorScheme }) => {
    const page = await (await browser.newContext({ viewport: { width, height: 844 }, colorScheme })).newPage();
    await page.goto(`${new URL(gateway.url).origin}/admin`);
    await page.getByLabel('Operator secret').fill(SECRET);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: /^Set up: \d of 5 done$/ }).waitFor();
    if (FOLDER !== undefined) await page.screenshot({ path: resolve(FOLDER, `checklist-${width}-${colorScheme}.png`) });
    expect(await findPageProblems(page)).toEqual([]);
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
    await page.getByRole('link', { name: 'Run a tool' }).click();
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
  });
});
