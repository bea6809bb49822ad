import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodegenCommand } from '../../codegen/command.ts';
import { type OpenSandbox, openSandbox } from '../../sandbox/open.ts';
import { createConnectorCommand } from '../../scripts/connector/command.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createCredentialVault } from '../../server/credentials/index.ts';
import { createUpstreamClients } from '../../server/credentials/upstream-clients.ts';
import { addPartner } from '../../server/partners/manage.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { keyBytes } from '../support/keys.ts';
import { connectClient } from '../support/mcp-client.ts';
import { type PartnerApp, startPartnerApp } from '../support/partner-app.ts';
import { runInProcess } from '../support/run-command.ts';

const SERVICES = ['asana', 'discord', 'github', 'spotify'] as const;
const DESCRIPTORS = resolve(import.meta.dirname, '../oauth2-services');
const SECRET = 'the-secret-of-the-gateway';
const SETUP_TIMEOUT_MS = 120_000;

describe.skipIf(!hasBrowser())('public services from their descriptor to a tool call, in Chromium', () => {
  let root: string;
  let sandbox: OpenSandbox;
  let gateway: RunningGateway;
  let app: PartnerApp;
  let browser: Browser;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'public-services-'));
    for (const service of SERVICES) {
      const descriptor = join(DESCRIPTORS, service, 'openapi.yaml');
      const added = await runInProcess(createConnectorCommand, ['add', descriptor, '--name', service, '--root', root]);
      expect(added.code, added.err).toBe(0);
      const written = join(root, 'specs', service, 'connector.yaml');
      await cp(join(DESCRIPTORS, service, 'connector.yaml'), written);
    }
    const generated = await runInProcess(createCodegenCommand, ['--root', root, '--no-cache']);
    expect(generated.code, generated.err).toBe(0);
    const address = pathToFileURL(join(root, 'generated/index.ts')).href;
    const { connectors } = (await import(address)) as { connectors: readonly Connector[] };
    sandbox = await openSandbox({ root, connectors, credential: SECRET });
    gateway = await startGateway({
      connectors,
      env: Object.assign({}, ...Object.values(sandbox.environment)),
      secretOf: () => 'not used',
    });
    await registerAtServices();
    app = await startPartnerApp({ gateway: () => new URL(gateway.url).origin, user: 'grace' });
    const settings = { redirectUris: [`${app.origin}/back`], connectUri: null, logoText: 'P' };
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
    await app?.close();
    await gateway?.close();
    await sandbox?.close();
    await rm(root, { recursive: true, force: true });
  });

  async function registerAtServices(): Promise<void> {
    const vault = createCredentialVault({ keys: [{ id: 'test', key: keyBytes(1) }] });
    const clients = createUpstreamClients({ db: gateway.store.db, vault });
    for (const service of SERVICES) {
      const registration = { partnerId: null, service, clientId: 'gateway', clientSecret: SECRET };
      await clients.put(registration, { now: Date.now() });
    }
  }

  test.each([
    ['asana', 'Asana', 'asana_get_user', { userGid: 'me' }],
    ['discord', 'Discord', 'discord_list_servers', {}],
    ['github', 'GitHub', 'github_list_repositories', {}],
    ['spotify', 'Spotify', 'spotify_list_playlists', {}],
  ] as const)('%s', async (service, title, tool, args) => {
    const page = await browser.newPage();
    await page.goto(`${app.origin}/connections?service=${service}`);
    await page.getByRole('button', { name: `Continue with ${title}` }).click();
    await page.getByLabel('User name').fill('grace');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: `Connected ${service}` }).waitFor();
    await page.close();
    expect(app.tokens).toMatchObject({ user_id: 'grace', service });
    const client = await connectClient({ url: gateway.url, token: app.tokens!.access_token });
    const result = await client.callTool({ name: tool, arguments: args });
    await client.close();
    expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
    const calls = sandbox.requests().filter((request) => request.service === service);
    expect(calls.at(-1)).toMatchObject({
      status: 200,
      headers: { authorization: expect.stringMatching(/^Bearer sandbox_access_/) },
    });
  });
});
