import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { verifies } from './verifies.ts';

const REDIRECT_URI = 'http://127.0.0.1:7000/callback';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
  readonly body: any;
}

async function send(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(new URL(path, gateway.issuer), { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  send(path, { method: 'POST', headers, body: new URLSearchParams(form) });

const metadata = async () => (await send('/.well-known/oauth-authorization-server')).body;
const resourceMetadata = async () => (await send('/.well-known/oauth-protected-resource')).body;

const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_basic' };

async function register(changes: object = { token_endpoint_auth_method: 'none' }): Promise<Record<string, string>> {
  const answer = await send('/api/mcp/oauth/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT_URI], ...changes }),
  });
  return answer.body;
}

function authorizeUrl(clientId: string, changes: Record<string, string> = {}): URL {
  const url = new URL('/api/mcp/oauth/authorize', gateway.issuer);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'a-state',
    ...changes,
  }).toString();
  return url;
}

async function codeFor(clientId: string): Promise<Record<string, string>> {
  const url = authorizeUrl(clientId);
  const { searchParams } = await consent({ url, connectionCode: await gateway.connectionCode() });
  return {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  };
}

async function accessToken(): Promise<string> {
  const { client_id = '' } = await register();
  const { body } = await post('/api/mcp/oauth/token', { ...(await codeFor(client_id)), client_id });
  return body.access_token;
}

const listTools = (headers: Record<string, string> = {}) =>
  send('/api/mcp/unified', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });

describe('both metadata documents', () => {
  test('have no member that is null or an empty list', async () => {
    verifies('rfc9728-3.2-no-empty-members', 'rfc8414-3.2-no-empty-members');
    for (const document of [await metadata(), await resourceMetadata()]) {
      const values = Object.values(document);
      expect(values.length).toBeGreaterThan(4);
      expect(values.filter((value) => value === null || value === '' || String(value) === '')).toEqual([]);
    }
  });

  test('offer the scope for refresh tokens at the authorization server alone', async () => {
    verifies('mcp-no-offline-access');
    const { headers } = await listTools();
    expect((await metadata()).scopes_supported).toEqual(['tools:read', 'tools:write', 'offline_access']);
    const texts = [await resourceMetadata(), headers.get('WWW-Authenticate')];
    for (const text of texts) {
      expect(JSON.stringify(text)).toContain('tools:read');
      expect(JSON.stringify(text)).not.toContain('offline_access');
    }
  });
});

describe('the metadata of the authorization server', () => {
  test('has an issuer without path, query and fragment', async () => {
    verifies('rfc8414-2-issuer');
    const { issuer } = await metadata();
    expect(new URL(issuer).origin).toBe(issuer);
  });

  test('names the grant types that the token endpoint supports', async () => {
    verifies('rfc8414-2-grant-types');
    const { client_id = '' } = await register();
    const named: string[] = (await metadata()).grant_types_supported;
    const others = ['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'];
    const errors = await Promise.all(
      [...named, ...others].map(
        async (grant_type) => (await post('/api/mcp/oauth/token', { grant_type, client_id })).body.error,
      ),
    );
    const forPublicClients = ['invalid_request', 'invalid_request', 'unauthorized_client'];
    expect(errors).toEqual([...forPublicClients, ...others.map(() => 'unsupported_grant_type')]);
  });

  test('names the response types that the authorization endpoint supports', async () => {
    verifies('rfc8414-2-response-types');
    const { client_id = '' } = await register();
    const { response_types_supported } = await metadata();
    expect(response_types_supported).toEqual(['code']);
    for (const response_type of ['token', 'id_token', 'code id_token', 'none']) {
      const { status, body } = await send(authorizeUrl(client_id, { response_type }).href);
      expect([status, body]).toEqual([400, expect.stringContaining('response_type must be code')]);
    }
  });
});

describe('the resource server', () => {
  test('accepts no token in a form', async () => {
    verifies('rfc6750-2.2-form');
    const answer = await post('/api/mcp/unified', { access_token: await accessToken() });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).not.toContain('error=');
  });

  test('writes challenges within the grammar of a quoted string', async () => {
    verifies('rfc6750-3-quoting');
    for (const authorization of ['Bearer utg_at_unknown', 'Bearer "a\\b"', 'Bearer a"b', 'Bearer', 'Basic YTpi']) {
      const { headers } = await listTools({ Authorization: authorization });
      const challenge = headers.get('WWW-Authenticate') ?? '';
      expect(challenge).toMatch(/^Bearer ([a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(, (?=[a-z])|$))+$/);
    }
  });

  test('lets a token read that has only the writing scope', async () => {
    verifies('mcp-scope-hierarchy');
    const { client_id = '' } = await register();
    const { body } = await post('/api/mcp/oauth/token', { ...(await codeFor(client_id)), client_id });
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id, scope: 'tools:write' };
    const refreshed = await post('/api/mcp/oauth/token', form);
    expect(refreshed.body.scope).toBe('tools:write');
    const both = await listTools({ Authorization: `Bearer ${body.access_token}` });
    const writing = await listTools({ Authorization: `Bearer ${refreshed.body.access_token}` });
    expect([writing.status, writing.body]).toEqual([200, both.body]);
  });

  test('requires a token in every request', async () => {
    verifies('mcp-token-every-request');
    const granted = await listTools({ Authorization: `Bearer ${await accessToken()}` });
    expect(granted.status).toBe(200);
    expect(granted.headers.getSetCookie()).toEqual([]);
    expect(granted.headers.get('Mcp-Session-Id')).toBeNull();
    expect((await listTools()).status).toBe(401);
  });
});

describe('the consent page', () => {
  test('cannot be read by a page of another origin', async () => {
    verifies('rfc9700-2.6-no-cors');
    const { client_id = '' } = await register();
    const origin = { Origin: 'https://app.example' };
    const page = await send(authorizeUrl(client_id).href, { headers: origin });
    const preflight = await send(authorizeUrl(client_id).href, {
      method: 'OPTIONS',
      headers: { ...origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(page.status).toBe(200);
    for (const { headers } of [page, preflight]) expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  });

  test('asks again when the same client returns in the same browser', async () => {
    verifies('mcp-consent-each-time');
    const { client_id = '' } = await register();
    const url = authorizeUrl(client_id);
    const first = await send(url.href);
    const cookie = first.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await consent({ url, connectionCode: await gateway.connectionCode(), cookie });
    const again = await send(url.href, { headers: { Cookie: cookie } });
    expect([again.status, again.headers.get('Location')]).toEqual([200, null]);
    expect(again.body).toContain('name="connection_code"');
  });
});

describe('the token, revocation and registration endpoints', () => {
  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('refuse the method %s', async (method) => {
    verifies('rfc6749-3.2-post', 'rfc7009-2-post');
    for (const path of ['/api/mcp/oauth/token', '/api/mcp/oauth/revoke']) {
      const answer = await send(path, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('Allow')).toContain('POST');
    }
  });

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])('refuse a %s body', async (type) => {
    verifies('rfc6749-3.2-form', 'rfc7009-2-post');
    for (const path of ['/api/mcp/oauth/token', '/api/mcp/oauth/revoke']) {
      const body = JSON.stringify({ grant_type: 'refresh_token', token: 'x' });
      const answer = await send(path, { method: 'POST', headers: { 'Content-Type': type }, body });
      expect([answer.status, answer.body.error]).toEqual([415, 'invalid_request']);
    }
  });

  test.each(['/api/mcp/oauth/token', '/api/mcp/oauth/revoke'])('let pages of any origin use %s', async (path) => {
    verifies('rfc9700-2.6-token-browser', 'rfc7009-2.3-browser');
    const origin = { Origin: 'https://app.example' };
    const preflight = await send(path, {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain('mcp-protocol-version');
    const answer = await post(path, {}, origin);
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([400, '*']);
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });

  test('form-decode the id and the secret of a Basic header', async () => {
    verifies('rfc6749-2.3.1-encoding');
    const { client_id = '', client_secret = '' } = await register(CONFIDENTIAL);
    const encode = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const credentials = Buffer.from(`${encode(client_id)}:${encode(client_secret)}`).toString('base64');
    const form = await codeFor(client_id);
    const answer = await post('/api/mcp/oauth/token', form, { Authorization: `Basic ${credentials}` });
    expect(answer.status).toBe(200);
  });

  test('accept no credentials in the URL', async () => {
    verifies('rfc6749-2.3.1-not-in-url');
    const { client_id = '', client_secret = '' } = await register(CONFIDENTIAL);
    const form = await codeFor(client_id);
    const query = new URLSearchParams({ client_id, client_secret });
    for (const body of [form, { ...form, client_id }]) {
      const answer = await post(`/api/mcp/oauth/token?${query}`, body);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    }
    const inBody = await post('/api/mcp/oauth/token', { ...form, client_id, client_secret });
    expect(inBody.status).toBe(200);
  });

  test('verify the code verifier of the RFC 7636 example', async () => {
    verifies('rfc7636-b-example');
    const { client_id = '' } = await register();
    const form = { ...(await codeFor(client_id)), client_id };
    const wrong = await post('/api/mcp/oauth/token', { ...form, code_verifier: VERIFIER.toLowerCase() });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_grant']);
    expect((await post('/api/mcp/oauth/token', form)).status).toBe(200);
  });

  test('give every registration a unique id and secret', async () => {
    verifies('rfc7591-3.2.1-unique');
    const [one, two] = await Promise.all([register(CONFIDENTIAL), register(CONFIDENTIAL)]);
    expect(one?.client_id).toMatch(/^client-/);
    expect(one?.client_id).not.toBe(two?.client_id);
    expect(one?.client_secret).toMatch(/^utg_cs_/);
    expect(one?.client_secret).not.toBe(two?.client_secret);
  });
});
