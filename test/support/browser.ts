/** Starts headless Chromium, if it is installed, and says how pages are looked at. */

import { existsSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { vi } from 'vitest';
import { CHROMIUM } from './chromium.ts';
import { skipBecause } from './fuller-checks.ts';

export { launchBrowser } from './chromium.ts';

/** Longer than Playwright's 30 s for one wait, so that a failing wait names what it waited for. */
const TEST_TIMEOUT_MS = 60_000;

export interface Look {
  /** Of the screen, in CSS pixels. */
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

/** Each width in each scheme. */
const EVERY_LOOK: readonly Look[] = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/**
 * How pages are looked at: on both widths and in both schemes. A scheme changes colours alone, so two looks show both; where pictures are kept
 * (`SCREENSHOTS`), every one.
 */
export const LOOKS: readonly Look[] =
  process.env.SCREENSHOTS === undefined
    ? [
        { width: 390, colorScheme: 'dark' },
        { width: 1280, colorScheme: 'light' },
      ]
    : EVERY_LOOK;

const REFUSED_STATUS = /Failed to load resource: the server responded with a status of 4\d\d/;

/** Collects what the console shows and scripts throw, except the statuses of refusals that a test asks for. */
export function collectProblems(page: Page, problems: string[]): void {
  page.on('console', (message) => {
    if (!REFUSED_STATUS.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
}

/** Presses Tab until the target has the focus. @throws {Error} if 60 presses do not reach it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Tab does not reach ${target}.`);
}

/**
 * Whether there is a browser. If so, raises the timeout of the file's tests; otherwise prints why they are skipped.
 *
 * @throws {Error} if there is none although nothing may be skipped.
 */
export function hasBrowser(): boolean {
  if (existsSync(CHROMIUM)) {
    vi.setConfig({ testTimeout: TEST_TIMEOUT_MS });
    return true;
  }
  skipBecause(`${CHROMIUM} is not installed (.ci/run installs it: apt-get install chromium-headless-shell)`);
  return false;
}
