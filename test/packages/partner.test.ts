import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerOf,
  createPartnerClient,
  type PartnerClient,
  type Schemas,
  verifyWebhook,
  WebhookVerificationError,
} from '../../packages/partner/index.ts';
import { connectClient } from '../support/mcp-client.ts';
import { type OAuthGateway, READING_CALL, startOAuthGateway } from '../support/oauth-gateway.ts';

describe('the partner client', () => {
  let gateway: OAuthGateway;
  let partner: PartnerClient;
  beforeAll(async () => {
    gateway = await startOAuthGateway();
    partner = createPartnerClient(gateway.issuer, { clientId: 'test', clientSecret: gateway.partnerSecret });
  });
  afterAll(() => gateway.close());

  test('reads a list page by page', async () => {
    const services: Schemas['Service'][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const page = await answerOf(partner.GET('/api/partner/services', { params: { query } }));
      services.push(...page.services);
      cursor = page.next;
    }
    expect(services.map(({ service, logo_text }) => [service, logo_text])).toEqual([
      ['billing', 'Me'],
      ['crm', 'Af'],
      ['datatable', 'ND'],
      ['mailer', 'Bi'],
      ['retrieval', 'Ra'],
    ]);
  });

  test('lists what its users did', async () => {
    const client = await connectClient({ url: gateway.url, token: gateway.token });
    await client.callTool(READING_CALL);
    await client.close();
    const query = { user_id: 'ada', service: 'retrieval' };
    const listed = () => answerOf(partner.GET('/api/partner/calls', { params: { query } }));
    await expect.poll(async () => (await listed()).calls[0]?.tool, { timeout: 10_000 }).toBe(READING_CALL.name);
    const { usage } = await answerOf(partner.GET('/api/partner/usage', { params: { query: { by: 'tool' } } }));
    expect(usage).toMatchObject([{ tool: READING_CALL.name, calls: 1, errors: 0 }]);
  });

  test('removes no user and no team by dots in the place of a service, a grant or a member', async () => {
    await answerOf(
      partner.PUT('/api/partner/teams/{team_id}', { params: { path: { team_id: 'a' } }, body: { name: 'A' } }),
    );
    const refusals = [
      partner.DELETE('/api/partner/users/{user_id}/connections/{service}', {
        params: { path: { user_id: 'ada', service: '..' } },
      }),
      partner.DELETE('/api/partner/users/{user_id}/grants/{grant}', {
        params: { path: { user_id: 'ada', grant: '..' } },
      }),
      partner.DELETE('/api/partner/teams/{team_id}/members/{user_id}', {
        params: { path: { team_id: 'a', user_id: '..' } },
      }),
    ];
    for (const { response } of await Promise.all(refusals)) expect(response.status).toBe(404);
    const { users } = await answerOf(partner.GET('/api/partner/users'));
    const { teams } = await answerOf(partner.GET('/api/partner/teams'));
    expect([users.map(({ user_id }) => user_id), teams.map(({ team_id }) => team_id)]).toEqual([
      expect.arrayContaining(['ada']),
      ['a'],
    ]);
  });

  test('throws an error if the gateway refuses', async () => {
    const params = { path: { user_id: 'nobody' } };
    const refused = answerOf(partner.DELETE('/api/partner/users/{user_id}', { params }));
    await expect(refused).rejects.toMatchObject({ name: 'PartnerApiError', status: 404, code: 'not_found' });
    const wrong = createPartnerClient(gateway.issuer, { clientId: 'test', clientSecret: 'wrong' });
    await expect(answerOf(wrong.GET('/api/partner/users'))).rejects.toThrow(/^invalid_client: /);
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const another = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
  const event = { id: 'evt_1', type: 'user.removed', timestamp: '2026-01-01T00:00:00.000Z', data: { user_id: 'ada' } };
  const body = JSON.stringify(event);
  const sign = (text: string, { key = secret, at = Date.now() } = {}) => {
    const seconds = String(Math.floor(at / 1000));
    const bytes = Buffer.from(key.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', bytes).update(`evt_1.${seconds}.${text}`).digest('base64');
    return { 'webhook-id': 'evt_1', 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
  };

  test('returns the event of a text and headers of node:http, and of bytes and headers of fetch', () => {
    const received = verifyWebhook(secret, body, { ...sign(body), 'set-cookie': ['a'], host: undefined });
    expect(received).toEqual(event);
    if (received.type === 'user.removed') expect(received.data.user_id).toBe('ada');
    expect(verifyWebhook(secret, new TextEncoder().encode(body), new Headers(sign(body)))).toEqual(event);
  });

  test('accepts one of two signatures, as while a secret is replaced', () => {
    const [current, previous] = [sign(body), sign(body, { key: another })];
    const both = {
      ...current,
      'webhook-signature': `${previous['webhook-signature']} ${current['webhook-signature']}`,
    };
    expect(verifyWebhook(secret, body, both)).toEqual(event);
  });

  test.each([
    ['another body', `${body} `, sign(body)],
    ['another secret', body, sign(body, { key: another })],
    ['an old timestamp', body, sign(body, { at: Date.now() - 301_000 })],
    ['a timestamp ahead', body, sign(body, { at: Date.now() + 400_000 })],
    ['no signature', body, { 'webhook-id': 'evt_1' }],
  ])('throws for %s', (_, text, headers) => {
    expect(() => verifyWebhook(secret, text, headers)).toThrow(WebhookVerificationError);
  });
});
