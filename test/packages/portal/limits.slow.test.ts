import { afterAll, beforeAll, expect, test } from 'vitest';
import { CookieBrowser } from '../../support/browser-with-cookies.ts';
import { type RunningPortal, startSamplePortal } from '../../support/portal.ts';

let portal: RunningPortal;

beforeAll(async () => {
  portal = await startSamplePortal();
});

afterAll(() => portal.close());

async function signIn(person: string): Promise<CookieBrowser> {
  const browser = new CookieBrowser();
  await browser.submit(await browser.open(`${portal.origin}/sign-in`), { person });
  return browser;
}

async function statusesOf(count: number, send: () => Promise<{ readonly status: number }>): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < count; sent += 10) {
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    for (const { status } of answers) statuses.add(status);
  }
  return statuses;
}

test('a person has a limit of their own, and so have visitors of one address, whatever others there send', async () => {
  const [maya, noah] = [await signIn('maya'), await signIn('noah')];
  const sendForm = async (browser: CookieBrowser) =>
    browser.open(`${portal.origin}/sign-out`, { body: new URLSearchParams({ csrf: 'x' }) });
  expect(await statusesOf(290, () => sendForm(maya))).toEqual(new Set([403]));
  expect(await statusesOf(20, () => sendForm(maya))).toContain(429);
  expect((await sendForm(noah)).status).toBe(403);
  const visit = () => fetch(`${portal.origin}/signed-out`);
  expect(await statusesOf(550, visit)).toEqual(new Set([200]));
  expect(await statusesOf(100, visit)).toContain(429);
  expect((await sendForm(noah)).status).toBe(403);
});
