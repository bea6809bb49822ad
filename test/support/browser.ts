/** Starts headless Chromium, where there is one. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { vi } from 'vitest';
import { skipBecause } from './fuller-checks.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Without the background connections that a closed network refuses. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

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

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
