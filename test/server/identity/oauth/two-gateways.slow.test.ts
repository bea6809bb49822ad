import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../../requirements/verifies.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { createVisitor, locationOf, requestOf, type Visitor } from './page-visitor.ts';
import { type OAuthUnderTest, REDIRECT_URI, seed, toForm } from './support.ts';

const HOLD_MS = 4_000;

type Parameters = Readonly<Record<string, string>>;

describeStore('two gateways that share a store', (given) => {
  let gateways: GatewayProcesses;
  let seeded: Awaited<ReturnType<typeof seed>>;

  beforeEach(async () => {
    seeded = await seed(given.store);
    const env = { REFRESH_HOLD_MS: String(HOLD_MS) };
    gateways = await startGatewayProcesses({ count: 2, databaseUrl: given.url, env });
  });
  afterEach(async () => {
    expect(await gateways.stop()).toEqual([0, 0]);
    expect(gateways.log()).not.toMatch(/"level":"(error|fatal)"/);
  });

  const originOf = (index: number) => gateways.origins[index % 2]!;

  async function post(
    index: number,
    path: string,
    body: URLSearchParams | string,
  ): Promise<[number, Record<string, string>]> {
    const headers = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
    const response = await fetch(`${originOf(index)}/api/mcp/oauth/${path}`, { method: 'POST', headers, body });
    return [response.status, (await response.json()) as Record<string, string>];
  }
  const exchange = (index: number, parameters: Parameters) => post(index, 'token', toForm(parameters));

  async function use(index: number, accessToken: string): Promise<number> {
    const headers = { Authorization: `Bearer ${accessToken}` };
    return (await fetch(`${originOf(index)}/api/mcp/unified`, { headers })).status;
  }

  async function register(): Promise<string> {
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
    const [status, { client_id }] = await post(0, 'register', JSON.stringify(metadata));
    expect(status).toBe(201);
    return client_id!;
  }

  async function mint(): Promise<string> {
    const credentials = { client_id: 'acme', client_secret: seeded.partnerSecret };
    const [status, { session_token }] = await post(1, 'sessions', toForm({ ...credentials, user_id: 'alice' }));
    expect(status).toBe(200);
    return session_token!;
  }

  async function openConsent(clientId: string, connectionCode: string, codeVerifier: string): Promise<Visitor> {
    const visitor = createVisitor({} as OAuthUnderTest, originOf(0));
    const code_challenge = createHash('sha256').update(codeVerifier).digest('base64url');
    expect((await visitor.open(requestOf(clientId, { code_challenge }))).status).toBe(200);
    const step = await onGateway(visitor, 1).submit({ connection_code: connectionCode, decision: 'continue' });
    expect(step.status).toBe(200);
    return visitor;
  }

  function onGateway(visitor: Visitor, index: number): Visitor {
    const other = createVisitor({} as OAuthUnderTest, originOf(index));
    other.cookie = visitor.cookie;
    other.pageState = visitor.pageState;
    other.checked = visitor.checked;
    const { submit } = other;
    other.submit = async (...form) => {
      const answer = await submit(...form);
      visitor.pageState = other.pageState;
      visitor.checked = other.checked;
      return answer;
    };
    return other;
  }

  test('one connection code: exactly one of a hundred concurrent Allows succeeds', async () => {
    verifies('mcp-consent-single-use');
    const clientId = await register();
    const codeVerifier = randomBytes(32).toString('base64url');
    const visitor = await openConsent(clientId, await mint(), codeVerifier);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => onGateway(visitor, index).submit({ decision: 'allow' })),
    );
    const redirects = answers.filter(({ status }) => status === 303);
    expect(redirects).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await given.store.db.selectFrom('oauth_grants').select('id').execute()).toHaveLength(1);

    const { parameters } = locationOf(redirects[0]!);
    expect(parameters.iss).toBe(SHARED_PUBLIC_URL);
    const [status, body] = await exchange(1, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: parameters.code!,
      redirect_uri: REDIRECT_URI,
      code_verifier: codeVerifier,
    });
    expect([status, await use(0, body.access_token!)]).toEqual([200, 405]);
  });

  async function authorize(): Promise<Parameters> {
    const clientId = await register();
    const codeVerifier = randomBytes(32).toString('base64url');
    const visitor = await openConsent(clientId, await mint(), codeVerifier);
    const { parameters } = locationOf(await onGateway(visitor, 1).submit({ decision: 'allow' }));
    return {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: parameters.code!,
      redirect_uri: REDIRECT_URI,
      code_verifier: codeVerifier,
    };
  }

  test('one authorization code: exactly one of a hundred concurrent exchanges succeeds, and its tokens are revoked', async () => {
    verifies('rfc6749-4.1.2-single-use');
    const parameters = await authorize();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => exchange(index, parameters)));
    const winners = answers.filter(([status]) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(([status, body]) => status === 400 && body.error === 'invalid_grant')).toHaveLength(99);
    expect(await use(0, winners[0]![1].access_token!)).toBe(401);
    expect(await use(1, winners[0]![1].access_token!)).toBe(401);
  });

  test('one refresh token: sixty refreshes that come one after the other get exactly one successor, in every round', async () => {
    verifies('rfc9700-4.14.2-race', 'rfc9700-4.14.2-parallel');
    const { client_id, ...parameters } = await authorize();
    const [, first] = await exchange(0, { client_id: client_id!, ...parameters });
    let refreshToken = first.refresh_token!;
    for (let round = 0; round < 2; round += 1) {
      let known = refreshToken;
      const answers = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          await sleep(index * 10);
          const refresh_token = index % 4 === 3 ? known : refreshToken;
          const answer = await exchange(index, { grant_type: 'refresh_token', refresh_token, client_id: client_id! });
          known = answer[1].refresh_token ?? known;
          return answer;
        }),
      );
      expect(answers.filter(([status]) => status !== 200)).toEqual([]);
      expect(new Set(answers.map(([, body]) => body.refresh_token)).size).toBe(1);
      expect(known).not.toBe(refreshToken);
      expect(await use(round, answers[0]![1].access_token!)).toBe(405);
      expect((await given.store.db.selectFrom('refresh_tokens').select('id').execute()).length).toBe(round + 2);
      refreshToken = known;
      if (round === 0) await sleep(HOLD_MS);
    }
  });

  test('a token that one gateway revokes is refused by the other at the next request', async () => {
    verifies('rfc7009-2.1-immediate');
    const parameters = await authorize();
    const [, body] = await exchange(0, parameters);
    expect([await use(0, body.access_token!), await use(1, body.access_token!)]).toEqual([405, 405]);
    const response = await fetch(`${originOf(0)}/api/mcp/oauth/revoke`, {
      method: 'POST',
      body: toForm({ token: body.refresh_token! }),
    });
    expect(response.status).toBe(200);
    expect([await use(0, body.access_token!), await use(1, body.access_token!)]).toEqual([401, 401]);
  });

  test('concurrent refreshes and revocations never leave a valid token', async () => {
    const parameters = await authorize();
    const [, body] = await exchange(0, parameters);
    const refresh = {
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token!,
      client_id: parameters.client_id!,
    };
    const [refreshed] = await Promise.all([
      exchange(0, refresh),
      fetch(`${originOf(1)}/api/mcp/oauth/revoke`, { method: 'POST', body: toForm({ token: body.refresh_token! }) }),
    ]);
    if (refreshed[0] === 200) expect(await use(1, refreshed[1].access_token!)).toBe(401);
    else expect(refreshed[1].error).toBe('invalid_grant');
    expect(await use(0, body.access_token!)).toBe(401);
  });
});
