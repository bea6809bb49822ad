import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import { insertClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { findAccessibilityProblems } from '../support/axe.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const SECRET = 'the-secret-of-the-operator';
const CREDENTIAL = 'sandbox-credential';
const FOLDER = process.env.SCREENSHOTS;
const HOUR_MS = 3_600_000;

/** Pages of a phone screen are 844 px high; a list of one page has 50 rows. */
const MAX_TOOLS_HEIGHT = 3000;

const LOOKS = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

describe.skipIf(!hasBrowser())('the dashboard', () => {
  let browser: Browser;
  let gateway: RunningGateway;
  let sandbox: Awaited<ReturnType<typeof openSandbox>>;
  let origin: string;
  let userId: string;

  beforeAll(async () => {
    sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), port: 0, credential: CREDENTIAL });
    const settings = Object.assign({}, ...Object.values(sandbox.environment));
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => CREDENTIAL,
      env: { ADMIN_SECRET: SECRET, ...settings },
    });
    origin = new URL(gateway.url).origin;
    userId = await fill(gateway);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await sandbox?.close();
  });

  describe.each(LOOKS)('at $width px in $colorScheme mode', ({ width, colorScheme }) => {
    let page: Page;

    beforeAll(async () => {
      page = await (await browser.newContext({ viewport: { width, height: 844 }, colorScheme })).newPage();
    });

    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

    /** What is wrong with the page as it stands. */
    async function inspect(name: string): Promise<string[]> {
      if (FOLDER !== undefined) {
        await page.screenshot({ path: resolve(FOLDER, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      const widest = Number(await page.evaluate('document.documentElement.scrollWidth'));
      const problems = await findAccessibilityProblems(page);
      return [...problems, ...(widest > width ? [`${widest} px wide`] : [])].map((problem) => `${name}: ${problem}`);
    }

    test('asks only for a secret at sign-in', async () => {
      await page.goto(`${origin}/admin`);
      expect(await page.locator('input:visible').count()).toBe(1);
      expect(await page.getByText('operator', { exact: true }).count()).toBe(0);
      expect(await inspect('sign-in')).toEqual([]);
      await page.getByLabel('Operator secret').fill(SECRET);
      await press('Sign in');
    });

    test('has only accessible pages', { timeout: 120_000 }, async () => {
      const pages: Readonly<Record<string, string>> = {
        overview: '?range=hours',
        calls: '/calls',
        'calls-live': '/calls?live=1',
        'calls-searched': '/calls?outcome=failed&tool=mailer_send&from=2020-01-01T00:00&name=nobody',
        connections: '/connections',
        users: '/users',
        user: `/users/${userId}`,
        partners: '/partners',
        clients: '/clients',
        grants: '/grants',
        audit: '/audit',
        operators: '/operators',
        tools: '/tools',
        'tools-of-a-service': '/tools?service=retrieval',
        tool: '/tools/retrieval_retrieve',
        'tool-of-nobody': '/tools/retrieval_retrieve?who=nobody',
      };
      const problems: string[] = [];
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${origin}/admin${path}`);
        problems.push(...(await inspect(name)));
      }
      expect(problems).toEqual([]);
    });

    test('leads from a count to a call and its subjects', async () => {
      await page.goto(`${origin}/admin`);
      await page.locator('dt:text-is("Failed") + dd a').click();
      await page.locator('td a').first().click();
      await page.getByText('Arguments and answers are not kept.').waitFor();
      expect(await inspect('call')).toEqual([]);
      await page.getByRole('link', { name: 'the timeline at that moment' }).click();
      await page.locator('ol.timeline li').first().waitFor();
      expect(await inspect('timeline')).toEqual([]);
    });

    test('asks before a client is removed', async () => {
      await page.goto(`${origin}/admin/clients`);
      await page.getByRole('button', { name: 'Remove' }).first().click();
      await page.getByText('Remove this client?').first().waitFor();
      expect(await inspect('confirm')).toEqual([]);
      await page.getByRole('link', { name: 'Cancel' }).click();
      expect(new URL(page.url()).pathname).toBe('/admin/clients');
    });

    test('shows tools on at most two screens', async () => {
      for (const path of ['/tools', '/tools?q=list']) {
        await page.goto(`${origin}/admin${path}`);
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        expect([path, height < MAX_TOOLS_HEIGHT]).toEqual([path, true]);
      }
    });
  });
});

async function fill({ store }: RunningGateway): Promise<string> {
  const now = Date.now();
  const { id: partnerId } = await store.db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
  const ada = await store.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  for (let index = 0; index < 60; index += 1) {
    await ensureUser(store.db, { partnerId, externalUserId: `user-${index}`, now: now + index });
  }
  const client = {
    redirectUris: ['https://assistant.example/callback'],
    applicationType: 'web',
    secretHash: null,
  } as const;
  await insertClient(store.db, {
    clientId: 'assistant',
    clientName: 'Assistant',
    ...client,
    authenticationMethod: 'none',
    now,
  });
  const grantId = await insertGrant(store.db, {
    ...{ clientId: 'assistant', userId: ada.id, scopes: ['tools:read'], services: null },
    ...{ resource: 'r', now, expiresAt: now + HOUR_MS },
  });
  const tools = ['retrieval_retrieve', 'mailer_list_contacts', 'mailer_send'];
  await store.insertCallRecords(
    Array.from({ length: 2500 }, (_, index) => ({
      ...{ createdAt: now - index * 30_000, partnerId, userId: ada.id, tokenId: 'token', grantId },
      ...{ service: index % 3 === 0 ? 'retrieval' : 'mailer', tool: tools[index % 3] ?? '' },
      ...{ outcome: index % 17 === 0 ? 'upstream_unavailable' : 'ok', upstreamStatus: index % 17 === 0 ? 503 : 200 },
      ...{ upstreamCode: null, durationMs: 20 + ((index * 37) % 1900), requestBytes: 120, responseBytes: 20_480 },
      requestId: `01a1-${index}`,
    })),
  );
  return ada.id;
}
