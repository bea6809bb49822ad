import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUpstreamClients } from '../../server/base/credentials/upstream-clients.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { oauth2Part } from '../support/oauth-rules.ts';
import { type OAuthUpstream, startOAuthUpstream } from '../support/oauth-upstream.ts';
import { findPageProblems } from '../support/page-problems.ts';
import { type PopupSite, popupResult, preparePopup, servePopupPage } from '../support/popup-page.ts';
import { vaultBeside } from '../support/vault-beside.ts';

const key = { id: 'key', type: 'header', label: 'API key', name: 'x-key' } as const;

describe.skipIf(!hasBrowser())('connectInFrame in Chromium, which blocks the cookies of other sites', () => {
  let browser: Browser;
  let context: BrowserContext;
  let upstream: OAuthUpstream;
  let gateway: RunningGateway;
  let site: PopupSite;
  let other: PopupSite;
  let hub: PopupSite;
  let user = '';
  let users = 0;
  const secrets = new Map<string, string>();

  const gatewayOrigin = () => new URL(gateway.url).origin;
  const send = async (path: string, body: object | URLSearchParams, partner = 'acme') => {
    const isForm = body instanceof URLSearchParams;
    const basic = Buffer.from(`${partner}:${secrets.get(partner)}`).toString('base64');
    const headers = { Authorization: `Basic ${basic}`, ...(isForm ? {} : { 'Content-Type': 'application/json' }) };
    const init = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) };
    return (await fetch(gatewayOrigin() + path, init)).json() as Promise<Record<string, string>>;
  };
  const mint = async (services: string[], changes: object = {}, partner = 'acme'): Promise<string> => {
    const back = partner === 'acme' ? site : other;
    const own = { redirect_uri: `${back.origin}/back`, state: 'state-1', allowed_origins: [back.origin] };
    return (await send('/api/partner/connect-sessions', { user_id: user, services, ...own, ...changes }, partner))
      .connect_url!;
  };

  beforeAll(async () => {
    upstream = await startOAuthUpstream();
    site = await servePopupPage(gatewayOrigin, 'localhost');
    other = await servePopupPage(gatewayOrigin, 'localhost');
    hub = await servePopupPage(gatewayOrigin, 'localhost');
    const signIn = (path: string) => oauth2Part(upstream.origin, { authorizationUrl: `${hub.origin}${path}` });
    const tool = (name: string) => fakeTool({ name: `${name}_list` });
    gateway = await startGateway({
      connectors: [
        fakeConnector({ tools: [tool('library')], parts: [key] }),
        fakeConnector({ name: 'hub', title: 'The hub', tools: [tool('hub')], parts: [signIn('/authorize')] }),
        fakeConnector({ name: 'cutter', title: 'Cutter', tools: [tool('cutter')], parts: [signIn('/cut/authorize')] }),
      ],
      env: { LIBRARY_BASE_URL: upstream.origin },
      secretOf: () => 'key',
    });
    const { db } = gateway.store;
    for (const [clientId, { origin }] of [
      ['acme', site],
      ['other', other],
    ] as const) {
      const settings = { clientId, name: clientId, redirectUris: [`${origin}/back`] };
      const { secret } = await db
        .transaction()
        .execute((transaction) => addPartner(transaction, settings, { now: Date.now() }));
      secrets.set(clientId, secret);
    }
    const clients = createUpstreamClients({ db, vault: await vaultBeside(gateway.store) });
    for (const service of ['hub', 'cutter']) {
      const client = { partnerId: null, service, clientId: 'gateway-at-hub', clientSecret: 'hub-secret' };
      await clients.put(client, { now: Date.now() });
    }
    browser = await launchBrowser({}, ['--test-third-party-cookie-phaseout']);
  });
  beforeEach(async () => {
    users += 1;
    user = `user-${users}`;
    context = await browser.newContext();
    return () => context.close();
  });
  afterAll(async () => {
    await browser.close();
    for (const each of [site, other, hub, gateway, upstream]) await each.close();
  });

  async function partnerPage(at = `${site.origin}/`): Promise<Page> {
    const page = await context.newPage();
    await page.goto(at);
    return page;
  }

  async function openFrame(page: Page, url: string, options: object = { state: 'state-1' }): Promise<Frame> {
    await preparePopup(page, url, options, 'connectInFrame');
    await page.focus('#go');
    await page.keyboard.press('Enter');
    const element = await page.waitForSelector('iframe');
    await page.waitForFunction(() => document.querySelector('iframe')?.src !== '');
    const frame = await element.contentFrame();
    if (frame === null) throw new Error('the frame has no document');
    await frame.waitForLoadState();
    return frame;
  }

  const redeem = async (result: unknown) =>
    send(
      '/api/oauth/token',
      new URLSearchParams({
        grant_type: 'authorization_code',
        code: (result as { code: string }).code,
        redirect_uri: `${site.origin}/back`,
        user_id: user,
      }),
    );
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

  test('connects with a key, by the keyboard alone, and gives the focus back', async () => {
    const page = await partnerPage();
    const frame = await openFrame(page, await mint(['library']));
    await expect.poll(() => frame.evaluate(() => document.activeElement?.id)).toBe('credential-0');
    await expect
      .poll(() => page.evaluate(() => document.querySelector('iframe')!.clientHeight))
      .toBe(await frame.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height)));
    expect(await frame.evaluate(() => document.documentElement.scrollHeight > innerHeight)).toBe(false);
    // The dialog grows with its content.
    expect((await findPageProblems(page)).filter((problem) => !problem.startsWith('moved'))).toEqual([]);
    await page.keyboard.type('my-key');
    await page.keyboard.press('Enter');
    const result = await popupResult(page);
    expect(result).toEqual({ code: expect.stringMatching(/^utg_cc_/), state: 'state-1' });
    expect([await page.locator('dialog').count(), await focused(page)]).toEqual([0, 'go']);
    expect(await context.cookies()).toEqual([]);
    expect(await redeem(result)).toMatchObject({ user_id: user, services: ['library'] });
  });

  test.each([
    ['Escape in the frame', null, 'Escape'],
    ['Escape next to the frame', 'Close', 'Escape'],
    ['its button', 'Close', 'Enter'],
  ])('closes with %s', async (_, button, key) => {
    const page = await partnerPage();
    const frame = await openFrame(page, await mint(['library']));
    await expect.poll(() => frame.evaluate(() => document.activeElement?.id)).toBe('credential-0');
    if (button !== null) await page.getByRole('button', { name: button }).focus();
    await page.keyboard.press(key);
    expect(await popupResult(page)).toEqual({ rejected: 'closed' });
    expect([await page.locator('dialog').count(), await focused(page)]).toEqual([0, 'go']);
  });

  test('fills an element of the page, and reports that the user cancelled', async () => {
    const page = await partnerPage();
    const url = await mint(['library']);
    await page.evaluate((address) => {
      const into = document.body.appendChild(document.createElement('section'));
      const { connectInFrame } = window.UnifiedToolGateway;
      connectInFrame(address, { into, state: 'state-1' }).catch(({ code }) =>
        Object.assign(window, { result: { rejected: code } }),
      );
    }, url);
    const frame = page.frameLocator('section iframe');
    await frame.getByRole('button', { name: 'Cancel' }).press('Enter');
    expect(await popupResult(page)).toEqual({ rejected: 'access_denied' });
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('signs in at a service in a window that the frame opens, between two services with keys', async () => {
    const page = await partnerPage();
    const frame = await openFrame(page, await mint(['library', 'hub']));
    await frame.getByLabel('API key').fill('my-key');
    await frame.getByRole('button', { name: 'Connect', exact: true }).press('Enter');
    const opened = page.waitForEvent('popup');
    await frame.getByRole('button', { name: 'Continue with The hub' }).press('Enter');
    const popup = await opened;
    await popup.getByRole('link', { name: 'Allow' }).waitFor();
    expect(await popup.evaluate(() => innerWidth)).toBe(520);
    await popup.getByRole('link', { name: 'Allow' }).focus();
    await popup.keyboard.press('Enter').catch(() => {});
    const result = await popupResult(page);
    expect(popup.isClosed()).toBe(true);
    expect(await redeem(result)).toMatchObject({ services: ['library', 'hub'] });
  });

  test('continues by its button after a sign-in that cut the window off, and shows the page again before', async () => {
    const page = await partnerPage();
    const frame = await openFrame(page, await mint(['cutter']));
    const opened = page.waitForEvent('popup');
    await frame.getByRole('button', { name: 'Continue with Cutter' }).press('Enter');
    const popup = await opened;
    await popup.getByRole('link', { name: 'Allow' }).waitFor();
    await frame.getByRole('button', { name: 'Continue', exact: true }).press('Enter');
    await frame.getByRole('button', { name: 'Continue', exact: true }).waitFor({ state: 'hidden' });
    await popup.getByRole('link', { name: 'Allow' }).click();
    await expect.poll(() => popup.isClosed()).toBe(true);
    const again = page.waitForEvent('popup');
    await frame.getByRole('button', { name: 'Continue with Cutter' }).press('Enter');
    await (await again).close();
    await frame.getByRole('button', { name: 'Continue', exact: true }).press('Enter');
    expect(await redeem(await popupResult(page))).toMatchObject({ services: ['cutter'] });
  });

  test('ignores messages of the page itself and of another frame, with the right text', async () => {
    const page = await partnerPage();
    const frame = await openFrame(page, await mint(['library']));
    const forged = {
      type: 'unified-tool-gateway:connect',
      version: 1,
      event: 'completed',
      code: 'forged',
      state: 'state-1',
    };
    await page.evaluate((message) => window.postMessage(message, '*'), forged);
    await page.evaluate((address) => {
      document.body.appendChild(document.createElement('iframe')).src = address;
    }, `${other.origin}/`);
    await expect.poll(() => page.frames().some((each) => each.url() === `${other.origin}/`)).toBe(true);
    const foreign = page.frames().find((each) => each.url() === `${other.origin}/`)!;
    await foreign.evaluate((message) => parent.postMessage(message, '*'), forged);
    await foreign.evaluate(
      (message) => parent.frames[0]!.postMessage(message, '*'),
      'unified-tool-gateway:connect:window-done',
    );
    await frame.getByLabel('API key').fill('my-key');
    await frame.getByRole('button', { name: 'Connect', exact: true }).press('Enter');
    expect(await popupResult(page)).toMatchObject({ code: expect.stringMatching(/^utg_cc_/) });
  });

  test.each([
    ['another site', () => mint(['library'])],
    ['the page of another partner', () => mint(['library'], { allowed_origins: [site.origin, other.origin] })],
  ])('is refused to %s', async (_, session) => {
    const page = await partnerPage(`${other.origin}/`);
    const frame = await openFrame(page, await session());
    expect(await popupResult(page)).toEqual({ rejected: 'frame_refused' });
    expect(frame.isDetached() || frame.url().startsWith('chrome-error:')).toBe(true);
  });

  test('is not shown to a site that frames the page of the partner, or that says it is the partner', async () => {
    const page = await partnerPage(`${other.origin}/`);
    const url = `${await mint(['library'])}&frame=${encodeURIComponent(site.origin)}`;
    await page.evaluate((address) => {
      document.body.appendChild(document.createElement('iframe')).src = address;
    }, url);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
    const nested = await partnerPage(`${other.origin}/`);
    await nested.evaluate((address) => {
      document.body.appendChild(document.createElement('iframe')).src = address;
    }, `${site.origin}/`);
    await expect.poll(() => nested.frames()[1]?.url()).toBe(`${site.origin}/`);
    const inner = nested.frames()[1]!;
    await inner.waitForLoadState();
    await inner.evaluate((address) => {
      document.body.appendChild(document.createElement('iframe')).src = address;
    }, url);
    await expect.poll(() => inner.childFrames()[0]?.url()).toMatch(/^chrome-error:/);
  });

  test.each([
    ['/me'],
    ['/admin'],
    ['/'],
    ['/api/mcp/oauth/authorize?client_id=x'],
    ['/connect/library?client_id=acme'],
  ])('shows no other page to the partner: %s', async (path) => {
    const page = await partnerPage();
    await page.evaluate((address) => {
      document.body.appendChild(document.createElement('iframe')).src = address;
    }, `${gatewayOrigin()}${path}`);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });
});
