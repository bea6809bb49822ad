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

let shared: Promise<Browser> | undefined;

/**
 * Launches Chromium. Test files that share a process share the browser, if they ask for no variables and no flags: its `close` then closes only
 * their pages, and Chromium ends with the process.
 *
 * @param env replaces environment variables of the browser.
 * @param more flags.
 * @throws {Error} if Chromium is not installed.
 */
export function launchBrowser(
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<Browser> {
  const launch = () =>
    chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...more], env: { ...process.env, ...env } });
  if (Object.keys(env).length > 0 || more.length > 0) return launch();
  shared ??= launch().then(keepOpen);
  return shared;
}

function keepOpen(browser: Browser): Browser {
  browser.close = async () => {
    for (const context of browser.contexts()) await context.close();
  };
  browser.once('disconnected', () => {
    shared = undefined;
  });
  return browser;
}
