import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectUser } from '../../../scripts/demo/connect.ts';
import { createUpstreamClients } from '../../../server/base/credentials/upstream-clients.ts';
import { findUser } from '../../../server/base/store/repositories/users.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { addPartner } from '../../../server/identity/partners/manage.ts';
import { checkUpstreamClients } from '../../../server/modules/doctor/upstreams.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CookieBrowser, type Seen } from '../../support/browser-with-cookies.ts';
import { fakeConnector, fakeTool } from '../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { oauth2Part } from '../../support/oauth-rules.ts';
import { type OAuthUpstream, startOAuthUpstream } from '../../support/oauth-upstream.ts';
import { vaultBeside } from '../../support/vault-beside.ts';
import { findConnection } from '../base/store/fixtures.ts';

const REDIRECT_URI = 'https://acme.example/back';
const AWAY = /^(https:\/\/acme\.example\/|http:\/\/127\.0\.0\.1:\d+\/authorize)/;

const list = fakeTool({ name: 'hub_list', more: { scopes: [['audit', 'people.read'], ['things.read']] } });
const write = fakeTool({ name: 'hub_write', method: 'POST', more: { scopes: [['things.write']] } });

function connectorsAt(origin: string, changes: Parameters<typeof oauth2Part>[1] = {}): Connector[] {
  const tools = [list, write];
  const base = { tools, errors: {} };
  const oauth = oauth2Part(origin, { scopes: ['offline_access'], ...changes });
  const key = { id: 'key', type: 'header', label: 'API key', name: 'x-key' } as const;
  const hub = fakeConnector({ ...base, name: 'hub', title: 'The hub', parts: [oauth] });
  const machine = fakeConnector({
    ...base,
    tools: [],
    name: 'machine',
    title: 'The machine',
    parts: [oauth2Part(origin, { flow: 'client_credentials', authorizationUrl: null })],
  });
  const alternatives = [{ label: 'A key', parts: [key], help: 'In the settings.', url: null }];
  return [
    {
      ...hub,
      credential: { ...hub.credential, label: 'Sign in', alternatives },
      verify: { tool: 'hub_list', arguments: {} },
    },
    machine,
  ];
}

describe('the sign-in of an upstream', () => {
  let upstream: OAuthUpstream;
  let gateway: RunningGateway;
  let partnerId: string;
  let secret: string;
  let now: number;

  async function start(changes: Parameters<typeof oauth2Part>[1] = {}): Promise<void> {
    gateway = await startGateway({
      connectors: connectorsAt(upstream.origin, changes),
      env: { LIBRARY_BASE_URL: upstream.origin },
      secretOf: () => 'seeded',
      now: () => now,
    });
    const added = await gateway.store.db
      .transaction()
      .execute((transaction) =>
        addPartner(transaction, { clientId: 'acme', name: 'Acme', redirectUris: [REDIRECT_URI] }, { now }),
      );
    partnerId = added.partner.id;
    secret = added.secret;
  }

  const origin = () => new URL(gateway.url).origin;
  const register = async (service = 'hub') => {
    const vault = await vaultBeside(gateway.store);
    const client = { partnerId: null, service, clientId: 'gateway-at-hub', clientSecret: 'hub-secret' };
    await createUpstreamClients({ db: gateway.store.db, vault }).put(client, { now });
  };
  const post = async (path: string, body: object | URLSearchParams) => {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(origin() + path, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`,
        ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
    return (await response.json()) as any;
  };
  const openSession = async (browser: CookieBrowser, services = ['hub']): Promise<Seen> => {
    const body = { user_id: 'alice', services, redirect_uri: REDIRECT_URI, state: 'state-1' };
    return browser.open((await post('/api/partner/connect-sessions', body)).connect_url);
  };
  const submit = (browser: CookieBrowser, page: Seen, fields: Record<string, string> = {}, kind = '0') =>
    browser.submit(page, { decision: 'connect', kind, ...fields }, { stopAt: AWAY });
  const answer = (browser: CookieBrowser, asked: Seen, parameters: Record<string, string>, service = 'hub') => {
    const query = new URLSearchParams({ state: asked.url.searchParams.get('state') ?? '', ...parameters });
    return browser.open(`${origin()}/connect/${service}/callback?${query}`, { stopAt: AWAY });
  };
  const redeem = (at: Seen) =>
    post(
      '/api/oauth/token',
      new URLSearchParams({
        grant_type: 'authorization_code',
        code: at.url.searchParams.get('code') ?? '',
        redirect_uri: REDIRECT_URI,
        user_id: 'alice',
      }),
    );

  beforeEach(async () => {
    now = 1_700_000_000_000;
    upstream = await startOAuthUpstream();
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  test('requests the fewest scopes that the tools need, with PKCE, and stores the granted ones', async () => {
    verifies(
      'rfc6749-4.1.1-upstream',
      'rfc7636-4.1-upstream-verifier',
      'rfc7636-4.2-upstream-s256',
      'rfc7636-4.5-upstream',
      'rfc9700-2.1-upstream-redirect',
    );
    await start();
    await register();
    const browser = new CookieBrowser();
    const page = await openSession(browser);
    expect(page.text).toContain('Continue with The hub');
    for (const scope of ['offline_access', 'things.read', 'things.write']) expect(page.text).toContain(scope);
    expect(page.text).not.toContain('audit');
    const asked = await submit(browser, page);
    expect(asked.url.href.startsWith(`${upstream.origin}/authorize?`)).toBe(true);
    const parameters = Object.fromEntries(asked.url.searchParams);
    expect(parameters).toMatchObject({
      response_type: 'code',
      client_id: 'gateway-at-hub',
      redirect_uri: `${origin()}/connect/hub/callback`,
      scope: 'offline_access things.read things.write',
      code_challenge_method: 'S256',
    });
    const back = await answer(browser, asked, { code: 'upstream-code' });
    expect(back.url.href).toMatch(/^https:\/\/acme\.example\/back\?code=utg_cc_.*state=state-1$/);
    const [request] = upstream.tokenRequests;
    expect(request).toMatchObject({ code: 'upstream-code', redirect_uri: `${origin()}/connect/hub/callback` });
    expect(request?.code_verifier).toMatch(/^[\w-]{43}$/);
    const challenge = createHash('sha256')
      .update(request?.code_verifier ?? '')
      .digest('base64url');
    expect(challenge).toBe(parameters.code_challenge);
    expect(await redeem(back)).toMatchObject({ user_id: 'alice', services: ['hub'] });

    const user = await findUser(gateway.store.db, { partnerId, externalUserId: 'alice' });
    const connection = user && (await findConnection(gateway.store.db, user.id, 'hub'));
    const vault = await vaultBeside(gateway.store);
    if (user === undefined || connection?.sealedCredential == null) throw new Error('not connected');
    const { id: connectionId, sealedCredential } = connection;
    const fields = vault.open(sealedCredential, {
      connectionId,
      partnerId,
      userId: user.id,
      externalUserId: 'alice',
      service: 'hub',
    });
    expect(fields).toEqual({
      'oauth.access_token': 'at-1',
      'oauth.expires_at': expect.any(String),
      'oauth.scope': 'offline_access things.read things.write',
      'oauth.client': expect.any(String),
    });
  });

  test('of a second account waits for its name, once, and removing that account revokes its tokens alone', async () => {
    await start();
    await register();
    const browser = new CookieBrowser();
    await redeem(await answer(browser, await submit(browser, await openSession(browser)), { code: 'upstream-code' }));
    const asked = await submit(browser, await openSession(browser));
    const page = await answer(browser, asked, { code: 'upstream-code' });
    expect(page.text).toContain('Which account of The hub?');
    const fields = { decision: 'account', account: 'add', account_name: 'Second' };
    const back = await browser.submit(page, fields, { stopAt: AWAY });
    expect(await redeem(back)).toMatchObject({ services: ['hub'] });
    expect((await browser.submit(page, fields, { stopAt: AWAY })).status).toBe(400);
    const address = `${origin()}/api/partner/users/alice/connections/hub?account=Second`;
    const headers = { Authorization: `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}` };
    expect((await fetch(address, { method: 'DELETE', headers })).status).toBe(204);
    await expect.poll(() => upstream.revoked).toEqual(['at-2']);
    const named = gateway.store.db
      .selectFrom('connections')
      .select('account_name')
      .where('account_name', 'is not', null);
    expect(await named.execute()).toEqual([{ account_name: 'account-1' }]);
  });

  test('can be replaced by a key, which is verified as usual', async () => {
    await start();
    await register();
    const browser = new CookieBrowser();
    const page = await openSession(browser);
    expect(page.text).toContain('Or: A key');
    upstream.accessTokens.add('a-key');
    const refused = await submit(browser, page, { 'credential-0': 'wrong' }, '1');
    expect(refused.status).toBe(400);
    const back = await submit(browser, refused, { 'credential-0': 'a-key' }, '1');
    expect(back.url.searchParams.get('code')).toMatch(/^utg_cc_/);
  });

  test('works from a plain link too', async () => {
    await start();
    await register();
    const browser = new CookieBrowser();
    const query = new URLSearchParams({ client_id: 'acme', user_id: 'alice', redirect_uri: REDIRECT_URI, state: 's' });
    const asked = await submit(browser, await browser.open(`${origin()}/connect/hub?${query}`));
    const back = await answer(browser, asked, { code: 'upstream-code' });
    expect(await redeem(back)).toMatchObject({ user_id: 'alice', service: 'hub' });
  });

  test('is not offered if the gateway is not registered at the service, and a key is', async () => {
    await start();
    const browser = new CookieBrowser();
    const page = await openSession(browser);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('Continue with The hub');
    expect(page.text).not.toContain('Or: A key');
    upstream.accessTokens.add('a-key');
    const back = await submit(browser, page, { 'credential-0': 'a-key' }, '1');
    expect(back.url.searchParams.get('code')).toMatch(/^utg_cc_/);
  });

  test('does not start if the registration is removed while the page is open', async () => {
    await start();
    await register();
    const browser = new CookieBrowser();
    const page = await openSession(browser);
    const vault = await vaultBeside(gateway.store);
    await createUpstreamClients({ db: gateway.store.db, vault }).remove({ partnerId: null, service: 'hub' }, { now });
    const refused = await submit(browser, page);
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('The hub is not set up here');
    expect(refused.text).not.toContain('Continue with The hub');
  });

  test('of a service that takes nothing else is a problem of the operator, which the page says at once', async () => {
    await start();
    const page = await openSession(new CookieBrowser(), ['machine', 'hub']);
    expect(page.status).toBe(503);
    expect(page.text).toContain('The machine is not set up here');
    expect(page.text).toContain('registered at The machine as an OAuth client');
    expect(page.text).not.toContain('value="connect"');
    expect(page.text).toContain('Skip The machine');
  });

  test('of a service without a registration is reported by the doctor, with what users can do instead', async () => {
    await start();
    const connectors = connectorsAt(upstream.origin);
    expect(await checkUpstreamClients(gateway.store, connectors)).toMatchObject([
      { state: 'ok', seen: expect.stringMatching(/^users connect hub by A key; .*--service hub --client-id <id>$/) },
      { state: 'warning', seen: expect.stringContaining('no user can connect machine') },
    ]);
    await register();
    await register('machine');
    const [seen, ...others] = await checkUpstreamClients(gateway.store, connectors);
    expect([seen?.seen, others]).toEqual(['a client is registered at each upstream that needs one', []]);
  });

  test('is left out by the demo, which types a key instead, and says in one sentence what it cannot do', async () => {
    await start();
    upstream.accessTokens.add('a-key');
    const partner = { clientId: 'acme', secret, redirectUri: REDIRECT_URI };
    const visit = { origin: origin(), partner, user: 'alice', credential: 'a-key' };
    const { token } = await connectUser({ ...visit, services: ['hub'] });
    expect(token).toMatch(/^utg_at_/);
    await register();
    await expect(connectUser({ ...visit, services: ['hub'] })).resolves.toMatchObject({ token: expect.any(String) });
    await expect(connectUser({ ...visit, services: ['machine'] })).rejects.toThrow(
      /^The page "Connect The machine" answered 503: The machine is not set up here\. Tell [^<>]+\.$/,
    );
  });

  test('accepts the answer only in the same browser, for the same service', async () => {
    verifies('rfc6749-10.12-upstream-state', 'rfc9700-4.4.2-upstream-callback');
    await start();
    await register();
    await register('machine');
    const browser = new CookieBrowser();
    const asked = await submit(browser, await openSession(browser));
    const other = new CookieBrowser();
    await openSession(other);
    for (const foreign of [
      await answer(other, asked, { code: 'stolen' }),
      await answer(new CookieBrowser(), asked, { code: 'stolen' }),
      await answer(browser, asked, { code: 'x', state: 'made-up' }),
      await answer(browser, asked, { code: 'x' }, 'machine'),
    ]) {
      expect(foreign.status).toBe(400);
    }
    expect(upstream.tokenRequests).toEqual([]);
    now += 1_800_000;
    expect((await answer(browser, asked, { code: 'x' })).status).toBe(400);
  });

  test('is refused if its answer names another issuer, or none', async () => {
    verifies('rfc9207-2.4-upstream-issuer');
    await start({ issuer: 'https://hub.example' });
    await register();
    const browser = new CookieBrowser();
    const asked = await submit(browser, await openSession(browser));
    for (const iss of [{}, { iss: 'https://evil.example' }]) {
      const page = await answer(browser, asked, { code: 'x', ...iss });
      expect([page.status, page.text.includes('The answer did not come from The hub')]).toEqual([400, true]);
    }
    expect(upstream.tokenRequests).toEqual([]);
    const back = await answer(browser, asked, { code: 'x', iss: 'https://hub.example' });
    expect(back.url.searchParams.get('code')).toMatch(/^utg_cc_/);
  });

  test('that was declined is shown, can be repeated, and is reported to the partner if the user cancels', async () => {
    verifies('rfc7636-4.1-upstream-verifier');
    await start();
    await register();
    const browser = new CookieBrowser();
    const asked = await submit(browser, await openSession(browser));
    const page = await answer(browser, asked, { error: 'access_denied', error_description: '<b>no</b>' });
    expect(page.status).toBe(400);
    expect(page.text).toContain('It says: “access_denied”');
    expect(page.text).not.toContain('<b>');
    const again = await submit(browser, page);
    expect(again.url.pathname).toBe('/authorize');
    const challenges = [asked, again].map(({ url }) => url.searchParams.get('code_challenge'));
    expect(new Set(challenges).size).toBe(2);
    const back = await browser.submit(page, { decision: 'decline' }, { stopAt: AWAY });
    expect(back.url.searchParams.get('error')).toBe('access_denied');
  });

  test.each([
    ['invalid_grant', 400, 'This took too long', 400],
    ['invalid_client', 401, 'is not set up here', 503],
    ['server_error', 500, 'could not check this sign-in', 502],
  ])('whose code is answered with %s is explained', async (error, tokenStatus, words, status) => {
    await start();
    await register();
    upstream.fault = { status: tokenStatus, body: { error } };
    const browser = new CookieBrowser();
    const asked = await submit(browser, await openSession(browser));
    const page = await answer(browser, asked, { code: 'x' });
    expect([page.status, page.text.includes(words)]).toEqual([status, true]);
  });

  test('is not needed if the gateway gets the token itself', async () => {
    await start();
    await register('machine');
    const browser = new CookieBrowser();
    const back = await submit(browser, await openSession(browser, ['machine']));
    expect(upstream.tokenRequests).toMatchObject([{ grant_type: 'client_credentials' }]);
    expect(await redeem(back)).toMatchObject({ services: ['machine'] });
  });

  test('continues with the next service of a session', async () => {
    await start();
    await register();
    await register('machine');
    const browser = new CookieBrowser();
    const asked = await submit(browser, await openSession(browser, ['hub', 'machine']));
    const second = await answer(browser, asked, { code: 'x' });
    expect([second.url.pathname, second.text.includes('Connect The machine')]).toEqual(['/connect', true]);
    expect((await redeem(await submit(browser, second))).services).toEqual(['hub', 'machine']);
    expect((await answer(browser, asked, { code: 'x' })).status).toBe(400);
  });
});
