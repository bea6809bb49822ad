import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { allowed, flood, postForm } from './oauth-steps.ts';

const WRONG = `Basic ${Buffer.from('test:wrong').toString('base64')}`;

const FORMS = [
  '/api/mcp/oauth/token',
  '/api/mcp/oauth/revoke',
  '/api/oauth/token',
  '/api/partner/users/ada/approvals',
] as const;

const PARTNER_ROUTES = [
  ...FORMS,
  '/api/mcp/oauth/sessions',
  '/api/partner/issuers',
  '/api/partner/users/ada/links',
] as const;

async function statusWithoutBody(gateway: OAuthGateway, path: string): Promise<string> {
  const { hostname, port, host } = new URL(gateway.issuer);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${WRONG}\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 10000\r\n\r\n',
  );
  const answer = await new Promise<string>((resolve) => {
    const timer = setTimeout(() => resolve('nothing'), 3000);
    socket.once('data', (bytes) => {
      clearTimeout(timer);
      resolve(bytes.toString('latin1'));
    });
  });
  socket.destroy();
  return answer.split('\r\n', 1)[0] ?? '';
}

describe('a caller without credentials', () => {
  let gateway: OAuthGateway;
  afterEach(() => gateway?.close());

  test.each(FORMS)('cannot send a long form to %s', async (path) => {
    gateway = await startOAuthGateway();
    const long = await postForm(gateway.issuer + path, {
      grant_type: 'refresh_token',
      refresh_token: 'x'.repeat(20_000),
    });
    expect(long.status).toBe(413);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, '1']));
    expect((await postForm(gateway.issuer + path, many)).status).toBe(400);
  });

  test.each(PARTNER_ROUTES)('is refused by %s for a wrong secret before it sends a body', async (path) => {
    gateway = await startOAuthGateway();
    expect(await statusWithoutBody(gateway, path)).toBe('HTTP/1.1 401 Unauthorized');
  });

  test('is limited after 20 failed requests from one address', async () => {
    gateway = await startOAuthGateway({ REFUSED_REQUESTS_PER_MINUTE: '20' });
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'client-x' };
    const statuses = await flood(60, () => postForm(`${gateway.issuer}/api/mcp/oauth/token`, form));
    expect(statuses).toEqual({ 401: 20, 429: 40 });
    const revoked = await postForm(`${gateway.issuer}/api/mcp/oauth/revoke`, { token: 'x' });
    expect(revoked.status).toBe(429);
  });

  test('is limited in revoking unknown tokens', async () => {
    gateway = await startOAuthGateway({ REFUSED_REQUESTS_PER_MINUTE: '20' });
    const statuses = await flood(60, () => postForm(`${gateway.issuer}/api/mcp/oauth/revoke`, { token: 'x' }));
    expect(statuses[429]).toBeGreaterThanOrEqual(30);
  });

  test('shares no limit with a partner that connects many users, or a host that refreshes many tokens', async () => {
    gateway = await startOAuthGateway({ REFUSED_REQUESTS_PER_MINUTE: '10', REFRESH_HOLD_MS: '0' });
    const codes = await Promise.all(Array.from({ length: 40 }, () => gateway.connectionCode()));
    expect(codes.filter((code) => typeof code === 'string')).toHaveLength(40);
    const token = `${gateway.issuer}/api/mcp/oauth/token`;
    const request = await allowed(gateway);
    let { body } = await postForm(token, request);
    for (let time = 0; time < 20; time += 1) {
      const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
      const refreshed = await postForm(token, { ...form, client_id: request.client_id ?? '' });
      expect(refreshed.status).toBe(200);
      body = refreshed.body;
    }
  });

  test('is not the only caller with a limit: a partner has its own', async () => {
    gateway = await startOAuthGateway({ PARTNER_REQUESTS_PER_MINUTE: '10' });
    const asked = await Promise.allSettled(Array.from({ length: 15 }, () => gateway.connectionCode()));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
  });
});
