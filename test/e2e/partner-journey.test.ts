import { createHash, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { saveConnection } from '../../server/base/credentials/save-connection.ts';
import { findUser } from '../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { type PartnerApp, startPartnerApp } from '../support/partner-app.ts';
import { vaultBeside } from '../support/vault-beside.ts';

const GOOD_KEY = 'key-of-grace';
const connectors = (await loadConnectors()).filter(({ name }) => ['crm', 'mailer'].includes(name));

describe.skipIf(!hasBrowser())("a partner's whole journey in Chromium", () => {
  let sandbox: OpenSandbox;
  let gateway: RunningGateway;
  let app: PartnerApp;
  let browser: Browser;
  let page: Page;
  let partnerId: string;
  let origin: string;

  beforeAll(async () => {
    const root = resolve(import.meta.dirname, '../..');
    sandbox = await openSandbox({ root, services: ['crm', 'mailer'], credential: GOOD_KEY });
    gateway = await startGateway({
      connectors,
      env: Object.assign({}, ...Object.values(sandbox.environment)),
      secretOf: () => GOOD_KEY,
    });
    origin = new URL(gateway.url).origin;
    app = await startPartnerApp({ gateway: () => origin, user: 'grace' });
    const settings = { redirectUris: [`${app.origin}/back`], connectUri: `${app.origin}/connections`, logoText: 'P' };
    const added = await gateway.store.db
      .transaction()
      .execute((transaction) =>
        addPartner(transaction, { clientId: 'pine', name: 'Pine', ...settings }, { now: Date.now() }),
      );
    partnerId = added.partner.id;
    app.credentials = { clientId: 'pine', clientSecret: added.secret };
    browser = await launchBrowser();
    page = await browser.newPage({ javaScriptEnabled: false });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await gateway?.close();
    await sandbox?.close();
  });

  async function toolNames(token: string): Promise<string[]> {
    const client = await connectClient({ url: gateway.url, token });
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  }

  async function whoAmI(token: string) {
    const client = await connectClient({ url: gateway.url, token, mode: 'legacy' });
    const result = await client.callTool({ name: 'crm_get_current_user', arguments: {} });
    await client.close();
    return { failed: result.isError === true, text: JSON.stringify(result.content) };
  }

  test('the user connects a service: a wrong key is rejected with the message of the service, the right one is accepted', async () => {
    await page.goto(`${app.origin}/connections?service=crm`);
    await page.getByRole('heading', { name: 'Connect Affinity' }).waitFor();
    expect(await page.locator('header').getByText('Pine').isVisible()).toBe(true);
    await page.getByLabel(/key/i).fill('a-key-that-is-wrong');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/rejected this key[\s\S]*It says: “/);
    expect(await page.getByLabel(/key/i).inputValue()).toBe('');
    await page.getByLabel(/key/i).fill(GOOD_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connected crm' }).waitFor();
    expect(app.tokens).toMatchObject({ user_id: 'grace', service: 'crm' });
    const names = await toolNames(app.tokens!.access_token);
    expect(names).toContain('crm_get_current_user');
    expect(names.some((name) => name.startsWith('mailer_'))).toBe(false);
    expect(await whoAmI(app.tokens!.access_token)).toMatchObject({ failed: false });
  });

  test('a second service is added to the first, and Cancel connects nothing', async () => {
    await page.goto(`${app.origin}/connections?service=mailer`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Not connected: access_denied' }).waitFor();
    const before = app.tokens!.access_token;
    await page.goto(`${app.origin}/connections?service=mailer`);
    await page.getByLabel(/key/i).fill(GOOD_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connected mailer' }).waitFor();
    expect((await toolNames(before)).some((name) => name.startsWith('mailer_'))).toBe(true);
  });

  test("the user's own client signs in with a connection code that the application shows", async () => {
    const redirectUri = `${app.origin}/client`;
    const registered = await fetch(`${origin}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Assistant',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    await page.goto(`${app.origin}/code`);
    const connectionCode = await page.locator('#code').innerText();
    await page.goto(`${origin}/api/mcp/oauth/authorize?${query}`);
    await page.getByLabel('Connection code').fill(connectionCode);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUri}**`);
    const code = new URL(page.url()).searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_id };
    const body = new URLSearchParams({ ...form, code_verifier: verifier });
    const tokens = await fetch(`${origin}/api/mcp/oauth/token`, { method: 'POST', body });
    const { access_token } = (await tokens.json()) as { access_token: string };
    expect(await whoAmI(access_token)).toMatchObject({ failed: false });
  });

  test('a revoked key leads to an address where connecting again fixes it', async () => {
    const { db } = gateway.store;
    const user = await findUser(db, { partnerId, externalUserId: 'grace' });
    const vault = await vaultBeside(gateway.store);
    const fields = { apiKey: 'withdrawn-key' };
    await saveConnection(db, vault, { userId: user!.id, service: 'crm', fields, now: Date.now() });

    const token = app.tokens!.access_token;
    const lost = await whoAmI(token);
    expect(lost.failed).toBe(true);
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/connections\?service=crm/.exec(lost.text) ?? [];
    expect(address).toBe(`${app.origin}/connections?service=crm`);
    await page.goto(address);
    await page.getByLabel(/key/i).fill(GOOD_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connected crm' }).waitFor();
    expect(await whoAmI(token)).toMatchObject({ failed: false });
  });

  test('someone who follows a link with a forged state gets an error', async () => {
    const query = new URLSearchParams({
      client_id: 'pine',
      user_id: 'grace',
      redirect_uri: `${app.origin}/back`,
      state: 'forged',
    });
    await page.goto(`${origin}/connect/mailer?${query}`);
    await page.getByLabel(/key/i).fill(GOOD_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'That was not you' }).waitFor();
  });
});
