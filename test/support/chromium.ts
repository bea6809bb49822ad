/** Headless Chromium: where it is, and how it is started. */

import { type Browser, chromium } from 'playwright-core';

/** Chromium without a window, in which the tests of pages take less than half the time. The path on Debian. */
export const CHROMIUM = '/usr/bin/chromium-headless-shell';

/** Disables background connections, which a closed network refuses. */
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
 * @param env replaces environment variables of the browser.
 * @param more flags.
 * @throws {Error} if Chromium is not installed.
 */
export function launchBrowser(
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...more], env: { ...process.env, ...env } });
}
