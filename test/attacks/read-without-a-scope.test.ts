import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../server/base/principal/permission.ts';
import { issueAccessToken } from '../../server/identity/grants/access-token.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';

describe('an access token without a scope', () => {
  let gateway: OAuthGateway;
  beforeAll(async () => {
    gateway = await startOAuthGateway();
  });
  afterAll(() => gateway?.close());

  const tokenWith = async (scopes: readonly Scope[]): Promise<string> => {
    const { db } = gateway.store;
    const user = await db
      .selectFrom('users')
      .select('id')
      .where('external_user_id', '=', 'ada')
      .executeTakeFirstOrThrow();
    const grant = { userId: user.id, scopes, services: null, resource: gateway.url, now: Date.now() };
    return (await issueAccessToken(db, grant)).token;
  };
  const send = async (token: string, method: string, params: object) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    return { status: response.status, challenge: response.headers.get('WWW-Authenticate'), text };
  };

  test('lists no tools', async () => {
    expect((await send(await tokenWith([]), 'tools/list', {})).text).toContain('"tools":[]');
  });

  test('reads nothing, and reports which scope to ask for', async () => {
    const { status, challenge } = await send(await tokenWith([]), 'tools/call', READING_CALL);
    expect(status).toBe(403);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="tools:read"');
  });

  test.each<[Scope]>([['tools:read'], ['tools:write']])('reads with %s', async (scope) => {
    const token = await tokenWith([scope]);
    const { status, text } = await send(token, 'tools/call', READING_CALL);
    expect([status, text.includes('"isError":true')]).toEqual([200, false]);
    expect((await send(token, 'tools/list', {})).text).not.toContain('"tools":[]');
  });
});
