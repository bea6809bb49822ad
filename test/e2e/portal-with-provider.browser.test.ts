import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRules } from '../../packages/portal/rules/load.ts';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { press, typeKey } from '../../scripts/lab/screenshots/pictures.ts';
import { findPartnerByClientId, updatePartner } from '../../server/base/store/repositories/partners.ts';
import { loadServices } from '../../server/cli/with-store.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type CompanyProvider, providerOf, startCompanyProvider } from '../support/company-provider.ts';
import { listenBeside, openSharedAddress, type SharedAddress } from '../support/gateway-beside.ts';
import { DATABASES } from '../support/migrated-database.ts';
import { type PortalWorld, type RunningPortal, startPortalWorld } from '../support/portal.ts';
import { createPostgresDatabase } from '../support/postgres-database.ts';
import { REDIRECT_URI, type SdkClient, v2Sdk } from '../support/sdk-sign-in.ts';

const KEY = 'the-key-of-every-sandbox-service';
const RULES = parseRules(
  `groups:
  everything: { effects: [reads, writes, destroys] }
  sales: { services: [mailer] }
`,
  'rules.yaml',
);

const SERVER = process.env.TEST_DATABASE_URL;

describe.skipIf(!hasBrowser()).each([
  ['SQLite', true],
  ['PostgreSQL', SERVER !== undefined],
] as const)('an employee who signs in at the company, in Chromium, with two gateways on %s', (kind, isThere) => {
  let shared: SharedAddress;
  let database: { readonly url: string; remove(): Promise<void> } | null = null;
  let beside: { readonly origin: string; close(): Promise<void> };
  let sandbox: OpenSandbox;
  let world: PortalWorld;
  let provider: CompanyProvider;
  let portal: RunningPortal;
  let browser: Browser;
  let page: Page;
  let folder: string;
  let now = Date.now();

  beforeAll(async () => {
    if (!isThere) return;
    shared = await openSharedAddress();
    if (kind === 'PostgreSQL') database = await createPostgresDatabase(SERVER!);
    sandbox = await openSandbox({ root: process.cwd(), port: 0, credential: KEY, services: ['crm', 'mailer'] });
    const connectors = (await loadServices()).filter(({ name }) => name === 'crm' || name === 'mailer');
    const env: Record<string, string> = Object.assign({}, ...Object.values(sandbox.environment), {
      PUBLIC_URL: shared.origin,
    });
    if (database !== null) env.DATABASE_URL = database.url;
    world = await startPortalWorld({ connectors, env, secretOf: () => KEY, alone: false });
    beside = await listenBeside(world.gateway, connectors, env);
    shared.gateways.push(world.gateway.listensAt, beside.origin);
    provider = await startCompanyProvider();
    const address = await world.listen();
    const { db } = world.gateway.store;
    const { id } = (await findPartnerByClientId(db, 'test'))!;
    await updatePartner(db, id, {
      redirectUris: [`${address.origin}/services/connected`],
      connectUri: `${address.origin}/`,
    });
    provider.serve([address.origin]);
    provider.people.set('maya', { name: 'Maya', groups: ['everything'] });
    folder = await mkdtemp(join(DATABASES, 'portal-'));
    const databaseUrl = database?.url ?? `sqlite:${join(folder, 'portal.sqlite')}`;
    portal = await world.open(
      address,
      { databaseUrl, provider: providerOf(provider), rules: RULES },
      { now: () => now },
    );
    browser = await launchBrowser();
    page = await browser.newPage();
  }, 90_000);
  afterAll(async () => {
    if (!isThere) return;
    await browser?.close();
    await portal?.close();
    await provider?.close();
    await beside?.close();
    await world?.close();
    await shared?.close();
    await database?.remove();
    await sandbox?.close();
    await rm(folder, { recursive: true });
  });

  async function signIn(): Promise<void> {
    await page.goto(portal.origin);
    await page.locator('input[name=login]').fill('maya');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click();
    await page.getByText('Signed in as Maya').waitFor();
  }

  async function changeGroups(groups: readonly string[]): Promise<void> {
    provider.people.set('maya', { name: 'Maya', groups });
    now += 600_000;
    await portal.portal.checkPeople();
  }

  async function addClient(): Promise<SdkClient> {
    await page.goto(`${portal.origin}/clients/codex`);
    await press(page, 'Get a connection code');
    const code = await page.locator('.code').innerText();
    const sdk = v2Sdk(shared.origin + MCP_PATH);
    await expect(sdk.connect()).rejects.toThrow(sdk.Unauthorized);
    const consent = await browser.newPage();
    await consent.goto(String(sdk.memory.url));
    await consent.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await press(consent, 'Continue');
    await consent.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
    const text = await consent.locator('main').innerText();
    expect(text).toContain('test does not allow you more.');
    expect(text).not.toContain('Affinity');
    const redirect = consent.waitForRequest((request) => request.url().startsWith(REDIRECT_URI));
    await press(consent, 'Allow');
    await sdk.finish(new URL((await redirect).url()).searchParams);
    await consent.close();
    return sdk.connect();
  }

  test.skipIf(!isThere)(
    'connects services, adds a client that calls, and loses access with the group',
    {
      timeout: 120_000,
    },
    async () => {
      await signIn();
      await press(page, 'Connect Affinity');
      await typeKey(page, KEY);
      await press(page, 'Connect BigMailer');
      await typeKey(page, KEY);
      await changeGroups(['sales']);

      const client = await addClient();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name.split('_')[0])).toEqual(tools.map(() => 'mailer'));
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
      const call = () => client.callTool({ name: 'mailer_list_brands', arguments: {} });
      expect((await call()).isError ?? false).toBe(false);
      await page.goto(`${portal.origin}/clients`);
      await page.locator('.folded summary', { hasText: 'Claude' }).click();
      await page.getByText(`BigMailer: ${tools.length} read-only tools`, { exact: true }).waitFor();
      await page.getByRole('button', { name: /^Reduce its access/ }).click();
      await press(page, 'Open my page');
      await page.getByText('BigMailer').first().waitFor();
      expect(await page.getByText('Affinity').count()).toBe(0);

      await changeGroups([]);
      shared.calls.length = 0;
      for (const refused of [await call(), await call()]) {
        expect(refused.isError).toBe(true);
        const text = JSON.stringify(refused.content);
        expect(text).toContain('test does not allow this user to call mailer_list_brands.');
        expect(text).toContain('tell the user to ask test for access.');
      }
      expect(new Set(shared.calls)).toEqual(new Set([0, 1]));
      await page.goto(`${portal.origin}/access`);
      await page.getByText('Ask your administrator for access.').waitFor();
      await client.close();
    },
  );
});
