/** Starts headless Chromium, where there is one. */

import { existsSync } from 'node:fs';
import { vi } from 'vitest';
import { CHROMIUM } from '../../scripts/screenshots/browser.ts';
import { skipBecause } from './fuller-checks.ts';

export { launchBrowser } from '../../scripts/screenshots/browser.ts';

/** More than the 30 s of one wait in Playwright, so that a wait fails with the name of what it waited for. */
const TEST_TIMEOUT_MS = 60_000;

/**
 * Whether there is a browser. Prints why the tests that need it are skipped, and gives the tests of the file time for one.
 *
 * @throws {Error} where there is none although nothing may be skipped.
 */
export function hasBrowser(): boolean {
  if (existsSync(CHROMIUM)) {
    vi.setConfig({ testTimeout: TEST_TIMEOUT_MS });
    return true;
  }
  skipBecause(`${CHROMIUM} is not installed (.ci/run installs it: apt-get install chromium)`);
  return false;
}
