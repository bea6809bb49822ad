/** What pictures are taken with: headless Chromium, and a clock that always shows the same time. */

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

export interface MovedClock {
  /** @param now milliseconds since 1970. The clock continues from there. */
  set(now: number): void;
  /** Restores the system's clock. */
  restore(): void;
}

/** Replaces `Date` for everything in this process. Timers are not affected. */
export function moveClock(now: number): MovedClock {
  const system = globalThis.Date;
  let ahead = now - system.now();
  const read = (): number => system.now() + ahead;
  globalThis.Date = new Proxy(system, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [read()] : given, made),
    get: (target, name) => (name === 'now' ? read : Reflect.get(target, name)),
  });
  return {
    set(moment) {
      ahead = moment - system.now();
    },
    restore() {
      globalThis.Date = system;
    },
  };
}
