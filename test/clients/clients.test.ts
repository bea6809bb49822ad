import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS } from '../../server/modules/landing/clients.ts';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { CLIENTS_FROM_SOURCE } from './from-source.ts';
import { fill, RECORDINGS, type RecordedRequest, type Values } from './recording.ts';

const TOOL_COUNT = 68;
const VERIFIER = 'a-verifier-of-forty-three-characters-or-more';

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway();
});
afterAll(() => gateway?.close());

async function visitConsentPage(path: string, values: Values): Promise<Values> {
  const url = gateway.issuer + fill(path, values);
  const answer = await consent({ url, connectionCode: await gateway.connectionCode() });
  const asked = new URL(url).searchParams;
  expect(answer.href.startsWith(asked.get('redirect_uri') ?? 'nothing')).toBe(true);
  expect(answer.searchParams.get('state')).toBe(asked.get('state'));
  expect(answer.searchParams.get('iss')).toBe(gateway.issuer);
  return { ...values, code: answer.searchParams.get('code') ?? '' };
}

async function send(request: RecordedRequest, values: Values): Promise<Values> {
  if (request.path.startsWith('/api/mcp/oauth/authorize')) return visitConsentPage(request.path, values);
  const { method, headers, body } = request;
  const response = await fetch(gateway.issuer + fill(request.path, values), {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, fill(value, values)]),
    ...(body === undefined ? {} : { body: fill(body, values) }),
  });
  const opensStream = method === 'GET' && headers['mcp-protocol-version'] !== undefined;
  if (opensStream && request.status === 405) {
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    await response.body?.cancel();
    return values;
  }
  const text = await response.text();
  expect([request.path, response.status, text.slice(0, 300)]).toEqual([
    request.path,
    request.status,
    expect.any(String),
  ]);
  if (response.status === 401) expect(response.headers.get('WWW-Authenticate')).toContain('resource_metadata=');
  if (body?.includes('"tools/list"') && response.status === 200) expect(toolsOf(text)).toHaveLength(TOOL_COUNT);
  return { ...values, ...valuesOf(request.path, text) };
}

function valuesOf(path: string, text: string): Partial<Values> {
  if (!/\/oauth\/(register|token)$/.test(path)) return {};
  const { client_id, access_token, refresh_token } = JSON.parse(text) as Record<string, string>;
  return JSON.parse(JSON.stringify({ client_id, access_token, refresh_token })) as Partial<Values>;
}

function toolsOf(text: string): unknown {
  const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
  return (JSON.parse(json) as { result?: { tools?: unknown } }).result?.tools;
}

describe('recorded clients', () => {
  test.each(RECORDINGS.map((recording) => [recording.client, recording.version, recording] as const))(
    '%s %s signs in as it was recorded',
    async (_client, _version, { requests }) => {
      verifies('mcp-url-is-enough');
      let values: Values = { origin: gateway.issuer };
      for (const request of requests) values = await send(request, values);
      expect(values.access_token).toMatch(/^utg_at_/);
      expect(values.refresh_token).toMatch(/^utg_rt_/);
    },
  );

  test('the landing page says "tried" only of clients that ran, with their version', () => {
    const tried = CLIENTS.flatMap((client) => client.tried.map(({ package: name, version }) => `${name} ${version}`));
    expect(tried.sort()).toEqual(RECORDINGS.map((recording) => `${recording.package} ${recording.version}`).sort());
  });
});

describe('clients modelled on their source code', () => {
  async function register(registration: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token_endpoint_auth_method: 'none', ...registration }),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as Record<string, unknown>;
  }

  function authorizationPath(redirectUri: string): string {
    const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      redirect_uri: redirectUri,
      state: 'a-state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'tools:read tools:write',
      resource: gateway.url,
    });
    return `/api/mcp/oauth/authorize?${query}&client_id={client_id}`;
  }

  function tokenRequest(redirectUri: string): RecordedRequest {
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      code_verifier: VERIFIER,
      resource: gateway.url,
    });
    return {
      method: 'POST',
      path: '/api/mcp/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${form}&client_id={client_id}&code={code}`,
      status: 200,
    };
  }

  test.each(CLIENTS_FROM_SOURCE.map((client) => [client.client, client] as const))(
    '%s registers all that it asks for, and signs in',
    async (_client, { registration, redirectUri, sources }) => {
      expect(sources.length).toBeGreaterThan(0);
      const registered = await register(registration);
      expect(registered).toMatchObject({ redirect_uris: registration.redirect_uris });
      expect(registered).not.toHaveProperty('dropped_redirect_uris');
      let values: Values = { origin: gateway.issuer, client_id: String(registered.client_id) };
      values = await visitConsentPage(authorizationPath(redirectUri), values);
      values = await send(tokenRequest(redirectUri), values);
      expect(values.access_token).toMatch(/^utg_at_/);
    },
  );
});
