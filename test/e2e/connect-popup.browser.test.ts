import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type PopupSite, popupResult, preparePopup, servePopupPage } from '../support/popup-page.ts';

const tool = fakeTool({ name: 'library_list' });
const parts = [{ id: 'key', type: 'header', label: 'API key', name: 'x-key' }] as const;
const connectors = [fakeConnector({ tools: [tool], parts })];

describe.skipIf(!hasBrowser())('connect.js in Chromium', () => {
  let browser: Browser;
  let gateway: RunningGateway;
  let site: PopupSite;
  let other: PopupSite;
  let basic: string;

  const gatewayOrigin = () => new URL(gateway.url).origin;

  async function mint(): Promise<string> {
    const response = await fetch(`${gatewayOrigin()}/api/partner/connect-sessions`, {
      method: 'POST',
      headers: { Authorization: basic, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        user_id: 'grace',
        services: ['library'],
        redirect_uri: `${site.origin}/back`,
        state: 'state-1',
        allowed_origins: [site.origin],
      }),
    });
    return ((await response.json()) as { connect_url: string }).connect_url;
  }

  async function openPopup(page: Page): Promise<Page> {
    const opened = page.waitForEvent('popup');
    await page.click('#go');
    const popup = await opened;
    await popup.waitForURL(`${gatewayOrigin()}/connect?session=*`);
    return popup;
  }

  beforeAll(async () => {
    gateway = await startGateway({ connectors, secretOf: () => 'key' });
    site = await servePopupPage(gatewayOrigin);
    other = await servePopupPage(gatewayOrigin);
    const settings = { clientId: 'acme', name: 'Acme', redirectUris: [`${site.origin}/back`] };
    const { secret } = await gateway.store.db
      .transaction()
      .execute((transaction) => addPartner(transaction, settings, { now: Date.now() }));
    basic = `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
    await other.close();
    await gateway.close();
  });

  async function partnerPage(at = `${site.origin}/`): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(at);
    return page;
  }

  test('opens the page on the click, gets only the code and the state, and closes the popup', async () => {
    const page = await partnerPage();
    await preparePopup(page, await mint());
    const popup = await openPopup(page);
    await popup.getByLabel('API key').fill('my-key');
    const closed = popup.waitForEvent('close');
    await popup.getByRole('button', { name: 'Connect', exact: true }).click();
    await popup.getByRole('heading', { name: 'Library is connected' }).waitFor();
    expect(await popupResult(page)).toEqual({ code: expect.stringMatching(/^utg_cc_/), state: 'state-1' });
    await closed;
    await page.context().close();
  });

  test('reports that the user cancelled or closed the window', async () => {
    const page = await partnerPage();
    await preparePopup(page, await mint());
    const popup = await openPopup(page);
    await popup.getByRole('button', { name: 'Cancel' }).click();
    expect(await popupResult(page)).toEqual({ rejected: 'access_denied' });

    const second = await partnerPage();
    await preparePopup(second, await mint());
    await (await openPopup(second)).close();
    expect(await popupResult(second)).toEqual({ rejected: 'closed' });
    await page.context().close();
    await second.context().close();
  });

  test('rejects an answer with another state and a connect_url of another gateway', async () => {
    const page = await partnerPage();
    await preparePopup(page, await mint(), { state: 'another' });
    const popup = await openPopup(page);
    await popup.getByRole('button', { name: 'Cancel' }).click();
    expect(await popupResult(page)).toEqual({ rejected: 'invalid_state' });

    const second = await partnerPage();
    await preparePopup(second, `${other.origin}/connect?token=x`);
    await second.click('#go');
    expect(await popupResult(second)).toEqual({ rejected: 'invalid_url' });
    await page.context().close();
    await second.context().close();
  });

  test('does not open for a site that is not in the session', async () => {
    const page = await partnerPage(`${other.origin}/`);
    await preparePopup(page, await mint());
    const opened = page.waitForEvent('popup');
    await page.click('#go');
    const popup = await opened;
    await popup.getByText('This window cannot answer').waitFor();
    await page.context().close();
  });

  test('ignores messages from other windows', async () => {
    const page = await partnerPage();
    await preparePopup(page, await mint());
    const popup = await openPopup(page);
    await page.evaluate(() =>
      window.postMessage({ type: 'unified-tool-gateway:connect', code: 'forged', state: 'state-1' }, '*'),
    );
    await popup.getByLabel('API key').fill('my-key');
    await popup.getByRole('button', { name: 'Connect', exact: true }).click();
    expect(await popupResult(page)).toMatchObject({ code: expect.stringMatching(/^utg_cc_/) });
    await page.context().close();
  });

  test('goes to the redirect URI itself when a page on the way severed the opener', async () => {
    const page = await partnerPage();
    await preparePopup(page, await mint());
    const popup = await openPopup(page);
    const address = popup.url();
    await popup.goto(`${other.origin}/cut`);
    await popup.goto(address);
    await popup.getByLabel('API key').fill('my-key');
    await popup.getByRole('button', { name: 'Connect', exact: true }).click();
    await popup.waitForURL(`${site.origin}/back?**`);
    const back = new URL(popup.url()).searchParams;
    expect([back.get('state'), back.get('code')?.startsWith('utg_cc_')]).toEqual(['state-1', true]);
    expect(await popupResult(page)).toEqual({ rejected: 'closed' });
    await page.context().close();
  });
});
