/** Starts headless Chromium, where there is one. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
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

/**
 * Whether there is a browser. Prints why the tests that need it are skipped.
 *
 * @throws {Error} where there is none although nothing may be skipped.
 */
export function hasBrowser(): boolean {
  if (existsSync(CHROMIUM)) return true;
  skipBecause(`${CHROMIUM} is not installed (.ci/run installs it: apt-get install chromium)`);
  return false;
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
