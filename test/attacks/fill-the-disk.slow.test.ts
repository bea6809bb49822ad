import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { allowed, authorizeUrl, bytesOf, flood, keptRows, postForm, postJson, register } from './oauth-steps.ts';

const MINUTES_PER_DAY = 1440;
const TEN_MEGABYTES = 10_000_000;
const LONG_URI = `https://a.example/${'x'.repeat(1950)}`;
const LARGEST = {
  client_name: 'é'.repeat(200),
  redirect_uris: [`https://b.example/${'y'.repeat(500)}`, LONG_URI],
  client_uri: LONG_URI,
  logo_uri: LONG_URI,
  tos_uri: LONG_URI,
  policy_uri: LONG_URI,
  contacts: Array(20).fill('z'.repeat(200)),
};

describe('an unauthenticated caller', () => {
  let gateway: OAuthGateway;
  beforeEach(async () => {
    gateway = await startOAuthGateway({
      REGISTRATIONS_PER_MINUTE: '100000',
      REFUSED_REQUESTS_PER_MINUTE: '100000',
      MAX_UNUSED_CLIENTS: '300',
    });
  });
  afterEach(() => gateway.close());

  test('fills less than 10 MB by registering clients all day from one address', { timeout: 60_000 }, async () => {
    verifies('rfc7591-5-limits');
    const before = await bytesOf(gateway.store);
    const statuses = await flood(400, () => register(gateway, LARGEST));
    expect(statuses).toEqual({ 201: 300, 429: 100 });
    const rows = await keptRows(gateway.store);
    expect(rows.oauth_clients).toBe(300);
    const bytesOfOne = ((await bytesOf(gateway.store)) - before) / 300;
    const ofClients = bytesOfOne * 1000;
    const ofEvents = 24 * (rows.anonymous_events ?? 0) * 1000;
    expect(ofClients + ofEvents).toBeLessThan(TEN_MEGABYTES);
    const unbounded = (((await bytesOf(gateway.store)) - before) / 300) * 60 * MINUTES_PER_DAY;
    expect(unbounded).toBeGreaterThan(TEN_MEGABYTES);
  });

  test('cannot register a client larger than a database page', async () => {
    const { status, body } = await register(gateway, { redirect_uris: [`${LONG_URI}1`, `${LONG_URI}2`] });
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    const headers = { 'Content-Type': 'application/json' };
    const filled = JSON.stringify({ redirect_uris: ['https://a.example/'], more: 'x'.repeat(40_000) });
    const answer = await fetch(`${gateway.issuer}/api/mcp/oauth/register`, { method: 'POST', headers, body: filled });
    expect(answer.status).toBe(413);
  });

  test('cannot evict a client that a user allowed', { timeout: 60_000 }, async () => {
    verifies('rfc7591-5-expiry');
    const { client_id: clientId = '' } = await allowed(gateway);
    await flood(350, () => register(gateway));
    expect(await findClient(gateway.store.db, clientId)).toMatchObject({ clientId, wasAllowed: true });
  });

  test('leaves one row for each kind of refusal, however often it tries', { timeout: 60_000 }, async () => {
    const { client_id: clientId = '' } = (await register(gateway)).body;
    const before = await keptRows(gateway.store);
    const { issuer } = gateway;
    const token = `${issuer}/api/mcp/oauth/token`;
    const codes = { grant_type: 'authorization_code', redirect_uri: 'x', code_verifier: 'x'.repeat(43) };
    await flood(60, (index) => postForm(token, { ...codes, client_id: clientId, code: `code-${index}` }));
    await flood(60, (index) => postForm(token, { ...codes, client_id: `client-${index}`, code: 'code' }));
    await flood(60, () => postForm(`${issuer}/api/mcp/oauth/revoke`, { token: 'unknown' }));
    await flood(60, (index) =>
      postJson(`${issuer}/api/mcp/oauth/sessions`, {
        client_id: 'test',
        client_secret: `wrong-${index}`,
        user_id: 'ada',
      }),
    );
    await flood(20, () => fetch(authorizeUrl(gateway, clientId, { response_type: 'x' }), { redirect: 'manual' }));
    const after = await keptRows(gateway.store);
    expect(after).toEqual({ ...before, anonymous_events: (before.anonymous_events ?? 0) + 2 });
    const counted = await gateway.store.db.selectFrom('anonymous_events').select(['type', 'count']).execute();
    expect(Object.fromEntries(counted.map(({ type, count }) => [type, count]))).toMatchObject({
      credentials_refused: 120,
      grant_refused: 60,
    });
  });

  test('leaves one audit event when it reuses its own code repeatedly', { timeout: 60_000 }, async () => {
    const request = await allowed(gateway);
    const token = `${gateway.issuer}/api/mcp/oauth/token`;
    expect((await postForm(token, request)).status).toBe(200);
    const before = await keptRows(gateway.store);
    expect(await flood(200, () => postForm(token, request))).toEqual({ 400: 200 });
    const after = await keptRows(gateway.store);
    expect((after.audit_events ?? 0) - (before.audit_events ?? 0)).toBe(1);
    expect((after.anonymous_events ?? 0) - (before.anonymous_events ?? 0)).toBeLessThanOrEqual(2);
  });
});
