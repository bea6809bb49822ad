import { createHash } from 'node:crypto';
import { type Configuration, Provider } from 'oidc-provider';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { obtainClient } from '../../../../scripts/upstream-client/register.ts';
import { createUpstreamClients } from '../../../../server/base/credentials/upstream-clients.ts';
import { createOutgoing } from '../../../../server/base/guarded-fetch/outgoing.ts';
import { createUpstreamOAuth } from '../../../../server/call/upstream/oauth/index.ts';
import { registerAgain } from '../../../../server/call/upstream/oauth/registration.ts';
import { describeClientOf } from '../../../../server/connect/client-metadata.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { CookieBrowser, type Seen } from '../../../support/browser-with-cookies.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { type Host, startHost } from '../upstream/support.ts';

const REDIRECT_URI = 'https://acme.example/back';
const HOUR = 3_600_000;

let host: Host;
let provider: Provider;
let gateway: RunningGateway;
let connector: Connector;
let secret: string;
let registered: string[] = [];
let audiences: unknown[] = [];
let revoked = 0;

beforeEach(async () => {
  registered = [];
  audiences = [];
  revoked = 0;
  host = await startHost((request, response) => {
    const { pathname } = new URL(request.url ?? '/', host.origin);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const document = { resource: `${host.origin}/mcp`, authorization_servers: [host.origin] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return;
    }
    if (pathname === '/.well-known/oauth-authorization-server') request.url = '/.well-known/openid-configuration';
    provider.callback()(request, response);
  });
  provider = createProvider();
  provider.on('registration_create.success', (_context, client) => registered.push(client.clientId));
  provider.on('access_token.saved', (token) => audiences.push(token.aud));
  provider.on('refresh_token.destroyed', () => {
    revoked += 1;
  });
  const resource = { resource: `${host.origin}/mcp` };
  const account = oauth2Part(host.origin, {
    authorizationUrl: `${host.origin}/auth`,
    revocationUrl: `${host.origin}/token/revocation`,
    issuer: host.origin,
    authorizeParameters: resource,
    tokenParameters: resource,
  });
  const tool = fakeTool({ name: 'notes_list', more: { scopes: [['notes.read']] } });
  connector = fakeConnector({ name: 'notes', title: 'Notes', tools: [tool], parts: [account] });
  gateway = await startGateway({ connectors: [connector], secretOf: () => 'seeded' });
  const acme = { clientId: 'acme', name: 'Acme', redirectUris: [REDIRECT_URI] };
  const { db } = gateway.store;
  secret = (await db.transaction().execute((transaction) => addPartner(transaction, acme, { now: Date.now() }))).secret;
});
afterEach(async () => {
  await gateway.close();
  await host.close();
});

function createProvider(more: Partial<Configuration> = {}): Provider {
  return new Provider(host.origin, {
    ...more,
    features: {
      ...more.features,
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => false,
        getResourceServerInfo: (_context, resource) => ({
          audience: resource,
          scope: 'notes.read',
          accessTokenFormat: 'opaque',
        }),
      },
    },
    scopes: ['notes.read', 'offline_access'],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    issueRefreshToken: () => Promise.resolve(true),
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
}

const origin = () => new URL(gateway.url).origin;
const headers = () => ({ Authorization: `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}` });

async function register(now: number): Promise<void> {
  const outgoing = createOutgoing({ networks: ['127.0.0.1/32'] });
  const client = await obtainClient({ connector, mcpAddress: `${host.origin}/mcp`, publicUrl: origin() }, outgoing);
  await outgoing.close();
  const clients = createUpstreamClients({ db: gateway.store.db, vault: await vaultBeside(gateway.store) });
  await clients.put({ partnerId: null, service: 'notes', ...client }, { now });
}

async function openPage(browser: CookieBrowser): Promise<Seen> {
  const body = { user_id: 'alice', services: ['notes'], redirect_uri: REDIRECT_URI, state: 'state-1' };
  const response = await fetch(`${origin()}/api/partner/connect-sessions`, {
    method: 'POST',
    headers: { ...headers(), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return browser.open(((await response.json()) as { connect_url: string }).connect_url);
}

async function signIn(browser: CookieBrowser, page: Seen, beforeAnswer = async () => {}): Promise<Seen> {
  const stopAt = /\/auth\?|\/connect\/notes\/callback\?/;
  const asked = await browser.submit(page, { decision: 'connect', kind: '0' }, { stopAt });
  const url = await allow(asked.url.href);
  await beforeAnswer();
  return browser.open(url.href, { stopAt: /acme\.example/ });
}

async function allow(authorizationUrl: string): Promise<URL> {
  const person = new CookieBrowser();
  const stopAt = /\/callback\?/;
  const login = await person.open(authorizationUrl, { stopAt });
  const consent = await person.submit(login, { login: 'ada', password: 'any' }, { stopAt });
  return (await person.submit(consent, {}, { stopAt })).url;
}

async function redeem({ url }: Seen): Promise<void> {
  const code = url.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' };
  const body = new URLSearchParams(form);
  expect((await fetch(`${origin()}/api/oauth/token`, { method: 'POST', headers: headers(), body })).status).toBe(200);
}

const forget = (clientId: string | undefined) =>
  (provider.Client as unknown as { adapter: { destroy(id: string): Promise<void> } }).adapter.destroy(clientId ?? '');

test('a user signs in with a registered client, for the server alone, and the tokens are revoked with the connection', async () => {
  await register(Date.now());
  const browser = new CookieBrowser();
  const back = await signIn(browser, await openPage(browser));
  expect(back.url.searchParams.get('code')).toMatch(/^utg_cc_/);
  expect([registered.length, audiences]).toEqual([1, [`${host.origin}/mcp`]]);
  await redeem(back);
  const address = `${origin()}/api/partner/users/alice/connections/notes`;
  expect((await fetch(address, { method: 'DELETE', headers: headers() })).status).toBe(204);
  await expect.poll(() => revoked).toBe(1);
});

test('a client that the authorization server has forgotten is registered again once', async () => {
  await register(Date.now() - 2 * HOUR);
  const browser = new CookieBrowser();
  const page = await signIn(browser, await openPage(browser), () => forget(registered[0]));
  expect([page.status, page.text.includes('could not check this sign-in')]).toEqual([502, true]);
  expect(registered).toHaveLength(2);
  const again = await signIn(browser, page, () => forget(registered[1]));
  expect([again.status, again.text.includes('is not set up here')]).toEqual([503, true]);
  expect(registered).toHaveLength(2);
});

test('two gateways that lose one client register once', async () => {
  await register(Date.now() - 2 * HOUR);
  const clients = createUpstreamClients({ db: gateway.store.db, vault: await vaultBeside(gateway.store) });
  const client = await clients.find('any', 'notes');
  if (client === null) throw new Error('not registered');
  const claims = Array.from({ length: 8 }, () => clients.claimRegistration(client, Date.now()));
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
});

test('a client that someone entered is never replaced', async () => {
  const clients = createUpstreamClients({ db: gateway.store.db, vault: await vaultBeside(gateway.store) });
  await clients.put({ partnerId: null, service: 'notes', clientId: 'typed', clientSecret: 's' }, { now: 0 });
  const client = await clients.find('any', 'notes');
  expect(client !== null && (await clients.claimRegistration(client, Date.now()))).toBe(false);
});

test('a secret that someone enters while the client is registered again stays', async () => {
  await register(Date.now() - 2 * HOUR);
  const clients = createUpstreamClients({ db: gateway.store.db, vault: await vaultBeside(gateway.store) });
  const client = await clients.find('any', 'notes');
  const self = describeClientOf(origin(), connector);
  if (client === null || self === undefined) throw new Error('not registered');
  const typed = { partnerId: null, service: 'notes', clientId: client.clientId, clientSecret: 'typed' };
  const raced = {
    findById: clients.findById,
    put: clients.put,
    async claimRegistration(...claim: Parameters<typeof clients.claimRegistration>) {
      const isClaimed = await clients.claimRegistration(...claim);
      await clients.put(typed, { now: Date.now() });
      return isClaimed;
    },
  };
  const outgoing = createOutgoing({ networks: ['127.0.0.1/32'] });
  expect(await registerAgain(client, { clients: raced, outgoing, self, now: Date.now })).toBe(false);
  await outgoing.close();
  expect((await clients.find('any', 'notes'))?.clientSecret).toBe('typed');
});

test('the client metadata document names its address and every redirect URI', async () => {
  const response = await fetch(`${origin()}/connect/client-metadata.json`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(await response.json()).toMatchObject({
    client_id: `${origin()}/connect/client-metadata.json`,
    redirect_uris: [`${origin()}/connect/notes/callback`],
    token_endpoint_auth_method: 'none',
  });
});

test('an authorization server that reads client metadata documents takes the gateway by its own', async () => {
  const publicUrl = 'https://gateway.example';
  await gateway.close();
  const env = { PUBLIC_URL: publicUrl, TRUST_PROXY: 'none' };
  gateway = await startGateway({ connectors: [connector], secretOf: () => 'seeded', env });
  provider = createProvider({
    features: { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } },
    fetch: async (url) => {
      const { host: name, pathname } = new URL(String(url));
      const { statusCode, body } = await request(gateway.listensAt + pathname, { headers: { host: name } });
      return new Response(await body.text(), { status: statusCode });
    },
  });
  const outgoing = createOutgoing({ networks: ['127.0.0.1/32'] });
  const issued = await obtainClient({ connector, mcpAddress: `${host.origin}/mcp`, publicUrl }, outgoing);
  expect(issued).toEqual({ clientId: `${publicUrl}/connect/client-metadata.json`, clientSecret: null });
  const [part] = connector.credential.parts;
  if (part?.type !== 'oauth2') throw new Error('the part is gone');
  const client = { id: 'row', service: 'notes', ...issued };
  const redirectUri = `${publicUrl}/connect/notes/callback`;
  const oauth = createUpstreamOAuth({ dispatcher: outgoing.dispatcher, userAgent: 'test' });
  const codeVerifier = 'the-code-verifier-of-this-test-is-43-characters';
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const asked = { clientId: issued.clientId, redirectUri, state: 'state', codeChallenge, scopes: ['notes.read'] };
  const code = (await allow(oauth.authorizationUrl(part.oauth2, asked))).searchParams.get('code') ?? '';
  const exchange = { client, code, redirectUri, codeVerifier };
  const tokens = await oauth.exchangeCode(part.oauth2, exchange, AbortSignal.timeout(10_000));
  await outgoing.close();
  expect([tokens.scopes, registered]).toEqual([['notes.read'], []]);
});
