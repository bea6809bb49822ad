/** Starts headless Chromium. */

import { type Browser, chromium } from 'playwright-core';

/** As Debian and Ubuntu install it. */
export const CHROMIUM = '/usr/bin/chromium';

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
 * @param env replaces environment variables of the browser.
 * @throws {Error} where Chromium is not installed.
 */
export function launchBrowser(env: Readonly<Record<string, string>> = {}): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, env: { ...process.env, ...env } });
}
