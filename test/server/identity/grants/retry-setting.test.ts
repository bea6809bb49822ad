import { afterAll, beforeAll, expect, test } from 'vitest';
import { findGrant, insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { issueTokens } from '../../../../server/identity/grants/issue-tokens.ts';
import { type OAuthGateway, startOAuthGateway } from '../../../support/oauth-gateway.ts';

let gateway: OAuthGateway;
beforeAll(async () => {
  gateway = await startOAuthGateway({ REFRESH_HOLD_MS: '0', REFRESH_RETRY_SECONDS: '60' });
});
afterAll(() => gateway?.close());

async function signIn(): Promise<{ client_id: string; refresh_token: string }> {
  const registered = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"redirect_uris":["http://127.0.0.1:7000/callback"]}',
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const { db } = gateway.store;
  const { id: userId } = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const now = Date.now();
  return db.transaction().execute(async (transaction) => {
    const grantId = await insertGrant(transaction, {
      clientId: client_id,
      userId,
      scopes: ['tools:read'],
      services: null,
      resource: gateway.url,
      now,
      expiresAt: now,
    });
    const grant = await findGrant(transaction, grantId);
    const { refresh_token } = await issueTokens(transaction, grant!, { scopes: ['tools:read'], now });
    return { client_id, refresh_token: refresh_token ?? '' };
  });
}

test('REFRESH_RETRY_SECONDS repeats an answer until its access token is used for the first time', async () => {
  const form = { grant_type: 'refresh_token', ...(await signIn()) };
  const refresh = async () => {
    const body = new URLSearchParams(form);
    const answer = await fetch(`${gateway.issuer}/api/mcp/oauth/token`, { method: 'POST', body });
    return (await answer.json()) as Record<string, string>;
  };
  const first = await refresh();
  expect(await refresh()).toMatchObject({ access_token: first.access_token, refresh_token: first.refresh_token });
  const used = await fetch(gateway.url, { headers: { Authorization: `Bearer ${first.access_token}` } });
  expect(used.status).toBe(405);
  expect((await refresh()).error).toBe('temporarily_unavailable');
});
