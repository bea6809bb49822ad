import { describe, expect, test } from 'vitest';
import { findClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { parseClientMetadata } from '../../../../server/identity/oauth/client-metadata.ts';
import { OAuthError } from '../../../../server/identity/protocol/error.ts';
import type { RequirementId } from '../../../requirements/oauth.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { describeOAuth, REDIRECT_URI, signIn } from './support.ts';

function parse(metadata: unknown) {
  return parseClientMetadata(metadata, { privateUseSchemes: ['com.example.app'] });
}

function refusalOf(metadata: unknown): [number, string] {
  try {
    parse(metadata);
  } catch (error) {
    if (error instanceof OAuthError) return [error.status, error.error];
    throw error;
  }
  return [0, 'accepted'];
}

describe('client metadata (RFC 7591 §2)', () => {
  test('accepts, drops and refuses redirect URIs', () => {
    verifies('mcp-redirect-https', 'mcp-redirect-schemes', 'rfc8252-7.1-register', 'rfc8252-7.3-register');
    verifies('rfc7591-3.2.2-redirect-uri', 'rfc6749-3.1.2-fragment', 'rfc7591-3.2.1-replaced');
    const uris = ['https://app.example.com/cb', 'http://[::1]:8080/cb?x=1', 'com.example.app:/oauth2/callback'];
    const dropped = [
      { redirectUri: 'acme://callback', reason: 'has a scheme that is not accepted' },
      { redirectUri: 'http://localhost.example.com/callback', reason: 'is http, but not on localhost' },
    ];
    const others = dropped.map(({ redirectUri }) => redirectUri);
    const { redirectUris, droppedRedirectUris, registered } = parse({ redirect_uris: [...uris, ...others] });
    expect([redirectUris, registered.redirect_uris, droppedRedirectUris]).toEqual([uris, uris, dropped]);
    for (const uri of [...others, 'javascript:alert(1)', 'https://app.example.com/callback#', '/callback', '']) {
      expect(refusalOf({ redirect_uris: [uri] })).toEqual([400, 'invalid_redirect_uri']);
    }
  });

  test.each<[string, unknown, string, RequirementId]>([
    ['missing redirect URIs', {}, 'invalid_redirect_uri', 'rfc7591-2-redirect-uris'],
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri', 'rfc7591-2-redirect-uris'],
    ['a redirect URI that is not a string', { redirect_uris: [1] }, 'invalid_redirect_uri', 'rfc7591-2-redirect-uris'],
    ['a body that is a list', [], 'invalid_client_metadata', 'rfc7591-3.2.2-metadata'],
    ['a body that is null', null, 'invalid_client_metadata', 'rfc7591-3.2.2-metadata'],
  ])('refuses %s', (_title, metadata, error, requirement) => {
    verifies(requirement);
    expect(refusalOf(metadata)).toEqual([400, error]);
  });

  test.each([
    ['tools:read', 'tools:read'],
    ['openid tools:read offline_access tools:read', 'tools:read'],
    ['tools:write', 'tools:read tools:write'],
    ['tools:write tools:read', 'tools:read tools:write'],
    ['Tools:Read', 'tools:read tools:write'],
    ['openid', 'tools:read tools:write'],
    ['', 'tools:read tools:write'],
    [null, 'tools:read tools:write'],
    [7, 'tools:read tools:write'],
    [undefined, 'tools:read tools:write'],
  ])('with the scope %j registers %s', (scope, registered) => {
    expect(parse({ redirect_uris: [REDIRECT_URI], scope }).registered.scope).toBe(registered);
  });

  test.each<[string, object, RequirementId]>([
    ['another authentication method', { token_endpoint_auth_method: 'private_key_jwt' }, 'rfc7591-3.2.2-metadata'],
    ['grant types without a code', { grant_types: ['client_credentials'] }, 'rfc7591-2-consistent'],
    ['response types without a code', { response_types: ['token'] }, 'rfc7591-2-consistent'],
    ['another application type', { application_type: 'toaster' }, 'rfc7591-3.2.2-metadata'],
    ['a name with a NUL', { client_name: 'a\0b' }, 'rfc7591-5-shown'],
    ['a name that changes the text direction', { client_name: 'a\u202eb' }, 'rfc7591-5-shown'],
    ['a name that is not well-formed', { client_name: 'a\ud800b' }, 'rfc7591-5-shown'],
    ['a name that is too long', { client_name: 'a'.repeat(201) }, 'rfc7591-5-limits'],
  ])('refuses %s', (_title, metadata, requirement) => {
    verifies(requirement);
    expect(refusalOf({ redirect_uris: [REDIRECT_URI], ...metadata })).toEqual([400, 'invalid_client_metadata']);
  });

  test.each([
    ['a client_uri that runs code', { client_uri: 'javascript:alert(1)' }],
    ['an embedded logo', { logo_uri: 'data:image/png;base64,iVBORw0KGgo=' }],
    ['a policy that is no text', { policy_uri: 7 }],
  ])('leaves out %s', (_title, metadata) => {
    verifies('rfc7591-5-shown', 'rfc7591-3.2.1-replaced');
    const { registered } = parse({ redirect_uris: [REDIRECT_URI], ...metadata, software_id: 'kept' });
    expect(registered).toMatchObject({ software_id: 'kept' });
    for (const name of Object.keys(metadata)) expect(registered).not.toHaveProperty(name);
  });

  test('keeps ten redirect URIs, and names the others', () => {
    verifies('rfc7591-5-limits', 'rfc7591-3.2.1-replaced');
    const uris = Array.from({ length: 11 }, (_, index) => `https://app.example.com/${index}`);
    const { redirectUris, droppedRedirectUris } = parse({ redirect_uris: uris });
    expect(redirectUris).toEqual(uris.slice(0, 10));
    expect(droppedRedirectUris).toEqual([
      { redirectUri: uris[10], reason: 'comes after 10 others, the most that a client may have' },
    ]);
  });
});

describeOAuth('client registration (RFC 7591)', (given) => {
  test('a public client gets an id and all registered metadata', async () => {
    verifies(
      'rfc7591-2-unknown',
      'rfc7591-3.2.1-answer',
      'rfc7591-3.2.1-no-store',
      'rfc7591-3.2.1-no-null',
      'rfc8252-8.4-public',
    );
    const answer = await given.register({
      client_name: 'Inspector',
      redirect_uris: [REDIRECT_URI, 'https://app.example.com/callback', REDIRECT_URI],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      application_type: 'native',
      client_uri: 'https://app.example.com',
      logo_uri: null,
      tos_uri: '',
      scope: 'openid tools:read',
      unheard_of: { nested: true },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      client_id: expect.stringMatching(/^client-[A-Za-z0-9_-]{22}$/),
      client_id_issued_at: 1_700_000_000,
      client_name: 'Inspector',
      redirect_uris: [REDIRECT_URI, 'https://app.example.com/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      scope: 'tools:read',
      client_uri: 'https://app.example.com',
    });
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('Pragma')).toBe('no-cache');
    expect(await findClient(given.store.db, answer.body.client_id)).toEqual({
      clientId: answer.body.client_id,
      clientName: 'Inspector',
      redirectUris: [REDIRECT_URI, 'https://app.example.com/callback'],
      applicationType: 'native',
      authenticationMethod: 'none',
      confidential: false,
      secretHash: null,
      jwks: null,
      jwksUri: null,
      document: null,
      wasAllowed: false,
      createdAt: expect.any(Number),
      registeredFrom: expect.any(String),
      scopes: 'tools:read',
    });
    expect(await given.events()).toEqual([]);
    expect(await given.anonymousEvents()).toEqual({ client_registered: 1 });
  });

  test('a client that names no authentication method is public, and refreshes with three fields', async () => {
    verifies('rfc7591-3.2.1-default-method', 'rfc6749-3.2.1-public');
    const { status, body } = await given.register({ redirect_uris: ['https://app.example.com/callback'] });
    expect([status, body.token_endpoint_auth_method]).toEqual([201, 'none']);
    expect(body).not.toHaveProperty('client_secret');
    const { refreshToken } = await signIn(given, { clientId: body.client_id });
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: body.client_id };
    expect((await given.token(form)).status).toBe(200);
  });

  test('a confidential client gets a secret that does not expire', async () => {
    verifies('rfc7591-3.2.1-secret');
    const { status, body } = await given.register({
      redirect_uris: ['https://app.example.com/callback'],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_secret: expect.stringMatching(/^utg_cs_[A-Za-z0-9_-]{43}$/),
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'web',
    });
    expect(await findClient(given.store.db, body.client_id)).toMatchObject({ confidential: true, clientName: null });
    const rows = await given.store.db.selectFrom('oauth_clients').selectAll().execute();
    expect(JSON.stringify([rows, await given.store.db.selectFrom('audit_events').selectAll().execute()])).not.toContain(
      body.client_secret,
    );
    expect(given.lines.join('')).not.toContain(body.client_secret);
  });

  test('a client gets its accepted redirect URIs, and a list of the others', async () => {
    verifies('rfc7591-3.2.1-replaced', 'rfc7591-3.2.1-answer');
    const answer = await given.register({
      redirect_uris: ['acme://callback', REDIRECT_URI, 'http://app.example.com/callback', 'acme://callback'],
      token_endpoint_auth_method: 'none',
    });
    expect(answer.status).toBe(201);
    expect(answer.body.redirect_uris).toEqual([REDIRECT_URI]);
    expect(answer.body.dropped_redirect_uris).toEqual([
      { redirect_uri: 'acme://callback', reason: 'has a scheme that is not accepted' },
      { redirect_uri: 'http://app.example.com/callback', reason: 'is http, but not on localhost' },
    ]);
    expect(await findClient(given.store.db, answer.body.client_id)).toMatchObject({ redirectUris: [REDIRECT_URI] });
  });

  test.each([
    ['native', [REDIRECT_URI, 'http://localhost/callback']],
    ['native', ['com.example.app:/callback']],
    ['native', ['com.example.app:/callback', 'https://app.example.com/callback', REDIRECT_URI]],
    ['web', [REDIRECT_URI, 'https://app.example.com/callback']],
  ])('a client without an application type is %s with %j', async (applicationType, redirect_uris) => {
    verifies('mcp-application-type');
    const { body } = await given.register({ redirect_uris });
    expect(body.application_type).toBe(applicationType);
  });

  test('a refused registration leaves nothing behind', async () => {
    verifies('rfc7591-3.2.2-redirect-uri', 'rfc7591-3.2.2-metadata');
    const uri = await given.register({ redirect_uris: [REDIRECT_URI, 'javascript:alert(1)'] });
    expect([uri.status, uri.body.error]).toEqual([400, 'invalid_redirect_uri']);
    const name = await given.register({ redirect_uris: [REDIRECT_URI], client_name: 'a\0b' });
    expect([name.status, name.body.error]).toEqual([400, 'invalid_client_metadata']);
    expect(await given.store.db.selectFrom('oauth_clients').selectAll().execute()).toEqual([]);
    expect(await given.events()).toEqual([]);
  });

  test.each<[string, number, Record<string, string>, string, RequirementId]>([
    ['a form', 415, { 'Content-Type': 'application/x-www-form-urlencoded' }, 'redirect_uris=x', 'rfc7591-3.1-json'],
    ['text that is not JSON', 400, { 'Content-Type': 'application/json' }, '{', 'rfc7591-3.1-json'],
    [
      'a body that is too large',
      413,
      { 'Content-Type': 'application/json' },
      `"${'a'.repeat(70_000)}"`,
      'rfc7591-5-limits',
    ],
  ])('answers %s with %i', async (_title, status, headers, body, requirement) => {
    verifies(requirement);
    const answer = await given.send('/api/mcp/oauth/register', { method: 'POST', headers, body });
    expect([answer.status, answer.body.error]).toEqual([status, 'invalid_request']);
  });

  test('a page of any origin may register', async () => {
    verifies('rfc7591-3-browser');
    const preflight = await given.send('/api/mcp/oauth/register', {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://inspector.example.com',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe(
      'Authorization, Content-Type, MCP-Protocol-Version',
    );
    const answer = await given.send('/api/mcp/oauth/register', {
      method: 'POST',
      headers: { Origin: 'https://inspector.example.com', 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([400, '*']);
  });

  test('GET is answered with 405 and Allow', async () => {
    verifies('rfc7591-3.1-json');
    const answer = await given.send('/api/mcp/oauth/register');
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'OPTIONS, POST']);
    expect(answer.body.error).toBe('invalid_request');
  });

  test('a client is marked as used by the first consent', async () => {
    const { clientId } = await signIn(given);
    given.now += 5000;
    await signIn(given, { clientId });
    const rows = await given.store.db.selectFrom('oauth_clients').select('first_used_at').execute();
    expect(rows).toEqual([{ first_used_at: 1_700_000_000_000 }]);
  });
});

describeOAuth(
  'the limit of registrations',
  (given) => {
    test('answers 429 and says how long to wait', async () => {
      verifies('rfc7591-5-limits');
      const answer = await given.register();
      expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '7']);
      expect(await given.events()).toEqual([]);
    });
  },
  {
    limits: {
      ...limitsWithout(),
      exact: () => ({ consume: async () => 7, reserve: async () => ({ waitSeconds: 7 }) }),
    },
  },
);
