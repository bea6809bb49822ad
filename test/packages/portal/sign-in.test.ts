import { afterAll, beforeAll, expect, test } from 'vitest';
import { CookieBrowser } from '../../support/browser-with-cookies.ts';
import { type RunningPortal, startSamplePortal } from '../../support/portal.ts';

let portal: RunningPortal;

beforeAll(async () => {
  portal = await startSamplePortal();
});

afterAll(() => portal.close());

test('a sample person signs in, and signs out again', async () => {
  const browser = new CookieBrowser();
  const form = await browser.open(`${portal.origin}/?from=mail`);
  expect([form.url.pathname, form.text.includes('Maya')]).toEqual(['/sign-in', true]);
  const start = await browser.submit(form, { person: 'maya' });
  expect([start.status, start.url.search]).toEqual([200, '?from=mail']);
  expect(start.text).toContain('Maya');
  expect(start.headers.get('content-security-policy')).toContain("default-src 'none'");

  const forged = await browser.open(`${portal.origin}/sign-out`, { body: new URLSearchParams({ csrf: 'x' }) });
  expect(forged.status).toBe(403);
  expect((await new CookieBrowser().open(`${portal.origin}/`)).url.pathname).toBe('/sign-in');
});
