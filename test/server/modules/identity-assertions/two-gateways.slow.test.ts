import { afterEach, beforeEach, expect, test } from 'vitest';
import { approveIssuer } from '../../../../server/modules/identity-assertions/issuers.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { createSigningKey, signAssertion } from '../../../support/identity-provider.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { REDIRECT_URI, seed, toForm } from '../../identity/oauth/support.ts';

const ISSUER = 'https://idp.example';
const key = await createSigningKey('one');

describeStore('identity assertions on two nodes', (given) => {
  let gateways: GatewayProcesses;
  let partnerSecret: string;
  beforeEach(async () => {
    ({ partnerSecret } = await seed(given.store));
    gateways = await startGatewayProcesses({ count: 2, databaseUrl: given.url });
  });
  afterEach(async () => {
    expect(await gateways.stop()).toEqual([0, 0]);
    expect(gateways.log()).not.toMatch(/"level":"(error|fatal)"/);
  });

  // biome-ignore lint/suspicious/noExplicitAny: the test inspects raw answers
  async function post(node: number, path: string, body: unknown, headers = {}): Promise<[number, any]> {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(`${gateways.origins[node % 2]}${path}`, {
      method: 'POST',
      headers: { ...(isForm ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: isForm ? body : JSON.stringify(body),
    });
    return [response.status, await response.json()];
  }

  test('an assertion is accepted once by both, and its token works on both until its issuer is removed', async () => {
    verifies('mcp-ema-single-use', 'mcp-ema-issuer-removed');
    const credentials = { Authorization: `Basic ${Buffer.from(`acme:${partnerSecret}`).toString('base64')}` };
    const [registered, issuer] = await post(
      0,
      '/api/partner/issuers',
      { issuer: ISSUER, jwks: { keys: [key.jwk] } },
      credentials,
    );
    expect(registered).toBe(201);
    const { partner_id: partnerId } = await given.store.db
      .selectFrom('identity_issuer_requests')
      .select('partner_id')
      .executeTakeFirstOrThrow();
    await given.store.db
      .transaction()
      .execute((transaction) => approveIssuer(transaction, { id: issuer.id, partnerId }, { now: 1 }));
    const [, client] = await post(0, '/api/mcp/oauth/register', {
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const now = Math.floor(Date.now() / 1000);
    const assertion = await signAssertion(key, {
      iss: ISSUER,
      sub: 'alice',
      aud: SHARED_PUBLIC_URL,
      client_id: client.client_id,
      jti: 'once',
      iat: now,
      exp: now + 300,
    });
    const form = toForm({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
      client_id: client.client_id,
      client_secret: client.client_secret,
    });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, node) => post(node, '/api/mcp/oauth/token', form)),
    );
    const winners = answers.filter(([status]) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(([status, body]) => status === 400 && body.error === 'invalid_grant')).toHaveLength(39);

    const use = async (node: number) => {
      const headers = { Authorization: `Bearer ${winners[0]?.[1].access_token}` };
      return (await fetch(`${gateways.origins[node]}/api/mcp/unified`, { headers })).status;
    };
    expect([await use(0), await use(1)]).toEqual([405, 405]);
    const removed = await fetch(`${gateways.origins[1]}/api/partner/issuers/${issuer.id}`, {
      method: 'DELETE',
      headers: credentials,
    });
    expect(removed.status).toBe(204);
    expect([await use(0), await use(1)]).toEqual([401, 401]);
  });
});
