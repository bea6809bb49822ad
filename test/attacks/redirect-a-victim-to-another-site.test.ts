import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { allowed, authorizeUrl, register } from './oauth-steps.ts';

const PHISHING = 'https://phishing.example/signin';

const MISTAKES: readonly (readonly [string, Record<string, string>])[] = [
  ['another response type', { response_type: 'x' }],
  ['another response mode', { response_mode: 'fragment' }],
  ['no code challenge', { code_challenge: '' }],
  ['the challenge method plain', { code_challenge_method: 'plain' }],
  ['a foreign resource', { resource: 'https://other.example' }],
  ['a state that cannot be returned', { state: 'x'.repeat(5000) }],
];

describe('a client that anyone can register', () => {
  let gateway: OAuthGateway;
  beforeAll(async () => {
    gateway = await startOAuthGateway();
  });
  afterAll(() => gateway?.close());

  test.each(MISTAKES)('gets no browser redirected to its site by %s', async (_title, mistake) => {
    verifies('rfc9700-4.11.2-unknown-client');
    const { body } = await register(gateway, { redirect_uris: [PHISHING] });
    const url = authorizeUrl(gateway, body.client_id ?? '', { redirect_uri: PHISHING, ...mistake });
    const answer = await fetch(url, { redirect: 'manual' });
    const page = await answer.text();
    expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
    expect(page).toContain('This request cannot be answered');
    expect(page).not.toContain('phishing.example');
  });

  test('gets its errors by redirect after a user has allowed it', async () => {
    const { client_id: clientId = '' } = await allowed(gateway);
    const answer = await fetch(authorizeUrl(gateway, clientId, { response_type: 'x' }), { redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('Location')).toContain('error=unsupported_response_type');
  });
});
