import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSecret, hashSecret } from '../../server/base/principal/secrets.ts';
import { insertAccessToken } from '../../server/base/store/repositories/access-tokens.ts';
import { insertClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { updatePartner } from '../../server/base/store/repositories/partners.ts';
import { findUsersByExternalId, type User } from '../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { mintUserLink } from '../../server/identity/partners/user-links.ts';
import { collectProblems, hasBrowser, launchBrowser, tabTo } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';
import { findPageProblems } from '../support/page-problems.ts';

const NAMES = ['Claude Code', `${'A name without end '.repeat(6)}`, 'Cursor'];
const CALLS = [
  ['crm_get_person', 'ok'],
  ['crm_list_persons', 'ok'],
  ['crm_list_persons', 'ok'],
  ['mailer_create_contact', 'rate_limited'],
  ['retrieval_create_document_raw', 'ok'],
] as const;

const FOLDER = process.env.SCREENSHOTS;

describe.skipIf(!hasBrowser())('a user’s own page in Chromium, without JavaScript', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let gateway: RunningGateway;
  let origin: string;
  let user: User;
  let tokens: string[];
  let problems: string[];

  const visit = async (options: Parameters<Browser['newContext']>[0]) => {
    await context?.close();
    context = await browser.newContext({ javaScriptEnabled: false, ...options });
    page = await context.newPage();
    collectProblems(page, problems);
  };
  const linkOf = async () => {
    const change = { by: 'partner', now: Date.now() } as const;
    const { db } = gateway.store;
    return origin + (await db.transaction().execute((transaction) => mintUserLink(transaction, user, change)));
  };
  const unfold = (name: string) => page.locator('.folded summary', { hasText: name }).first().click();
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const enter = async () => {
    await page.goto(await linkOf());
    await page.locator('button:focus').waitFor();
    await press('Open my page');
  };
  const toolsOf = async (token: string) => {
    const client = await connectClient({ url: gateway.url, token });
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  };
  const allow = async (clientName: string) => {
    const { db } = gateway.store;
    const now = Date.now();
    const clientId = `client of ${clientName}`;
    const redirectUris = ['https://a-name-without-end.customers.eu-central-1.hosting.example/callback'];
    const method = { secretHash: null, authenticationMethod: 'none', applicationType: 'web' } as const;
    await insertClient(db, { clientId, clientName, redirectUris, ...method, now });
    const resource = origin + MCP_PATH;
    const scopes = ['tools:read', 'tools:write'];
    const of = { userId: user.id, scopes, services: null, resource, now, expiresAt: now + 3_600_000 };
    const grantId = await insertGrant(db, { ...of, clientId });
    const token = createSecret('accessToken');
    await insertAccessToken(db, { ...of, tokenHash: hashSecret(db, token), grantId });
    const ended = { tokenId: 't', requestId: 'r', upstreamCode: null, upstreamStatus: 200, durationMs: 1 };
    const called = { userId: user.id, partnerId: user.partnerId, grantId, requestBytes: 2, responseBytes: 2, ...ended };
    await gateway.store.insertCallRecords(
      CALLS.map(([tool, outcome], index) => {
        return { ...called, service: tool.split('_')[0]!, tool, outcome, createdAt: now - index * 240_000 };
      }),
    );
    return token;
  };

  beforeAll(async () => {
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => 'secret',
      env: { APPROVALS: 'destroy' },
    });
    origin = new URL(gateway.url).origin;
    user = (await findUsersByExternalId(gateway.store.db, 'ada'))[0]!;
    await updatePartner(gateway.store.db, user.partnerId, { connectUri: 'https://partner.example/connections' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });
  beforeEach(async () => {
    const { db } = gateway.store;
    await db.deleteFrom('oauth_clients').execute();
    tokens = [];
    for (const name of NAMES) tokens.push(await allow(name));
    problems = [];
    await visit({});
  });
  afterEach(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });

  test('opens from another site, names its user, and removes the link from the address', async () => {
    const link = await linkOf();
    await page.route('https://partner.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${link}">My page</a>` }),
    );
    await page.goto('https://partner.example/');
    await page.getByRole('link', { name: 'My page' }).click();
    await press('Open my page');
    expect(page.url()).toBe(`${origin}/me`);
    await page.getByText('Signed in as ada from test.').waitFor();
    await page.goBack();
    await press('Open my page');
    await page.getByText('This link is no longer valid').waitFor();
  });

  test('can be used with only the keyboard', async () => {
    await page.goto(await linkOf());
    await page.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What you have allowed' }).waitFor();
    await tabTo(page, page.locator('summary', { hasText: 'Cursor' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'Reduce the access of Cursor' }));
    await page.keyboard.press('Enter');
    await page.getByLabel('Ragie', { exact: false }).first().waitFor();
    const box = page.getByRole('checkbox', { name: 'Everything that writes' });
    await tabTo(page, box);
    await page.keyboard.press('Space');
    expect(await box.isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('The client has lost what you removed.').waitFor();
    await tabTo(page, page.locator('summary', { hasText: 'Claude Code' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Revoke Claude Code', exact: true }));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.locator('button:focus', { hasText: 'Revoke Claude Code now' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('The client has lost its access.').waitFor();
    expect(await page.getByRole('heading', { name: 'Claude Code' }).count()).toBe(0);
  }, 60_000);

  test('shows a call that waits and has it approved with only the keyboard', async () => {
    const client = await connectClient({ url: gateway.url, token: tokens[2]! });
    await client.callTool({ name: 'mailer_delete_list', arguments: { brandId: 'b1', listId: 'list-7' } });
    await client.close();
    await page.goto(await linkOf());
    await page.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'Review' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'See it on a page of its own' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What would be sent to BigMailer' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Approve', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('You approved it.').waitFor();
    await page.getByText('No call waits for your approval.').waitFor();
  }, 60_000);

  test('shows times in the zone of the browser', async () => {
    await visit({ javaScriptEnabled: true, timezoneId: 'Asia/Kolkata' });
    await enter();
    await page.goto(`${origin}/me/activity`);
    const exactTimes = page.locator('time[datetime*=T]');
    for (const time of await exactTimes.all()) {
      const [utc, shown] = [(await time.getAttribute('datetime')) ?? '', await time.innerText()];
      const local = new Date(Date.parse(utc) + 5.5 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
      expect([local, local.slice(11)]).toContain(shown);
      expect(await time.getAttribute('title')).toContain('UTC');
    }
    expect(await exactTimes.count()).toBeGreaterThan(8);
  });

  test('removes the selected tools of a client', async () => {
    await enter();
    const before = await toolsOf(tokens[2]!);
    await unfold('Cursor');
    await page.getByRole('link', { name: 'Reduce the access of Cursor' }).click();
    await page.getByRole('link', { name: 'Tools of Affinity' }).click();
    await page.locator('#tool-crm_get_person').check();
    await press('Remove what is selected');
    expect(await page.getByText('Left out: 1 tool.').count()).toBe(1);
    expect(await toolsOf(tokens[2]!)).toEqual(before.filter((name) => name !== 'crm_get_person'));
  });

  test('asks for confirmation before a connection is removed', async () => {
    await enter();
    await unfold('Affinity');
    expect(await page.getByRole('button', { name: 'Remove Affinity now' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Remove Affinity', exact: true }).click();
    await page.getByText('no client can use Affinity any more').waitFor();
    await press('Leave this page');
    await page.getByRole('heading', { name: 'You have left your page' }).waitFor();
  });

  async function states(look: (state: string) => Promise<void>): Promise<void> {
    await page.goto(await linkOf());
    await look('entry');
    await press('Open my page');
    for (const summary of await page.locator('summary').all()) await summary.click();
    await look('page');
    await page.getByRole('button', { name: 'Remove Affinity', exact: true }).click();
    await look('dialog');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: 'All activity' }).click();
    await look('activity');
    await page.getByRole('link', { name: 'Back to everything' }).click();
    await unfold('A name');
    await page.getByRole('link', { name: 'Reduce the access of A name' }).click();
    await look('client');
    await press('Remove what is selected');
    await look('problem');
    await page.getByRole('link', { name: 'Tools of Ragie' }).click();
    await look('tools');
    await page.goto(`${origin}/me?link=x`);
    await look('error');
  }

  test.each([320, 390, 1280])(
    'fits a width of %i pixels',
    async (width) => {
      await visit({ viewport: { width, height: 844 } });
      await states(async (state) => {
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        expect([state, needed]).toEqual([state, width]);
        if (FOLDER !== undefined)
          await page.screenshot({ path: join(FOLDER, `${state}-${width}.png`), fullPage: true });
      });
    },
    60_000,
  );

  test.each(['light', 'dark'] as const)(
    'is accessible in the %s theme',
    async (colorScheme) => {
      await visit({ colorScheme, javaScriptEnabled: true, viewport: { width: 390, height: 844 } });
      await states(async (state) => {
        expect([state, await findPageProblems(page)]).toEqual([state, []]);
      });
    },
    60_000,
  );
});
