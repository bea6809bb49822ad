import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createUpstreamOAuth } from '../../../../../server/call/upstream/oauth/index.ts';
import { TokenRequestError, type UpstreamOAuth } from '../../../../../server/call/upstream/oauth/types.ts';
import type { OAuth2Rules } from '../../../../../server/contract/index.ts';
import { verifies } from '../../../../requirements/verifies.ts';
import { oauth2Rules } from '../../../../support/oauth-rules.ts';
import { type Host, startHost } from '../support.ts';

const NOW = 1_700_000_000_000;
const CLIENT = { service: 'library', id: 'row', clientId: 'the client', clientSecret: 'p+ss:wörd' };
const GRANTED = { access_token: 'at-1', refresh_token: 'rt-2', expires_in: 3600, scope: 'read write' };

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string | object;
}

let host: Host;
let agent: Agent;
let oauth: UpstreamOAuth;
let answer: Answer;
let heard: { path: string; headers: Record<string, unknown>; body: string }[];
let silent: boolean;

beforeEach(async () => {
  heard = [];
  silent = false;
  answer = { body: GRANTED };
  host = await startHost(async (request, response) => {
    heard.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    if (silent) return;
    const { status = 200, headers = {}, body } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  agent = new Agent();
  oauth = createUpstreamOAuth({ dispatcher: () => agent, userAgent: 'gateway-test/1.0', now: () => NOW });
});
afterEach(async () => {
  await agent.destroy();
  await host.close();
});

const going = () => new AbortController().signal;
const rules = (changes: Partial<OAuth2Rules> = {}) => oauth2Rules(host.origin, changes);
const refresh = (changes: Partial<OAuth2Rules> = {}, signal = going()) =>
  oauth.refresh(rules(changes), { client: CLIENT, refreshToken: 'rt-1' }, signal);
const sent = () => Object.fromEntries(new URLSearchParams(heard[0]?.body));

async function failure(request: Promise<unknown>): Promise<TokenRequestError> {
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TokenRequestError)) throw new Error('no TokenRequestError', { cause: error });
  return error;
}

describe('an authorization URL (RFC 6749 §4.1.1)', () => {
  const request = {
    clientId: 'client',
    redirectUri: 'https://gateway.example/connect/library/callback',
    state: 'state',
    codeChallenge: 'challenge',
    scopes: ['read', 'write'],
  };

  test('has the client, the callback, the state, the challenge and every scope once', () => {
    verifies('rfc6749-4.1.1-upstream', 'rfc7636-4.2-upstream-s256');
    const url = new URL(oauth.authorizationUrl(rules({ scopes: ['offline_access', 'read'] }), request));
    expect(`${url.origin}${url.pathname}`).toBe(`${host.origin}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      scope: 'offline_access read write',
      response_type: 'code',
      client_id: 'client',
      redirect_uri: request.redirectUri,
      state: 'state',
      code_challenge: 'challenge',
      code_challenge_method: 'S256',
    });
  });

  test('has the parameters that the connector adds, but never in place of its own', () => {
    verifies('rfc6749-4.1.1-upstream-own');
    const own = { client_id: 'evil', redirect_uri: 'https://evil.example', state: 'evil', code_challenge: 'evil' };
    const more = { ...own, response_type: 'token', request_uri: 'https://evil.example', access_type: 'offline' };
    const quirks = { authorizeParameters: more, scopeParameter: 'user_scope', scopeSeparator: ',' };
    const url = new URL(
      oauth.authorizationUrl(
        { ...rules(quirks), authorizationUrl: `${host.origin}/authorize?tenant=1` },
        { ...request, codeChallenge: null },
      ),
    );
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: '1',
      access_type: 'offline',
      user_scope: 'read,write',
      response_type: 'code',
      client_id: 'client',
      redirect_uri: request.redirectUri,
      state: 'state',
    });
  });
});

describe('a token request', () => {
  test('exchanges a code with its verifier (RFC 6749 §4.1.3, RFC 7636 §4.5)', async () => {
    verifies('rfc6749-4.1.3-upstream', 'rfc7636-4.5-upstream');
    const request = { client: CLIENT, code: 'code', redirectUri: 'https://gateway.example/back', codeVerifier: 'v' };
    const tokens = await oauth.exchangeCode(rules(), request, going());
    expect(tokens).toEqual({
      accessToken: 'at-1',
      refreshToken: 'rt-2',
      expiresAt: NOW + 3_600_000,
      scopes: ['read', 'write'],
    });
    expect(sent()).toEqual({
      grant_type: 'authorization_code',
      code: 'code',
      redirect_uri: 'https://gateway.example/back',
      code_verifier: 'v',
    });
    expect(heard[0]).toMatchObject({ path: '/token', headers: { accept: 'application/json' } });
  });

  test('form-encodes id and secret in the header (RFC 6749 §2.3.1)', async () => {
    verifies('rfc6749-2.3.1-upstream');
    await refresh();
    const [scheme, pair = ''] = String(heard[0]?.headers.authorization).split(' ');
    expect([scheme, Buffer.from(pair, 'base64').toString()]).toEqual(['Basic', 'the+client:p%2Bss%3Aw%C3%B6rd']);
    expect(sent()).toEqual({ grant_type: 'refresh_token', refresh_token: 'rt-1' });
  });

  test('has the client in the body where the connector asks for it, and no secret for a public client', async () => {
    await refresh({ clientAuthentication: 'body' });
    expect(sent()).toMatchObject({ client_id: 'the client', client_secret: 'p+ss:wörd' });
    heard = [];
    await refresh({ clientAuthentication: 'none' });
    expect(sent()).toEqual({ grant_type: 'refresh_token', refresh_token: 'rt-1', client_id: 'the client' });
    expect(heard[0]?.headers.authorization).toBeUndefined();
  });

  test('is JSON, at the refresh URL, where the connector asks for it', async () => {
    const tokenParameters = { audience: 'api', grant_type: 'evil', client_secret: 'evil', refresh_token: 'evil' };
    await refresh({ tokenRequest: 'json', refreshUrl: `${host.origin}/refresh?v=2`, tokenParameters });
    expect(heard[0]).toMatchObject({ path: '/refresh?v=2', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(heard[0]!.body)).toEqual({ audience: 'api', grant_type: 'refresh_token', refresh_token: 'rt-1' });
  });

  test('asks for a token of the client itself (RFC 6749 §4.4)', async () => {
    verifies('rfc6749-4.4-upstream');
    const request = { client: CLIENT, scopes: ['read'] };
    await oauth.clientCredentials(rules({ flow: 'client_credentials', scopes: ['all'] }), request, going());
    expect(sent()).toEqual({ grant_type: 'client_credentials', scope: 'all read' });
  });

  test('revokes a token (RFC 7009 §2.1), and sends nothing where the upstream has no revocation', async () => {
    verifies('rfc7009-2.1-upstream');
    answer = { body: '' };
    const request = { client: CLIENT, token: 'rt-1', hint: 'refresh_token' } as const;
    await oauth.revoke(rules({ tokenParameters: { audience: 'api' } }), request, going());
    expect([heard[0]?.path, sent()]).toEqual(['/revoke', { token: 'rt-1', token_type_hint: 'refresh_token' }]);
    await oauth.revoke(rules({ revocationUrl: null }), request, going());
    expect(heard).toHaveLength(1);
    answer = { status: 400, body: { error: 'unsupported_token_type' } };
    expect(await failure(oauth.revoke(rules(), request, going()))).toMatchObject({ kind: 'refused' });
  });
});

describe('an answer with tokens', () => {
  test('may have no refresh token, no scope and no expiry', async () => {
    answer = { body: { access_token: 'at-1' } };
    expect(await refresh()).toEqual({ accessToken: 'at-1', refreshToken: null, expiresAt: null, scopes: null });
  });

  test('gets the lifetime of the connector where it has none', async () => {
    for (const body of [{ access_token: 'at-1' }, { access_token: 'at-1', expires_in: 0 }]) {
      answer = { body };
      expect(await refresh({ expiresInSeconds: 60 })).toMatchObject({ expiresAt: NOW + 60_000 });
    }
  });

  test('may have its members elsewhere, numbers as text, and scopes separated by commas', async () => {
    answer = { body: { authed_user: { access_token: 'at-9', scope: 'read,write' }, ok: true, ttl: '120' } };
    const pointers = {
      accessToken: '/authed_user/access_token',
      refreshToken: '/authed_user/refresh_token',
      expiresIn: '/ttl',
      scope: '/authed_user/scope',
    };
    const want = { accessToken: 'at-9', refreshToken: null, expiresAt: NOW + 120_000, scopes: ['read', 'write'] };
    expect(await refresh({ answer: pointers })).toEqual(want);
  });

  test('may be a form, as GitHub sends it', async () => {
    answer = {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'access_token=gho_1&scope=repo%2Cgist&token_type=bearer',
    };
    expect(await refresh()).toMatchObject({ accessToken: 'gho_1', scopes: ['repo', 'gist'] });
  });
});

describe('an answer without tokens', () => {
  test.each<[title: string, answer: Answer, want: { kind: string; code?: string | null }]>([
    ['invalid_grant', { status: 400, body: { error: 'invalid_grant' } }, { kind: 'invalid_grant' }],
    ['invalid_client', { status: 401, body: { error: 'invalid_client' } }, { kind: 'invalid_client' }],
    ['401 without a body', { status: 401, body: '' }, { kind: 'invalid_client', code: null }],
    ['another error', { status: 400, body: { error: 'invalid_scope' } }, { kind: 'refused', code: 'invalid_scope' }],
    ['200 with ok: false (Slack)', { body: { ok: false, error: 'invalid_refresh_token' } }, { kind: 'invalid_grant' }],
    ['200 with a form (GitHub)', { body: 'error=bad_refresh_token&error_description=x' }, { kind: 'invalid_grant' }],
    ['200 with JSON (GitHub)', { body: { error: 'incorrect_client_credentials' } }, { kind: 'invalid_client' }],
    ['429', { status: 429, body: { error: 'invalid_grant' } }, { kind: 'unavailable' }],
    ['500 with invalid_grant', { status: 500, body: { error: 'invalid_grant' } }, { kind: 'unavailable' }],
    ['200 with neither a token nor an error', { body: { hello: 'world' } }, { kind: 'unavailable', code: null }],
    ['an HTML page', { body: '<html>Sign in</html>' }, { kind: 'unavailable', code: null }],
    ['broken JSON', { body: '{"access_token":' }, { kind: 'unavailable', code: null }],
    ['a token that no header can carry', { body: { access_token: 'a\r\nx: y' } }, { kind: 'unavailable' }],
    ['ok: false with a token', { body: { ok: false, access_token: 'at-1' } }, { kind: 'unavailable' }],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' }, body: '' }, { kind: 'unavailable' }],
    ['a body over the limit', { body: ' '.repeat(70_000) }, { kind: 'unavailable' }],
  ])('%s', async (_, given, want) => {
    answer = given;
    expect(await failure(refresh())).toMatchObject(want);
    expect(heard).toHaveLength(1);
  });

  test('says how long to wait', async () => {
    answer = { status: 503, headers: { 'retry-after': '7' }, body: '' };
    expect(await failure(refresh())).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 7 });
  });

  test('stops at its timeout, and when the signal aborts', async () => {
    silent = true;
    const quick = createUpstreamOAuth({ dispatcher: () => agent, userAgent: 'x', timeoutMs: 30 });
    const request = { client: CLIENT, refreshToken: 'rt-1' };
    expect(await failure(quick.refresh(rules(), request, going()))).toMatchObject({ kind: 'unavailable' });
    expect(await failure(refresh({}, AbortSignal.abort()))).toMatchObject({ kind: 'unavailable' });
  });

  test('includes nothing that was sent in the error', async () => {
    for (const error of ['rt-1', 'xrt-1x', 'Wrong secret: p+ss:wörd', 'x'.repeat(65)]) {
      answer = { status: 400, body: { error, error_description: 'rt-1' } };
      const thrown = await failure(refresh());
      expect(thrown.code).toBeNull();
      expect(JSON.stringify([thrown.message, thrown, String(thrown.cause)])).not.toMatch(/rt-1|p\+ss/);
    }
  });
});
