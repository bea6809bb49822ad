import { createHash } from 'node:crypto';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UpstreamClient } from '../../../../server/base/credentials/upstream-clients.ts';
import { createUpstreamOAuth } from '../../../../server/call/upstream/oauth/index.ts';
import { withOAuthOrigin } from '../../../../server/call/upstream/oauth/origins.ts';
import type { TokenAnswer } from '../../../../server/call/upstream/oauth/types.ts';
import type { Connector, OAuth2Rules } from '../../../../server/contract/index.ts';
import { fakeConnector } from '../../../support/fake-connector.ts';
import {
  startUpstreamAuthorizationServer,
  UPSTREAM_CLIENT,
  type UpstreamAuthorizationServer,
} from '../../../support/upstream-authorization-server.ts';

const REDIRECT_URI = 'http://127.0.0.1:9/connect/things/callback';
const VERIFIER = 'the-code-verifier-of-this-test-is-43-characters';
const client: UpstreamClient = { id: 'row', service: 'things', ...UPSTREAM_CLIENT };
const agent = new Agent();
const gateway = createUpstreamOAuth({ dispatcher: () => agent, userAgent: 'test' });
const signal = AbortSignal.timeout(600_000);

let upstream: UpstreamAuthorizationServer;
let rules: OAuth2Rules;
beforeAll(async () => {
  upstream = await startUpstreamAuthorizationServer();
  upstream.serve(REDIRECT_URI);
  rules = moved(upstream.rules, upstream.origin);
});
afterAll(async () => {
  await upstream.close();
  await agent.close();
});

function moved(oauth2: OAuth2Rules, origin: string): OAuth2Rules {
  const connector: Connector = fakeConnector({
    tools: [],
    parts: [{ id: 'account', type: 'oauth2', label: 'Account', oauth2 }],
  });
  const [part] = withOAuthOrigin(connector, origin).credential.parts;
  if (part?.type !== 'oauth2') throw new Error('the part is gone');
  return part.oauth2;
}

async function signIn(user: string): Promise<TokenAnswer> {
  const url = gateway.authorizationUrl(rules, {
    clientId: client.clientId,
    redirectUri: REDIRECT_URI,
    state: 'the-state',
    codeChallenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    scopes: ['things.read'],
  });
  const { searchParams } = await upstream.allow(url, user);
  expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['the-state', rules.issuer]);
  const code = searchParams.get('code') ?? '';
  return gateway.exchangeCode(rules, { client, code, redirectUri: REDIRECT_URI, codeVerifier: VERIFIER }, signal);
}

async function askApi(accessToken: string): Promise<unknown> {
  const response = await fetch(`${upstream.origin}/things`, { headers: { authorization: `Bearer ${accessToken}` } });
  return response.status === 200 ? response.json() : response.status;
}

describe('the gateway as a client of an independent authorization server', () => {
  test('gets tokens for the user who allowed it', async () => {
    const tokens = await signIn('ada');
    expect(tokens.scopes).toEqual(['things.read']);
    expect(tokens.expiresAt).toBeGreaterThan(Date.now());
    expect(await askApi(tokens.accessToken)).toEqual({ user: 'ada', scopes: ['things.read'] });
  });

  test('refreshes with rotation, and an old refresh token gives invalid_grant', async () => {
    const first = await signIn('ada');
    const second = await gateway.refresh(rules, { client, refreshToken: first.refreshToken ?? '' }, signal);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(await askApi(second.accessToken)).toMatchObject({ user: 'ada' });
    const again = gateway.refresh(rules, { client, refreshToken: first.refreshToken ?? '' }, signal);
    await expect(again).rejects.toMatchObject({ kind: 'invalid_grant', code: 'invalid_grant' });
  });

  test('revokes', async () => {
    const { accessToken, refreshToken } = await signIn('ada');
    await gateway.revoke(rules, { client, token: refreshToken ?? '', hint: 'refresh_token' }, signal);
    expect(await askApi(accessToken)).toBe(401);
  });

  test('gets a token for itself', async () => {
    const tokens = await gateway.clientCredentials(rules, { client, scopes: ['things.read'] }, signal);
    expect([tokens.refreshToken, await askApi(tokens.accessToken)]).toEqual([
      null,
      { user: null, scopes: ['things.read'] },
    ]);
  });

  test('a wrong client secret gives invalid_client', async () => {
    const wrong = { ...client, clientSecret: 'wrong' };
    const asked = gateway.clientCredentials(rules, { client: wrong, scopes: [] }, signal);
    await expect(asked).rejects.toMatchObject({ kind: 'invalid_client' });
  });
});
