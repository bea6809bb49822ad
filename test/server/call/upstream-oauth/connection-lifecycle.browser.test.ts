import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createUpstreamClients } from '../../../../server/base/credentials/upstream-clients.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { CookieBrowser } from '../../../support/browser-with-cookies.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import {
  startUpstreamAuthorizationServer,
  UPSTREAM_CLIENT,
  type UpstreamAuthorizationServer,
} from '../../../support/upstream-authorization-server.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { callTool } from './support.ts';

const REDIRECT_URI = 'https://acme.example/back';
const TOKEN_SECONDS = 2;

let upstream: UpstreamAuthorizationServer;
let gateway: RunningGateway;
let origin: string;
let authorization: string;

beforeAll(async () => {
  upstream = await startUpstreamAuthorizationServer();
  const connectors: Connector[] = [
    fakeConnector({
      title: 'Things',
      tools: [fakeTool({ name: 'library_things', more: { scopes: [['things.read']] } })],
      parts: [{ id: 'account', type: 'oauth2', label: 'Account', oauth2: upstream.rules }],
    }),
  ];
  gateway = await startGateway({
    connectors,
    env: { LIBRARY_BASE_URL: upstream.origin, LIBRARY_OAUTH_ORIGIN: upstream.origin },
    secretOf: () => 'unused',
  });
  origin = new URL(gateway.url).origin;
  upstream.serve(`${origin}/connect/library/callback`);
  upstream.setAccessTokenSeconds(TOKEN_SECONDS);
  const now = Date.now();
  const { secret } = await gateway.store.db
    .transaction()
    .execute((transaction) =>
      addPartner(transaction, { clientId: 'acme', name: 'Acme', redirectUris: [REDIRECT_URI] }, { now }),
    );
  authorization = `Basic ${Buffer.from(`acme:${secret}`).toString('base64')}`;
  const vault = await vaultBeside(gateway.store);
  const client = { partnerId: null, service: 'library', ...UPSTREAM_CLIENT };
  await createUpstreamClients({ db: gateway.store.db, vault }).put(client, { now });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function ask(method: string, path: string, body?: URLSearchParams | object) {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(origin + path, {
    method,
    headers: { Authorization: authorization, ...(isForm || !body ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds is what the test looks at
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as any) };
}

async function connect(user: string): Promise<string> {
  const session = { user_id: user, services: ['library'], redirect_uri: REDIRECT_URI, state: 'state-1' };
  const { connect_url } = (await ask('POST', '/api/partner/connect-sessions', session)).body;
  const browser = new CookieBrowser();
  const page = await browser.open(connect_url);
  const asked = await browser.submit(page, { decision: 'connect', kind: '0' }, { stopAt: /\/auth\?/ });
  const back = await upstream.allow(asked.url.href, `${user}-at-things`);
  const { url } = await browser.open(back, { stopAt: /^https:\/\/acme\.example\// });
  const redeemed = await ask(
    'POST',
    '/api/oauth/token',
    new URLSearchParams({
      grant_type: 'authorization_code',
      code: url.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      user_id: user,
    }),
  );
  expect(redeemed.body).toMatchObject({ user_id: user, services: ['library'] });
  return redeemed.body.access_token;
}

test('a connection to another implementation outlives its expiry, rotates its refresh token and is revoked when removed', async () => {
  const token = await connect('ada');
  const asAda = { isError: false, text: '{"user":"ada-at-things","scopes":["things.read"]}' };
  expect(await callTool(origin, token, 'library_things')).toMatchObject(asAda);
  expect(upstream.granted).toEqual({ authorization_code: 1 });
  for (const round of [1, 2]) {
    await delay(TOKEN_SECONDS * 1000);
    const calls = Array.from({ length: 20 }, () => callTool(origin, token, 'library_things'));
    for (const called of await Promise.all(calls)) expect(called).toMatchObject(asAda);
    expect(upstream.granted.refresh_token).toBe(round);
  }
  expect((await ask('DELETE', '/api/partner/users/ada/connections/library')).status).toBe(204);
  await vi.waitFor(() => expect(upstream.revoked()).toBe(1), 10_000);
  const { events } = (await ask('GET', '/api/partner/events')).body;
  const types = events.map(({ type }: { type: string }) => type);
  expect(types).toContain('connection.created');
  expect(types).toContain('connection.removed');
  expect(types).not.toContain('connection.attention');
});
