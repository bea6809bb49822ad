import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { styleguide } from '../../scripts/demo/styleguide.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { collectProblems, hasBrowser, LOOKS, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

describe.skipIf(!hasBrowser())('the style guide', () => {
  let browser: Browser;
  let gateway: RunningGateway;

  beforeAll(async () => {
    const connectors = await loadConnectors();
    gateway = await startGateway({ connectors, secretOf: () => 'credential', modules: [styleguide] });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test.each(LOOKS)('is accessible and fits $width px in $colorScheme mode', async ({ width, colorScheme }) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const problems: string[] = [];
    collectProblems(page, problems);
    await page.goto(new URL('/styleguide', gateway.url).href);
    expect([...problems, ...(await findPageProblems(page))]).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await context.close();
  });
});
