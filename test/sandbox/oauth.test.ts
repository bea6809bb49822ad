import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxOAuthRules } from '../../sandbox/oauth/rules.ts';
import { buildOAuthRules } from '../../sandbox/oauth/rules.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import {
  authorizeUrl,
  basic,
  callApi,
  decide,
  postForm,
  REDIRECT_URI,
  read,
  refresh,
  signIn,
  startCalendar,
  VERIFIER,
} from './oauth-support.ts';

let now = Date.now();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startCalendar({ now: () => now });
});
afterAll(() => sandbox.close());

const codeForm = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
const tokenUrl = (): string => `${sandbox.origin}/oauth/token`;
const newCode = async (): Promise<string> => (await decide(authorizeUrl(sandbox))).get('code') ?? '';

describe('the authorize page', () => {
  test('names the client and the scopes, and escapes both', async () => {
    const response = await fetch(authorizeUrl(sandbox, { client_id: '<b>gateway</b>' }));
    const html = await response.text();
    expect(html).toContain('&#60;b&#62;gateway');
    expect(html).toContain('<code>events.read</code>');
    expect(html).toContain('<label for="user">');
  });

  test('redirects with code and state after Allow, and with access_denied after Deny', async () => {
    const allowed = await decide(authorizeUrl(sandbox));
    expect([allowed.get('state'), allowed.get('error')]).toEqual(['the-state', null]);
    const denied = await decide(authorizeUrl(sandbox), 'deny');
    expect([denied.get('state'), denied.get('error'), denied.get('code')]).toEqual([
      'the-state',
      'access_denied',
      null,
    ]);
  });

  test.each<[string, Record<string, string | null>, string]>([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no state', { state: null }, 'invalid_request'],
    ['a scope that is not declared', { scope: 'events.read root' }, 'invalid_scope'],
    ['the PKCE method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ])('redirects with an error for %s', async (_, changes, error) => {
    expect((await decide(authorizeUrl(sandbox, changes))).get('error')).toBe(error);
  });

  test.each<[string, Record<string, string | null>]>([
    ['no client', { client_id: null }],
    ['no redirect URI', { redirect_uri: null }],
    ['a redirect URI over http to another host', { redirect_uri: 'http://elsewhere.example/' }],
    ['a redirect URI with a script scheme', { redirect_uri: 'javascript:alert(1)' }],
  ])('shows the error itself for %s', async (_, changes) => {
    const response = await fetch(authorizeUrl(sandbox, changes), { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });
});

describe('the token endpoint', () => {
  test('an independent client gets tokens by code and PKCE, refreshes and revokes', async () => {
    const server: oauth.AuthorizationServer = {
      issuer: sandbox.origin,
      token_endpoint: `${sandbox.origin}/oauth/token`,
    };
    const client: oauth.Client = { client_id: 'an id: with signs' };
    const insecure = { [oauth.allowInsecureRequests]: true };
    const answer = await decide(authorizeUrl(sandbox, { client_id: client.client_id }));
    const checked = oauth.validateAuthResponse(server, client, answer, 'the-state');
    const authenticate = oauth.ClientSecretBasic('se%cret +:');
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      checked,
      REDIRECT_URI,
      VERIFIER,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect([tokens.expires_in, tokens.scope]).toEqual([3600, 'events.read']);
    const refreshing = { ...server, token_endpoint: `${sandbox.origin}/oauth/refresh` };
    const again = await oauth.processRefreshTokenResponse(
      refreshing,
      client,
      await oauth.refreshTokenGrantRequest(refreshing, client, authenticate, tokens.refresh_token ?? '', insecure),
    );
    expect((await callApi(sandbox, again.access_token)).status).toBe(200);
  });

  test('a code works once, and its second use revokes the tokens of the first', async () => {
    const code = await newCode();
    const first = await postForm(tokenUrl(), { ...codeForm, code });
    expect((await callApi(sandbox, first.body.access_token)).status).toBe(200);
    expect((await postForm(tokenUrl(), { ...codeForm, code })).body.error).toBe('invalid_grant');
    expect((await callApi(sandbox, first.body.access_token)).status).toBe(401);
  });

  test.each<[string, Record<string, string>]>([
    ['another redirect URI', { redirect_uri: `${REDIRECT_URI}/` }],
    ['another verifier', { code_verifier: `${VERIFIER}x` }],
    ['an unknown code', { code: 'unknown' }],
  ])('refuses %s', async (_, changes) => {
    const answer = await postForm(tokenUrl(), { ...codeForm, code: await newCode(), ...changes });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('refuses a code of another client', async () => {
    const answer = await postForm(tokenUrl(), { ...codeForm, code: await newCode() }, basic('other', 'the-secret'));
    expect(answer.body.error).toBe('invalid_grant');
  });

  test('accepts the client in the body too, but not in both places', async () => {
    const inBody = { client_id: 'gateway', client_secret: 'the-secret' };
    const form = { ...codeForm, ...inBody };
    expect((await postForm(tokenUrl(), { ...form, code: await newCode() }, {})).status).toBe(200);
    expect((await postForm(tokenUrl(), { ...form, code: await newCode() })).body.error).toBe('invalid_request');
  });

  test('issues no refresh token for client credentials', async () => {
    const answer = await postForm(tokenUrl(), { grant_type: 'client_credentials', scope: 'events.read' });
    expect([answer.status, answer.body.refresh_token]).toEqual([200, undefined]);
    expect((await callApi(sandbox, answer.body.access_token)).status).toBe(200);
  });

  test('refuses an unknown grant type, and a refresh at the token URL if the refresh URL differs', async () => {
    const password = await postForm(tokenUrl(), { grant_type: 'password' });
    expect(password.body.error).toBe('unsupported_grant_type');
    const misplaced = await postForm(tokenUrl(), { grant_type: 'refresh_token', refresh_token: 'any' });
    expect(misplaced.body.error).toBe('unsupported_grant_type');
  });

  test('an answer is not cached', async () => {
    expect((await signIn(sandbox)).headers.get('cache-control')).toBe('no-store');
  });
});

describe('refresh tokens', () => {
  test('rotate, and a second use of an old one revokes the grant', async () => {
    const first = await signIn(sandbox);
    const second = await refresh(sandbox, first.body.refresh_token);
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    expect((await refresh(sandbox, first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(sandbox, second.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await callApi(sandbox, second.body.access_token)).status).toBe(401);
  });

  test.each([
    ['same', 'the same token again'],
    ['kept', 'no token in the answer'],
  ] as const)('%s: %s, and the old one stays valid', async (kind, _what) => {
    sandbox.authorizationServer('calendar').change({ refreshToken: kind });
    const { body } = await signIn(sandbox);
    const answered = (await refresh(sandbox, body.refresh_token)).body.refresh_token;
    expect(answered).toBe(kind === 'same' ? body.refresh_token : undefined);
    expect((await refresh(sandbox, body.refresh_token)).status).toBe(200);
    sandbox.authorizationServer('calendar').change({ refreshToken: 'new' });
  });

  test('never: none is issued', async () => {
    sandbox.authorizationServer('calendar').change({ refreshToken: 'never' });
    expect((await signIn(sandbox)).body.refresh_token).toBeUndefined();
    sandbox.authorizationServer('calendar').change({ refreshToken: 'new' });
  });
});

describe('access tokens at the API', () => {
  test('an unknown one gets invalid_token, a missing one a challenge without an error', async () => {
    const unknown = await callApi(sandbox, 'unknown');
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    const none = await callApi(sandbox, null);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="sandbox"']);
  });

  test('one expires after its lifetime', async () => {
    sandbox.authorizationServer('calendar').change({ accessTokenSeconds: 60 });
    const { body } = await signIn(sandbox);
    expect([body.expires_in, (await callApi(sandbox, body.access_token)).status]).toEqual([60, 200]);
    now += 60_000;
    expect((await callApi(sandbox, body.access_token)).status).toBe(401);
    sandbox.authorizationServer('calendar').change({ accessTokenSeconds: null });
  });

  test('one without the scope gets insufficient_scope, in the shape of the descriptor’s 403', async () => {
    const { body } = await signIn(sandbox, { scope: null });
    const answer = await callApi(sandbox, body.access_token);
    expect([answer.status, answer.body]).toEqual([403, { reason: 'The scope is missing.' }]);
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="events.read"');
  });

  test('one is not accepted as a key, and a key still works', async () => {
    const { body } = await signIn(sandbox);
    expect((await callApi(sandbox, body.access_token, 'POST')).status).toBe(403);
    expect((await callApi(sandbox, 'a-key', 'POST')).status).toBe(204);
    expect((await callApi(sandbox, null, 'GET', '/status')).status).toBe(204);
  });
});

describe('the rules of a connector', () => {
  const [declared] = buildOAuthRules({
    account: {
      type: 'oauth2',
      flows: { authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token' } },
    },
  });
  const rules: SandboxOAuthRules = {
    ...declared!,
    revocationUrl: 'https://login.calendar.example/oauth/revoke',
    issuer: 'https://login.calendar.example',
    scopeSeparator: ',',
    scopeParameter: 'user_scope',
    authorizeParameters: { access_type: 'offline' },
    tokenParameters: { audience: 'calendar' },
    clientAuthentication: 'body',
    tokenRequest: 'json',
    answer: { accessToken: '/user/token', refreshToken: '/user/refresh', expiresIn: '/ttl', scope: '/user/scope' },
    prefix: 'Token token=',
    pkce: true,
  };
  let strange: Sandbox;
  beforeAll(async () => {
    strange = await startCalendar({
      oauth: { rules: [rules], scopes: {}, takesKeys: false },
      credential: 'the-secret',
    });
  });
  afterAll(() => strange.close());

  const asked = { scope: null, user_scope: 'events.read,events.write', access_type: 'offline' };
  const postJson = async (path: string, body: object) =>
    read(
      await fetch(strange.origin + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: 'gateway', client_secret: 'the-secret', audience: 'calendar', ...body }),
      }),
    );

  test('decide parameters, shapes, prefix, issuer and revocation', async () => {
    const back = await decide(authorizeUrl(strange, asked));
    expect(back.get('iss')).toBe(strange.origin);
    const answer = await postJson('/oauth/token', { ...codeForm, code: back.get('code') });
    const { token, scope } = answer.body.user as { token: string; scope: string };
    expect([scope, answer.body.ttl]).toEqual(['events.read,events.write', 3600]);
    const call = async (prefix: string) =>
      (await fetch(`${strange.origin}/calendar/v1/events`, { headers: { authorization: prefix + token } })).status;
    expect([await call('Bearer '), await call('Token token=')]).toEqual([401, 200]);
    expect((await postJson('/oauth/revoke', { token })).status).toBe(200);
    expect(await call('Token token=')).toBe(401);
  });

  test.each<[string, Record<string, string | null>]>([
    ['without PKCE', { code_challenge: null }],
    ['without its own parameter', { access_type: null }],
  ])('refuse an authorization %s', async (_, changes) => {
    expect((await decide(authorizeUrl(strange, { ...asked, ...changes }))).get('error')).toBe('invalid_request');
  });

  test.each<[string, Record<string, string>, string]>([
    ['without its own parameter', { audience: 'other' }, 'invalid_request'],
    ['with a wrong client secret', { client_secret: 'wrong' }, 'invalid_client'],
  ])('refuse a token request %s', async (_, changes, error) => {
    const code = (await decide(authorizeUrl(strange, asked))).get('code');
    expect((await postJson('/oauth/token', { ...codeForm, code, ...changes })).body.error).toBe(error);
  });

  test('refuse a form if JSON is required', async () => {
    expect((await postForm(`${strange.origin}/oauth/token`, codeForm)).body.error).toBe('invalid_request');
  });
});

describe('the scopes of a connector', () => {
  test('replace the declared ones, and can be requested', async () => {
    const rules = buildOAuthRules({
      account: {
        type: 'oauth2',
        flows: { authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token' } },
      },
    });
    const scopes = { 'GET /events': [['events.own']] };
    const corrected = await startCalendar({ oauth: { rules, scopes, takesKeys: false } });
    const call = async (scope: string, method: string) =>
      (await callApi(corrected, (await signIn(corrected, { scope })).body.access_token, method)).status;
    expect([await call('events.own', 'GET'), await call('events.read', 'GET')]).toEqual([200, 403]);
    expect([await call('events.read events.write', 'POST'), await call('events.own', 'POST')]).toEqual([204, 403]);
    await corrected.close();
  });
});

describe('a descriptor without security', () => {
  test('requires what its connector says: a token with one set of scopes, or a key', async () => {
    const document = { openapi: '3.1.0', info: { title: 'Silent', version: '1' }, paths: {} as Record<string, object> };
    document.paths['/things'] = { get: { operationId: 'list', responses: { 204: { description: 'Yes' } } } };
    const rules = buildOAuthRules({
      account: {
        type: 'oauth2',
        flows: { authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token' } },
      },
    });
    const oauthOfConnector = { rules, scopes: { 'GET /things': [['all'], ['a', 'b']] }, takesKeys: true };
    const silent = await startSandbox({ services: [{ name: 'silent', document, oauth: oauthOfConnector }] });
    const call = async (authorization: string) =>
      (await fetch(`${silent.origin}/silent/things`, { headers: { authorization } })).status;
    const tokenOf = async (scope: string) => (await signIn(silent, { scope })).body.access_token;
    expect(await call(`Bearer ${await tokenOf('a')}`)).toBe(403);
    expect(await call(`Bearer ${await tokenOf('b a')}`)).toBe(204);
    expect(await call(`Bearer ${await tokenOf('all')}`)).toBe(204);
    expect(await call('Bearer a-key')).toBe(204);
    expect(await call('')).toBe(401);
    await silent.close();
  });
});
