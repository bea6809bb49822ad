/** Starts headless Chromium, if it is installed. */

import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { CHROMIUM } from '../../scripts/lab/screenshots/browser.ts';
import { skipBecause } from './fuller-checks.ts';

export { launchBrowser } from '../../scripts/lab/screenshots/browser.ts';

/** Longer than Playwright's 30 s for one wait, so that a failing wait names what it waited for. */
const TEST_TIMEOUT_MS = 60_000;

const REFUSED_STATUS = /Failed to load resource: the server responded with a status of 4\d\d/;

/** Collects what the console shows and scripts throw, except the statuses of refusals that a test asks for. */
export function collectProblems(page: Page, problems: string[]): void {
  page.on('console', (message) => {
    if (!REFUSED_STATUS.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
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
  skipBecause(`${CHROMIUM} is not installed (.ci/run installs it: apt-get install chromium)`);
  return false;
}
