import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { styleguide } from '../../scripts/demo/styleguide.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { collectProblems, EVERY_LOOK, hasBrowser, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const PICTURES = resolve(import.meta.dirname, 'styleguide-pictures');
const FONTS = resolve(import.meta.dirname, '../../scripts/lab/screenshots/fonts.conf');

/** Share of the pixels that may differ: edges of letters are drawn differently by other versions of Chromium. */
const TOLERANCE = 0.01;

describe.skipIf(!hasBrowser())('the style guide', () => {
  let browser: Browser;
  let gateway: RunningGateway;

  beforeAll(async () => {
    const connectors = await loadConnectors();
    gateway = await startGateway({ connectors, secretOf: () => 'credential', modules: [styleguide] });
    browser = await launchBrowser({ FONTCONFIG_FILE: FONTS });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test.each(EVERY_LOOK)('looks at $width px in $colorScheme mode as in its picture', async ({ width, colorScheme }) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const problems: string[] = [];
    collectProblems(page, problems);
    await page.goto(new URL('/styleguide', gateway.url).href);
    const taken = await page.screenshot({ fullPage: true, caret: 'hide' });
    expect([...problems, ...(await findPageProblems(page))]).toEqual([]);
    await context.close();
    const file = join(PICTURES, `${width}-${colorScheme}.png`);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, taken);
    expect(differs(PNG.sync.read(taken), PNG.sync.read(readFileSync(file)))).toBeLessThan(TOLERANCE);
  });
});

/** The share of pixels that differ; 1 for pictures of different size. */
function differs(one: PNG, other: PNG): number {
  const { width, height } = one;
  if (width !== other.width || height !== other.height) return 1;
  return pixelmatch(one.data, other.data, null, width, height, { threshold: 0.1 }) / (width * height);
}
