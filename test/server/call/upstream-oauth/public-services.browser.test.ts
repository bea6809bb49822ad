import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodegenCommand } from '../../../../codegen/command.ts';
import { AS_FORM, answerOf, createPartnerClient } from '../../../../packages/partner/index.ts';
import { type OpenSandbox, openSandbox } from '../../../../sandbox/index.ts';
import { createAddCommand } from '../../../../scripts/connector/command.ts';
import { createUpstreamClients } from '../../../../server/base/credentials/upstream-clients.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { hasBrowser, launchBrowser } from '../../../support/browser.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { type PartnerApp, startPartnerApp } from '../../../support/partner-app.ts';
import { type PopupSite, popupResult, preparePopup, servePopupPage } from '../../../support/popup-page.ts';
import { runInProcess } from '../../../support/run-command.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';

const SERVICES = ['asana', 'box', 'discord', 'github', 'spotify'] as const;
const DESCRIPTORS = resolve(import.meta.dirname, '../../../specs/oauth2-services');
const SECRET = 'the-secret-of-the-gateway';
const SETUP_TIMEOUT_MS = 120_000;

describe.skipIf(!hasBrowser())('public services from their descriptor to a tool call, in Chromium', () => {
  let root: string;
  let sandbox: OpenSandbox;
  let gateway: RunningGateway;
  let app: PartnerApp;
  let site: PopupSite;
  let browser: Browser;

  const gatewayOrigin = () => new URL(gateway.url).origin;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'public-services-'));
    for (const service of SERVICES) {
      const descriptor = join(DESCRIPTORS, service, 'openapi.yaml');
      const added = await runInProcess(createAddCommand, [descriptor, '--name', service, '--root', root]);
      expect(added.code, added.err).toBe(0);
      const written = join(root, 'specs', service, 'connector.yaml');
      await cp(join(DESCRIPTORS, service, 'connector.yaml'), written);
    }
    const generated = await runInProcess(createCodegenCommand, ['--root', root, '--no-cache']);
    expect(generated.code, generated.err).toBe(0);
    const connectors = await loadConnectors(root);
    sandbox = await openSandbox({ root, connectors, credential: SECRET });
    gateway = await startGateway({
      connectors,
      env: Object.assign({}, ...Object.values(sandbox.environment)),
      secretOf: () => 'not used',
    });
    await registerAtServices();
    app = await startPartnerApp({ gateway: gatewayOrigin, user: 'grace' });
    site = await servePopupPage(gatewayOrigin);
    const settings = { redirectUris: [`${app.origin}/back`, `${site.origin}/back`], connectUri: null, logoText: 'P' };
    const added = await gateway.store.db
      .transaction()
      .execute((transaction) =>
        addPartner(transaction, { clientId: 'pine', name: 'Pine', ...settings }, { now: Date.now() }),
      );
    app.credentials = { clientId: 'pine', clientSecret: added.secret };
    browser = await launchBrowser();
  }, SETUP_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await app?.close();
    await gateway?.close();
    await sandbox?.close();
    await rm(root, { recursive: true, force: true });
  });

  async function registerAtServices(): Promise<void> {
    const vault = await vaultBeside(gateway.store);
    const clients = createUpstreamClients({ db: gateway.store.db, vault });
    for (const service of SERVICES) {
      const registration = { partnerId: null, service, clientId: 'gateway', clientSecret: SECRET };
      await clients.put(registration, { now: Date.now() });
    }
  }

  test.each([
    ['asana', 'Asana', 'asana_get_user', { userGid: 'me' }],
    ['box', 'Box', 'box_get_current_user', {}],
    ['discord', 'Discord', 'discord_list_servers', {}],
    ['github', 'GitHub', 'github_list_repositories', {}],
    ['spotify', 'Spotify', 'spotify_list_playlists', {}],
  ] as const)('%s', async (service, title, tool, args) => {
    verifies('rfc6750-2.1-upstream');
    const page = await browser.newPage();
    await page.goto(`${app.origin}/connections?service=${service}`);
    await page.getByRole('button', { name: `Continue with ${title}` }).click();
    await page.getByLabel('User name').fill('grace');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: `Connected ${service}` }).waitFor();
    await page.close();
    expect(app.tokens).toMatchObject({ user_id: 'grace', service });
    await callWith(app.tokens!.access_token, tool, args);
    const calls = sandbox.requests().filter((request) => request.service === service);
    expect(calls.at(-1)).toMatchObject({
      status: 200,
      headers: { authorization: expect.stringMatching(/^Bearer sandbox_access_/) },
    });
  });

  async function callWith(token: string, tool: string, args: object): Promise<void> {
    const client = await connectClient({ url: gateway.url, token });
    const result = await client.callTool({ name: tool, arguments: { ...args } });
    await client.close();
    expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
  }

  const partner = () => createPartnerClient(gatewayOrigin(), app.credentials);

  async function allowInPopup(state: string): Promise<{ page: Page; popup: Page }> {
    const body = {
      user_id: 'grace',
      services: ['github'],
      redirect_uri: `${site.origin}/back`,
      state,
      allowed_origins: [site.origin],
    };
    const session = await answerOf(partner().POST('/api/partner/connect-sessions', { body }));
    const page = await browser.newPage();
    await page.goto(`${site.origin}/`);
    await preparePopup(page, session.connect_url, { state });
    const opened = page.waitForEvent('popup');
    await page.click('#go');
    const popup = await opened;
    await popup.getByRole('button', { name: 'Continue with GitHub' }).click();
    await popup.getByLabel('User name').fill('grace');
    await popup.getByRole('button', { name: 'Allow' }).click();
    return { page, popup };
  }

  async function redeemAndCall(code: string): Promise<void> {
    const body = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: `${site.origin}/back`,
      user_id: 'grace',
    } as const;
    const tokens = await answerOf(partner().POST('/api/oauth/token', { body, ...AS_FORM }));
    expect(tokens).toMatchObject({ user_id: 'grace', services: ['github'] });
    await callWith(tokens.access_token, 'github_list_repositories', {});
  }

  test('github, from a connect session in a popup that reports to its opener', async () => {
    const { page } = await allowInPopup('popup-1');
    const result = (await popupResult(page)) as { code: string };
    expect(result).toEqual({ code: expect.stringMatching(/^utg_cc_/), state: 'popup-1' });
    await redeemAndCall(result.code);
    await page.context().close();
  });

  test('github, from a connect session in a popup whose opener the authorize page cut off', async () => {
    const server = sandbox.authorizationServer('github');
    server.change({ cutsOpener: true });
    const { page, popup } = await allowInPopup('popup-2');
    await popup.waitForURL(`${site.origin}/back?**`);
    server.change({ cutsOpener: false });
    const back = new URL(popup.url()).searchParams;
    expect(back.get('state')).toBe('popup-2');
    expect(await popupResult(page)).toEqual({ rejected: 'closed' });
    await redeemAndCall(back.get('code') ?? '');
    await page.context().close();
  });
});
