import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { searchAuditEvents } from '../../server/modules/audit/search.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { CookieBrowser, type Seen } from '../support/browser-with-cookies.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { OPENID_CLIENT, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { findPageProblems } from '../support/page-problems.ts';

let provider: OpenIdProvider;
let gateway: RunningGateway;
let origin: string;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  gateway = await startGateway({
    connectors: [],
    secretOf: () => '',
    env: {
      ADMIN_OPENID_ISSUER: provider.issuer,
      ADMIN_OPENID_CLIENT_ID: OPENID_CLIENT.id,
      ADMIN_OPENID_CLIENT_SECRET: OPENID_CLIENT.secret,
      ADMIN_OPENID_LOOK: '@example.com',
      ADMIN_OPENID_ACT: 'ada@example.com,groups=operators',
    },
  });
  origin = new URL(gateway.url).origin;
  provider.serve(`${origin}/admin/sign-in/callback`);
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.people.clear();
});

async function signIn(browser: CookieBrowser, sub: string, options: { stopAt?: RegExp } = {}): Promise<Seen> {
  const login = await browser.open(`${origin}/admin/sign-in/openid?next=%2Fadmin%2Fusers`);
  const consent = await browser.submit(login, { login: sub, password: 'any' });
  return browser.submit(consent, {}, options);
}

const latestEvent = async () => (await searchAuditEvents(gateway.store.db, {}, 1))[0]!;

describe('an operator who signs in with the company account', () => {
  test.each([
    ['by a verified address', { email: 'Ada@Example.com', email_verified: true }, 'ada@example.com', 'act'],
    ['by a claim', { groups: ['staff', 'operators'] }, 'openid:somebody', 'act'],
    ['by a domain', { email: 'grace@example.com', email_verified: true }, 'grace@example.com', 'look'],
  ])('gets a role %s', async (_title, person, name, role) => {
    provider.people.set('somebody', person);
    const browser = new CookieBrowser();
    const answer = await signIn(browser, 'somebody');
    expect([answer.status, answer.headers.get('refresh')]).toEqual([200, '0; url=/admin/users']);
    expect(await latestEvent()).toMatchObject({
      type: 'operator_signed_in',
      details: { operator: name, role, subject: 'somebody' },
    });
    const page = await browser.open(`${origin}/admin/partners`);
    expect(page.text).toContain(`<bdi>${name}</bdi>`);
    expect(page.text.includes('Add a partner')).toBe(role === 'act');
  });

  test.each([
    ['an unverified address', { email: 'ada@example.com', email_verified: false }],
    ['an address without email_verified', { email: 'ada@example.com' }],
    ['another domain', { email: 'ada@example.com.evil.example', email_verified: true }],
    ['another group', { groups: ['operators-of-something-else'] }],
    ['a string instead of a list of groups', { groups: 'operators,staff' }],
  ])('is not signed in with %s', async (_title, person) => {
    provider.people.set('somebody', person);
    const browser = new CookieBrowser();
    const answer = await signIn(browser, 'somebody');
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('You may not use this dashboard')]);
    expect((await browser.open(`${origin}/admin`)).url.pathname).toBe('/admin/sign-in');
    expect(await latestEvent()).toMatchObject({ type: 'operator_sign_in_refused', details: { subject: 'somebody' } });
  });

  test('is not signed in after cancelling at the company', async () => {
    const browser = new CookieBrowser();
    const login = await browser.open(`${origin}/admin/sign-in/openid`);
    const [, abort = ''] = /href="([^"]*\/abort)"/.exec(login.text) ?? [];
    const answer = await browser.open(new URL(abort, login.url));
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('You are not signed in')]);
  });

  test('can use an answer once, in the browser that began the sign-in', async () => {
    provider.people.set('ada', { email: 'ada@example.com', email_verified: true });
    const ada = new CookieBrowser();
    const { url } = await signIn(ada, 'ada', { stopAt: /\/callback\?/ });
    expect((await new CookieBrowser().open(url)).status).toBe(400);
    const thief = new CookieBrowser();
    await thief.open(`${origin}/admin/sign-in/openid`);
    expect((await thief.open(url)).status).toBe(400);
    expect((await ada.open(url)).status).toBe(200);
    expect((await ada.open(url)).status).toBe(502);
  });

  test('cannot use the answer to someone else’s sign-in', async () => {
    provider.people.set('eve', { groups: ['operators'] });
    const eve = new CookieBrowser();
    const { url: answer } = await signIn(eve, 'eve', { stopAt: /\/callback\?/ });
    const ada = new CookieBrowser();
    const begun = await ada.open(`${origin}/admin/sign-in/openid`, { stopAt: /\/auth\?/ });
    answer.searchParams.set('state', begun.url.searchParams.get('state')!);
    expect((await ada.open(answer)).status).toBe(502);
  });
});

describe.skipIf(!hasBrowser())('an operator with a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  test.each(['light', 'dark'] as const)('signs in from the page of another site in %s mode', async (colorScheme) => {
    for (const [width, email] of [
      [390, 'ada@example.com'],
      [1280, 'grace@example.com'],
    ] as const) {
      provider.people.set('somebody', { email, email_verified: true });
      const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
      await context.route(/^https:/, (route) => route.abort());
      const page = await context.newPage();
      await page.goto(`${origin}/admin/operators`);
      expect(await findPageProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Sign in with your company' }).click();
      await page.locator('input[name=login]').fill('somebody');
      await page.locator('input[name=password]').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${origin}/admin/operators`);
      await page.getByText('this one').waitFor();
      expect(await findPageProblems(page)).toEqual([]);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(width);
      await context.close();
    }
  });
});
