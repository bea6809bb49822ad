import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPartnerByClientId, type Partner, updatePartner } from '../../server/base/store/repositories/partners.ts';
import { findUser } from '../../server/base/store/repositories/users.ts';
import { resumePartner, suspendPartner } from '../../server/identity/partners/lifecycle.ts';
import { mintUserLink } from '../../server/identity/partners/user-links.ts';
import { hasBrowser, LOOKS, launchBrowser } from '../support/browser.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const SECRET = 'the-secret-of-the-operator';
const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const FOLDER = process.env.SCREENSHOTS;

describe.skipIf(!hasBrowser()).each(LOOKS)('an incident, at $width px in $colorScheme mode', (look) => {
  let browser: Browser;
  let page: Page;
  let gateway: OAuthGateway;
  let partner: Partner;

  beforeAll(async () => {
    gateway = await startOAuthGateway({ ADMIN_SECRET: SECRET });
    const found = await findPartnerByClientId(gateway.store.db, 'test');
    if (found === undefined) throw new Error('the partner is missing');
    partner = found;
    await updatePartner(gateway.store.db, partner.id, { name: 'Acme & Sons', redirectUris: [REDIRECT_URI] });
    browser = await launchBrowser();
    const viewport = { width: look.width, height: 844 };
    page = await (await browser.newContext({ viewport, colorScheme: look.colorScheme })).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const transact = (what: typeof suspendPartner) =>
    gateway.store.db.transaction().execute((transaction) => what(transaction, partner.id, { now: Date.now() }));

  async function inspect(name: string): Promise<void> {
    if (FOLDER !== undefined) {
      const path = resolve(FOLDER, `${name}-${look.width}-${look.colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    expect([name, await findPageProblems(page)]).toEqual([name, []]);
    const widest = await page.evaluate('document.documentElement.scrollWidth');
    expect([name, Number(widest) <= look.width]).toEqual([name, true]);
  }

  test('is ended in the dashboard: a partner is suspended, and grants are revoked', async () => {
    await page.goto(`${gateway.issuer}/admin/partners/${partner.id}`);
    await page.getByLabel('Operator secret').fill(SECRET);
    await press('Sign in');
    await inspect('partner');
    await press('Suspend partner');
    await page.getByText('Suspend this partner?').first().waitFor();
    await inspect('partner-suspend');
    await press('Suspend partner');
    await page.getByText('The partner is suspended').waitFor();
    await inspect('partner-suspended');
    await page.goto(`${gateway.issuer}/admin/partners`);
    await inspect('partners');
    await page.goto(`${gateway.issuer}/admin/grants?service=crm`);
    await inspect('grants');
    await press('Revoke these');
    await page.getByText('0 grants, 1 minted token').waitFor();
    await inspect('grants-revoke');
    await press('Revoke these');
    await page.getByText('Revoked: 0 grants, 1 minted token').waitFor();
    await inspect('grants-revoked');
    await page.goto(`${gateway.issuer}/admin/partners/${partner.id}`);
    await press('Resume partner');
    await page.getByText('The partner is active again.').waitFor();
  });

  test('is explained to people on the pages, with someone to contact', async () => {
    const query = new URLSearchParams({ client_id: 'test', user_id: 'ada', redirect_uri: REDIRECT_URI, state: 's' });
    const client = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Claude',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id } = (await client.json()) as { client_id: string };
    const code = await gateway.connectionCode();
    const user = await findUser(gateway.store.db, { partnerId: partner.id, externalUserId: 'ada' });
    const link = await gateway.store.db
      .transaction()
      .execute((transaction) =>
        mintUserLink(transaction, { id: user?.id ?? '', partnerId: partner.id }, { by: 'partner', now: Date.now() }),
      );
    await page.goto(gateway.issuer + link);
    await press('Open my page');
    await page.getByText('Connected services').waitFor();
    await transact(suspendPartner);
    await page.goto(`${gateway.issuer}/me`);
    await page.getByText('Ask Acme & Sons').first().waitFor();
    await inspect('me');
    await page.goto(`${gateway.issuer}/connect/crm?${query}`);
    await page.getByText('Ask Acme & Sons').waitFor();
    await inspect('connect');
    const request = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT_URI,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      resource: gateway.url,
    });
    await page.goto(`${gateway.issuer}/api/mcp/oauth/authorize?${request}`);
    await page.getByLabel('Connection code').fill(code);
    await press('Continue');
    await page.getByText('Ask Acme & Sons').waitFor();
    await inspect('consent');
    await transact(resumePartner);
    await page.getByLabel('Connection code').fill(code);
    await press('Continue');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  });
});
