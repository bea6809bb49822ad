import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import { insertClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { insertTestPartner } from '../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { collectProblems, hasBrowser, LOOKS, launchBrowser, tabTo } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';

const SECRET = 'the-secret-of-the-operator';
const CREDENTIAL = 'sandbox-credential';
const FOLDER = process.env.SCREENSHOTS;
const HOUR_MS = 3_600_000;
const DOCUMENT = 'https://research-assistant.example.com/.well-known/oauth-client-metadata.json';

/** A list of one page has 50 rows. */
const MAX_HEIGHT = 5000;

/** Screens of a phone are 844 px high. */
const MAX_TOOLS_HEIGHT = 3000;

describe.skipIf(!hasBrowser())('the dashboard', () => {
  let browser: Browser;
  let gateway: RunningGateway;
  let sandbox: Awaited<ReturnType<typeof openSandbox>>;
  let origin: string;
  let userId: string;
  let testUserId: string;
  let waitingCallId: string;

  beforeAll(async () => {
    sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), port: 0, credential: CREDENTIAL });
    const settings = Object.assign({}, ...Object.values(sandbox.environment));
    gateway = await startGateway({
      connectors: await loadConnectors(),
      secretOf: () => CREDENTIAL,
      env: { ADMIN_SECRET: SECRET, ...settings },
    });
    origin = new URL(gateway.url).origin;
    ({ userId, testUserId, waitingCallId } = await fill(gateway));
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
      // A picture of the full page moves its content.
      const problems = await findPageProblems(page);
      const cut = Number(
        await page.evaluate(
          '[...document.querySelectorAll("tbody tr")].filter((row) => row.scrollWidth > innerWidth).length',
        ),
      );
      if (FOLDER !== undefined) {
        await page.screenshot({ path: resolve(FOLDER, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      const hidden = Number(
        await page.evaluate(
          '[...document.querySelectorAll("td.act button")].filter((button) => { const { left, right } = button.getBoundingClientRect(); return left < 0 || right > innerWidth; }).length',
        ),
      );
      const widest = Number(await page.evaluate('document.documentElement.scrollWidth'));
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      return [
        ...problems,
        ...(widest > width ? [`${widest} px wide`] : []),
        ...(width < 640 && cut > 0 ? [`${cut} rows wider than the screen`] : []),
        ...(hidden > 0 ? [`${hidden} buttons of rows beyond the screen`] : []),
        ...(height > MAX_HEIGHT ? [`${height} px high`] : []),
      ].map((problem) => `${name}: ${problem}`);
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
        'overview-month': '?range=month',
        calls: '/calls',
        'calls-live': '/calls?live=1',
        'calls-searched': '/calls?outcome=failed&tool=mailer_send&from=2020-01-01T00:00&name=nobody',
        usage: '/usage',
        'usage-by-user-and-tool': '/usage?by=user&and=tool&days=30',
        'usage-by-client': '/usage?by=client',
        'usage-of-nothing': '/usage?by=tool&tool=none',
        connections: '/connections',
        users: '/users',
        user: `/users/${userId}`,
        partners: '/partners',
        'users-test': '/users?realm=test',
        'user-test': `/users/${testUserId}`,
        clients: '/clients',
        client: '/clients/assistant',
        'client-document': `/clients/${encodeURIComponent(DOCUMENT)}`,
        'call-waiting': `/calls/${waitingCallId}`,
        'search-found': '/search?q=a',
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

    test('follows calls on the page of calls', async () => {
      await page.goto(`${origin}/admin/calls?service=mailer`);
      const problems: string[] = [];
      collectProblems(page, problems);
      await page.getByRole('link', { name: 'Show live' }).click();
      await page.getByText('New calls appear as they end.').waitFor();
      const requestId = `followed-${width}-${colorScheme}`;
      await insertCall(gateway, { userId, tool: 'mailer_send', requestId });
      await insertCall(gateway, { userId, tool: 'other_tool', service: 'other', requestId: 'not-followed' });
      const rows = page.locator('table.calls tbody tr');
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(51);
      expect(await rows.locator('td').filter({ hasText: 'other_tool' }).count()).toBe(0);
      expect(await rows.first().locator('time').getAttribute('title')).toMatch(/UTC$/);
      const isAboutRows = (problem: string) => problem.startsWith('calls-followed: moved: <tr>');
      expect((await inspect('calls-followed')).filter((problem) => !isAboutRows(problem))).toEqual([]);
      await page.getByRole('link', { name: 'Stop' }).click();
      await page.getByRole('link', { name: 'Show live' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('has a menu whose entries are one line each', async () => {
      await page.goto(`${origin}/admin/calls`);
      if (width < 960) {
        expect(await page.locator('nav[aria-label=Dashboard] a:visible').count()).toBe(0);
        await page.locator('summary', { hasText: 'Calls' }).first().click();
        expect(await inspect('menu')).toEqual([]);
      }
      const entries = page.locator('nav[aria-label=Dashboard] a:visible');
      const heights = await entries.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(heights.length).toBeGreaterThan(10);
      expect(Math.max(...heights)).toBeLessThan(32);
      const current = page.locator('nav[aria-label=Dashboard] a[aria-current=page]');
      expect(await current.allTextContents()).toEqual(['Calls']);
    });

    test('is searched with the keyboard alone', async () => {
      await page.goto(`${origin}/admin/users`);
      await page.keyboard.press('/');
      await page.keyboard.type('retrieval_retr');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Tools' }).waitFor();
      expect(await inspect('search')).toEqual([]);
      await tabTo(page, page.locator('main ul.rows a').first());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Try it' }).waitFor();
    });

    test('shows the values of a slice under the pointer and the focus, and goes on with arrows', async () => {
      await page.goto(`${origin}/admin`);
      const slices = page.locator('svg.chart').first().locator('.slice');
      const opacityOf = (index: number) =>
        slices
          .nth(index)
          .locator('text')
          .evaluate((text) => getComputedStyle(text).opacity);
      await slices.nth(3).locator('rect').hover();
      expect([await opacityOf(3), await opacityOf(4)]).toEqual(['1', '0']);
      await page.mouse.move(0, 0);
      await slices.last().focus();
      await page.keyboard.press('ArrowLeft');
      expect([await opacityOf((await slices.count()) - 2), await opacityOf(3)]).toEqual(['1', '0']);
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
      await page.getByRole('button', { name: 'Remove' }).last().click();
      await page.getByText('Remove this client?').first().waitFor();
      expect(await inspect('confirm')).toEqual([]);
      await page.getByRole('link', { name: 'Cancel' }).click();
      expect(new URL(page.url()).pathname).toBe('/admin/clients/assistant');
    });

    test('shows tools on at most two screens', async () => {
      for (const path of ['/tools', '/tools?q=list']) {
        await page.goto(`${origin}/admin${path}`);
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
        expect([path, height < MAX_TOOLS_HEIGHT]).toEqual([path, true]);
      }
    });
  });

  test('shows and takes times in the time zone of the viewer', async () => {
    const page = await (await browser.newContext({ timezoneId: 'Asia/Kolkata' })).newPage();
    await page.goto(`${origin}/admin/calls?from=2020-01-01T00:00`);
    await page.getByLabel('Operator secret').fill(SECRET);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('td time').first().click();
    const time = page.locator('dd time').first();
    const [utc, shown] = [(await time.getAttribute('datetime')) ?? '', await time.innerText()];
    expect(Date.parse(`${shown.replace(' ', 'T')}+05:30`)).toBe(Math.floor(Date.parse(utc) / 1000) * 1000);
    await page.getByText('Times in Asia/').waitFor();
    await page.goBack();
    await page.getByText('More filters').click();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2020-01-01T05:30');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('from') === '2020-01-01T00:00:00.000');
  });
});

async function insertCall(
  { store }: RunningGateway,
  call: { readonly userId: string; readonly tool: string; readonly service?: string; readonly requestId: string },
): Promise<void> {
  const { id: partnerId } = await store.db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
  const { service = 'mailer', ...of } = call;
  const times = { createdAt: Date.now(), durationMs: 20 };
  const sizes = { requestBytes: 120, responseBytes: 20_480 };
  const end = { outcome: 'ok', upstreamStatus: 200, upstreamCode: null };
  await store.insertCallRecords([{ ...of, ...times, ...sizes, ...end, service, partnerId, tokenId: 'token' }]);
}

async function fill({ store }: RunningGateway) {
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
  await insertClient(store.db, {
    clientId: DOCUMENT,
    clientName: 'Research assistant of a company with quite a long name',
    ...client,
    redirectUris: [1, 2, 3].map((index) => `https://research-assistant.example.com/oauth/callback/${index}`),
    document: { fetchedAt: now, expiresAt: now + HOUR_MS },
    authenticationMethod: 'none',
    now,
  });
  const testPartnerId = await insertTestPartner(store.db, partnerId, now);
  const tester = await ensureUser(store.db, { partnerId: testPartnerId, externalUserId: 'assessment-user', now });
  for (const clientId of ['assistant', DOCUMENT]) {
    const grant = { clientId, userId: tester.id, scopes: ['tools:read'], services: null, resource: 'r' };
    await insertGrant(store.db, { ...grant, now, expiresAt: now + HOUR_MS });
  }
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
  await store.insertCallRecords(
    ['awaiting_approval', 'credential_refused', 'ok'].map((outcome, index) => ({
      createdAt: now - index * 1000,
      partnerId: testPartnerId,
      userId: tester.id,
      tokenId: 'token',
      grantId,
      service: 'mailer',
      tool: 'mailer_send',
      outcome,
      upstreamStatus: null,
      upstreamCode: null,
      durationMs: 20,
      requestBytes: 120,
      responseBytes: 20,
      requestId: `01a1-test-${index}`,
    })),
  );
  const waiting = store.db.selectFrom('call_records').select('id').where('outcome', '=', 'awaiting_approval');
  const { id: waitingCallId } = await waiting.executeTakeFirstOrThrow();
  return { userId: ada.id, testUserId: tester.id, waitingCallId };
}
