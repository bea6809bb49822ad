import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import type { RequirementId } from '../../../requirements/oauth.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { givenApp, HOST_HEADER } from '../../app-server.ts';
import { connect } from '../store/fixtures.ts';

describe('bearer authentication of the MCP endpoint', () => {
  const given = givenApp();

  const call = (headers: Record<string, string> = {}, path = MCP_PATH) =>
    given.send(path, { method: 'POST', headers, body: '{}' });
  const challenge = (parameters = '') =>
    `Bearer resource_metadata="${given.origin}/.well-known/oauth-protected-resource/api/mcp/unified", ` +
    `scope="tools:read tools:write"${parameters}`;

  test('a valid token identifies its principal', async () => {
    verifies('rfc6750-2.1-header');
    await given.start();
    await connect(given.store, { userId: given.userId, service: 'retrieval' });
    const answer = await call({ Authorization: `Bearer ${await given.issueToken()}` });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      tokenId: expect.any(String),
      partnerId: expect.any(String),
      realm: 'live',
      userId: given.userId,
      externalUserId: 'alice',
      grantId: null,
      clientId: null,
      permission: FULL_PERMISSION,
      scopes: ['tools:read', 'tools:write'],
      connections: {},
      services: ['retrieval'],
      connectUri: null,
      partnerName: 'Acme',
      offeredServices: null,
      narrowedTo: null,
      isSuspended: false,
      accounts: null,
      approvals: null,
      callLimits: null,
      isWritingStopped: false,
      expiresAt: 1_000_000 + 3_600_000,
      resource: given.origin + MCP_PATH,
    });
  });

  test.each(['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS'])(
    '%s without credentials is 401 and starts discovery',
    async (method) => {
      verifies(
        'rfc9728-5.1-challenge',
        'rfc6750-3-challenge',
        'rfc6750-3.1-no-code',
        'mcp-token-before-method',
        'mcp-scope-challenge',
      );
      await given.start();
      const answer = await given.send(MCP_PATH, { method });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe(challenge());
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      expect(await answer.json()).toEqual({
        error: 'unauthorized',
        error_description: 'Send an access token as "Authorization: Bearer <token>".',
      });
    },
  );

  test.each<[string, () => Promise<string>, string, RequirementId]>([
    [
      'an unknown token',
      async () => 'utg_at_unknown',
      'The access token is unknown or was revoked.',
      'rfc6750-3.1-invalid-token',
    ],
    [
      'an expired token',
      async () => {
        const token = await given.issueToken();
        given.now += 3_600_000;
        return token;
      },
      'The access token has expired.',
      'mcp-token-expiry',
    ],
    [
      'a revoked token',
      async () => {
        const token = await given.issueToken();
        await given.store.db.updateTable('access_tokens').set({ revoked_at: 1 }).execute();
        return token;
      },
      'The access token is unknown or was revoked.',
      'rfc6750-3.1-invalid-token',
    ],
    [
      'a token of a deleted user',
      async () => {
        const token = await given.issueToken();
        await given.store.db.deleteFrom('users').execute();
        return token;
      },
      'The access token is unknown or was revoked.',
      'rfc6750-3.1-invalid-token',
    ],
    [
      'a token for another resource',
      () => given.issueToken({ resource: 'https://other.example/api/mcp/unified' }),
      'The access token was issued for another resource.',
      'mcp-token-audience',
    ],
  ])('%s is 401 invalid_token', async (_title, token, description, requirement) => {
    verifies(requirement);
    await given.start();
    const answer = await call({ Authorization: `Bearer ${await token()}` });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      challenge(`, error="invalid_token", error_description="${description}"`),
    );
    expect(await answer.json()).toEqual({ error: 'invalid_token', error_description: description });
  });

  test('a token is valid until the millisecond before it expires', async () => {
    verifies('mcp-token-expiry');
    await given.start();
    const token = await given.issueToken();
    given.now += 3_600_000 - 1;
    expect((await call({ Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test('the scheme is compared without case', async () => {
    verifies('rfc6750-2.1-header');
    await given.start();
    expect((await call({ Authorization: `bEARER ${await given.issueToken()}` })).status).toBe(200);
  });

  test.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer '])(
    'Authorization: %j is challenged like a missing one',
    async (authorization) => {
      verifies('rfc6750-3-challenge');
      await given.start();
      const answer = await call({ Authorization: authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toBe(challenge());
    },
  );

  test.each(['Bearer a b', 'Bearer "quoted"', 'Bearer ünïcode'])(
    'Authorization: %s is 400 invalid_request',
    async (authorization) => {
      verifies('rfc6750-3.1-invalid-request');
      await given.start();
      const answer = await call({ Authorization: Buffer.from(authorization, 'utf8').toString('latin1') });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
      expect(answer.headers.get('WWW-Authenticate')).toContain('error="invalid_request"');
    },
  );

  test('a token in the query string is refused, with and without one in the header', async () => {
    verifies('rfc6750-2.3-query');
    await given.start();
    const token = await given.issueToken();
    const path = `${MCP_PATH}?access_token=${token}`;
    expect((await call({}, path)).status).toBe(400);
    expect((await call({ Authorization: `Bearer ${token}` }, path)).status).toBe(400);
  });

  test('two concurrent users each get their own answer', async () => {
    await given.start();
    const partner = await given.store.db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
    const bob = await ensureUser(given.store.db, { partnerId: partner.id, externalUserId: 'bob', now: 1 });
    const tokens = [await given.issueToken(), await given.issueToken({ userId: bob.id })];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => call({ Authorization: `Bearer ${tokens[index % 2]}` })),
    );
    const names = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { externalUserId: string }).externalUserId),
    );
    expect(names).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'alice' : 'bob')));
  });

  test('the challenge names the public origin', async () => {
    await given.start({ publicUrl: 'https://tools.example.com' });
    const answer = await call({ [HOST_HEADER]: 'tools.example.com' });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('WWW-Authenticate')).toContain(
      'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/api/mcp/unified"',
    );
  });
});

describe('protected resource metadata (RFC 9728)', () => {
  const given = givenApp();
  const PATHS = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/mcp/unified'];

  test.each(PATHS)('%s says where to get a token', async (path) => {
    verifies(
      'rfc9728-2-resource',
      'rfc9728-2-authorization-servers',
      'rfc9728-2-scopes',
      'rfc9728-2-bearer-methods',
      'rfc9728-3.1-location',
      'rfc9728-3.2-json',
      'mcp-discovery-root',
    );
    await given.start({ publicUrl: 'http://localhost:3000' });
    const answer = await given.send(path, { headers: { 'MCP-Protocol-Version': 'anything' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(await answer.json()).toEqual({
      resource: 'http://localhost:3000/api/mcp/unified',
      authorization_servers: ['http://localhost:3000'],
      scopes_supported: ['tools:read', 'tools:write'],
      bearer_methods_supported: ['header'],
      resource_name: 'Unified Tool Gateway',
    });
  });

  test.each([...PATHS, '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    '%s is the same for every origin, so a shared cache may serve it to pages',
    async (path) => {
      verifies('mcp-discovery-browser');
      await given.start();
      for (const headers of [{}, { Origin: 'https://anywhere.example' }] as Record<string, string>[]) {
        const answer = await given.send(path, { headers });
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
        expect(answer.headers.get('Vary')).toBeNull();
      }
    },
  );

  test.each([...PATHS, '/.well-known/oauth-authorization-server'])(
    '%s answers OPTIONS with its allowed methods',
    async (path) => {
      await given.start();
      const answer = await given.send(path, { method: 'OPTIONS' });
      expect([answer.status, answer.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    },
  );

  test.each(PATHS)('%s is readable by pages of any origin', async (path) => {
    verifies('mcp-discovery-browser');
    await given.start();
    const origin = { Origin: 'https://anywhere.example' };
    const answer = await given.send(path, { headers: origin });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const preflight = await given.send(path, {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('MCP-Protocol-Version');
  });

  test.each(['/.well-known/oauth-protected-resource/other', '/.well-known/unknown', '/', '/api', '/api/mcp/unified/x'])(
    '%s is a JSON 404',
    async (path) => {
      verifies('mcp-discovery-next');
      await given.start();
      const answer = await given.send(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: 'not_found', error_description: expect.any(String) });
    },
  );
});
