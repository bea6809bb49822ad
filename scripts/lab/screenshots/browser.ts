/** Starts headless Chromium. */

import { type Browser, chromium } from 'playwright-core';

/** The path on Debian and Ubuntu. */
export const CHROMIUM = '/usr/bin/chromium';

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
 * @throws {Error} if Chromium is not installed.
 */
export function launchBrowser(env: Readonly<Record<string, string>> = {}): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, env: { ...process.env, ...env } });
}
